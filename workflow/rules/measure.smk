rule measure_block:
    """Run the missing trials of one block. Raw logs are not outputs: Snakemake would delete them after a failure."""
    input:
        inputs.earlier_jobs,
    output:
        manifest="results/{campaign}/blocks/{block}.json",
    log:
        "logs/{campaign}/measure/{block}.log",
    conda:
        "../../environment.yml"
    threads: inputs.cores
    resources:
        target=1,
        nodes=inputs.node_count,
        tasks=inputs.node_count,
        runtime=inputs.time_limit,
    params:
        design=inputs.arguments,
        planned=inputs.planned_trials,
    shell:
        "python -m coldcache measure {params.design} --block {wildcards.block}"
        " --manifest {output.manifest} --log {log}"
