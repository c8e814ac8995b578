"""Cold Cache: the workflow is in workflow/Snakefile, where Snakemake's catalogue looks for it."""


include: "workflow/Snakefile"


# Snakemake takes no default target from an include.
workflow.default_target = "all"
