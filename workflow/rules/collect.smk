checkpoint collect_records:
    """Parse and judge every log of the campaign, never measuring. Only afterwards is it known which slices changed."""
    input:
        evidence=inputs.evidence,
        published=inputs.published,
    output:
        dataset="results/{campaign}/dataset.nc",
        verdicts=report(
            "results/{campaign}/verdicts.csv",
            caption="../report/captions/verdicts.rst",
            category="Validity",
            labels={"campaign": "{campaign}", "what": "verdict of each trial"},
        ),
        reasons=report(
            "results/{campaign}/reasons.csv",
            caption="../report/captions/reasons.rst",
            category="Validity",
            labels={"campaign": "{campaign}", "what": "why trials are not valid"},
        ),
        proofs=report(
            "results/{campaign}/cold.csv",
            caption="../report/captions/cold.rst",
            category="Validity",
            labels={"campaign": "{campaign}", "what": "proof of each cold read"},
        ),
        trials="results/{campaign}/trials.csv",
        records="results/{campaign}/records.csv",
        repetitions="results/{campaign}/repetitions.csv",
        drift="results/{campaign}/drift.csv",
        differences="results/{campaign}/differences.csv",
        hosts="results/{campaign}/hosts.csv",
        settings=report(
            "results/{campaign}/settings.csv",
            caption="../report/captions/settings.rst",
            category="Validity",
            labels={"campaign": "{campaign}", "what": "settings as read back"},
        ),
        coverage=report(
            "results/{campaign}/coverage.csv",
            caption="../report/captions/coverage.rst",
            category="Findings",
            labels={"campaign": "{campaign}", "what": "tables and figures of the documents"},
        ),
        digests=inputs.digests,
    log:
        "logs/{campaign}/collect.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        shown=inputs.shown,
        code=inputs.code_of_collect,
    shell:
        "python -m coldcache collect --campaign {wildcards.campaign} --results results/{wildcards.campaign}"
        " 2> >(tee {log} >&2)"


checkpoint judge_claims:
    """Test the claims of the sources against the campaign's dataset, and find contradictions within a source."""
    input:
        dataset="results/{campaign}/dataset.nc",
        claims=inputs.claims,
        published=inputs.published,
    output:
        claims=report(
            "results/{campaign}/claims.csv",
            caption="../report/captions/claims.rst",
            category="Findings",
            labels={"campaign": "{campaign}", "what": "claims of the documents"},
        ),
        statements="results/{campaign}/statements.csv",
        contradictions="results/{campaign}/contradictions.csv",
        digests=inputs.digests_of_claims,
    log:
        "logs/{campaign}/claims.log",
    # Notebooks wait for it.
    priority: 1
    localrule: True
    conda:
        "../../environment.yml"
    params:
        code=inputs.code_of_claims,
    shell:
        "python -m coldcache claims --campaign {wildcards.campaign} --results results/{wildcards.campaign}"
        " 2> >(tee {log} >&2)"
