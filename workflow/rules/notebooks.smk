rule execute_notebook:
    """Answer one question from the campaign's dataset."""
    input:
        notebook="notebooks/{notebook}.ipynb",
        dataset="results/{campaign}/dataset.nc",
        code=contents.code,
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
