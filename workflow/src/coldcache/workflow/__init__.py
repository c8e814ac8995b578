"""The inputs of the Snakemake rules, and the subcommands of the program."""
