"""What Snakemake runs: the inputs of its rules and the subcommands."""
