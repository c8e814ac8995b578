"""Cold Cache: from a study's design to a rendered report. See README.md for what to run."""

from snakemake.utils import min_version

from coldcache.workflow import fork_server
from coldcache.workflow.inputs import read_inputs

min_version("9.0")

# One block at a time, however many cores or jobs there are: two on one target would disturb each other.
workflow.register_resource("target", 1)


configfile: "config/config.yaml"


inputs = read_inputs(config, in_job=not workflow.is_main_process)


wildcard_constraints:
    campaign=r"[A-Za-z0-9_-]+",
    study=r"[a-z0-9-]+",
    block=r"[a-z0-9.-]+",
    notebook=r"[a-z0-9-]+",


onstart:
    fork_server.start()
    shell("python -m coldcache wait {inputs.campaign}")


rule all:
    """Render the campaign's report."""
    input:
        f"results/{inputs.campaign}/report/summary.html",


include: "workflow/rules/measure.smk"
include: "workflow/rules/collect.smk"
include: "workflow/rules/notebooks.smk"
include: "workflow/rules/report.smk"


rule measure_all:
    """Measure every trial of the campaign, without a report."""
    input:
        inputs.evidence,
