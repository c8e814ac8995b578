rule collect_records:
    """Read and judge every log of the campaign. Never measures."""
    input:
        evidence=contents.evidence,
        code=contents.code,
    output:
        dataset="results/{campaign}/dataset.nc",
        verdicts="results/{campaign}/verdicts.csv",
        reasons="results/{campaign}/reasons.csv",
        proofs="results/{campaign}/cold.csv",
        settings="results/{campaign}/settings.csv",
        coverage="results/{campaign}/coverage.csv",
    log:
        "logs/{campaign}/collect.log",
    localrule: True
    conda:
        "../../environment.yml"
    shell:
        "python -m coldcache collect --campaign {wildcards.campaign} --results results/{wildcards.campaign}"
        " 2> >(tee {log} >&2)"
