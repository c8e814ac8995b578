rule execute_notebook:
    """Answer one question from the campaign's dataset; runs again when a slice that the notebook read has changed."""
    input:
        notebook=inputs.find_notebook,
        dataset=ancient("results/{campaign}/dataset.nc"),
        claims=inputs.claims_read(checkpoints),
        read=inputs.digests_read(checkpoints),
        unread=ancient(inputs.digests_unread(checkpoints)),
    output:
        executed="results/{campaign}/notebooks/{study}/{notebook}.ipynb",
        reads="results/{campaign}/reads/{study}/{notebook}.txt",
    log:
        "logs/{campaign}/notebooks/{study}/{notebook}.ipynb",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=inputs.code_of_notebook,
    shell:
        "python -m coldcache notebook --notebook {input.notebook} --dataset {input.dataset} --study {wildcards.study}"
        " --output {output.executed} --reads {output.reads} --log {log}"


use rule execute_notebook as execute_overview with:
    wildcard_constraints:
        notebook="overview",
    # Of the notebooks of a study it takes the longest.
    priority: 1
    # This is not taken from the other rule.
    localrule: True


ruleorder: execute_overview > execute_notebook
