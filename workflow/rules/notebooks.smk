rule execute_notebook:
    """Answer one question from the campaign's dataset, where what it knows of the study has changed."""
    input:
        notebook="notebooks/{notebook}.ipynb",
        dataset=ancient("results/{campaign}/dataset.nc"),
        claims=contents.verdicts_on_claims,
        digest=contents.digest_after(checkpoints),
        code=contents.code_of_notebook,
    output:
        executed="results/{campaign}/notebooks/{study}/{notebook}.ipynb",
    log:
        "logs/{campaign}/notebooks/{study}/{notebook}.ipynb",
    localrule: True
    conda:
        "../../environment.yml"
    shell:
        "python -m coldcache notebook --notebook {input.notebook} --dataset {input.dataset} --study {wildcards.study}"
        " --output {output.executed} --log {log}"
