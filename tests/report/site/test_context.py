"""A report without an executed notebook is refused in one line."""

from pathlib import Path


def test_a_notebook_that_was_not_executed_is_named_in_one_line(coldcache, root):
    Path("raw").symlink_to(root / "raw")
    found = coldcache("report", "--campaign=reference", "--results=results/none", "--log=logs/report.log")
    assert (found.stdout, found.returncode) == ("", 1)
    assert found.stderr == (
        "coldcache: results/none/notebooks/quick/throughput-over-threads.ipynb is missing: "
        "the notebook has not been executed; run snakemake\n"
    )
