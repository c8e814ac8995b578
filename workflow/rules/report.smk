rule render_report:
    """Render the executed notebooks as a site that opens from the disk."""
    input:
        notebooks=inputs.notebooks,
        verdicts="results/{campaign}/verdicts.csv",
        coverage="results/{campaign}/coverage.csv",
        claims="results/{campaign}/claims.csv",
        dataset="results/{campaign}/dataset.nc",
        # The report shows it, and sealing a campaign leaves the other inputs as they are.
        seal=inputs.seal,
        templates=inputs.templates,
        published=inputs.published,
    output:
        # Not the first page: Snakemake deletes outputs before the rule runs, and a failed rendering would lose it.
        summary=report(
            "results/{campaign}/report/summary.html",
            caption="../report/captions/summary.rst",
            category="Findings",
            labels={"campaign": "{campaign}", "what": "findings and figures"},
        ),
    log:
        "logs/{campaign}/report.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        shown=inputs.shown,
        code=inputs.code_of_report,
    shell:
        "python -m coldcache report --campaign {wildcards.campaign} --results results/{wildcards.campaign} --log {log}"
