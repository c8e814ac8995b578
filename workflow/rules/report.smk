rule render_report:
    """Render the executed notebooks as a site that opens from the disk."""
    input:
        notebooks=contents.notebooks,
        verdicts="results/{campaign}/verdicts.csv",
        dataset="results/{campaign}/dataset.nc",
        templates=contents.templates,
        code=contents.code,
    output:
        index="results/{campaign}/report/index.html",
    log:
        "logs/{campaign}/report.log",
    localrule: True
    conda:
        "../../environment.yml"
    shell:
        "python -m coldcache report --campaign {wildcards.campaign} --results results/{wildcards.campaign} --log {log}"
