rule measure_block:
    """Run the missing trials of one block. Raw logs are not outputs: Snakemake would delete them after a failure."""
    output:
        manifest="results/{campaign}/blocks/{block}.json",
    log:
        "logs/{campaign}/measure/{block}.log",
    conda:
        "../../environment.yml"
    threads: contents.cores
    resources:
        target=1,
        nodes=contents.node_count,
        tasks=contents.node_count,
        runtime=contents.time_limit,
    params:
        design=contents.arguments,
    shell:
        "python -m coldcache measure {params.design} --block {wildcards.block}"
        " --manifest {output.manifest} --log {log}"
