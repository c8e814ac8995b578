"""Jobs that an earlier start left in Slurm's queue are those of this campaign and this clone alone."""

import os
from pathlib import Path

import pytest

from coldcache.measure.cluster.leftover_runners import list_jobs

#: Numbers of jobs, the folders where they were submitted, and the comments that Snakemake's executor gives them.
QUEUE = """\
11|{here}|rule_measure_block_wildcards_nvme_quick.sequential
12|{here}|rule_measure_block_wildcards_nvme_2_quick.sequential
13|{here}|rule_measure_block_wildcards_nvme_tests_quick.random
14|/elsewhere|rule_measure_block_wildcards_nvme_quick.sequential
15|{here}|rule_execute_notebook_wildcards_nvme_quick_overview
16|{here}|rule_measure_block_wildcards_nvme_dell-lustre.write-cache-random.2
"""


@pytest.fixture
def queue(tmp_path, monkeypatch):
    """A Slurm whose queue holds jobs of several campaigns and clones, one of which is the working folder."""
    monkeypatch.chdir(tmp_path)
    program = tmp_path / "bin/squeue"
    program.parent.mkdir()
    # A user without a name has a number.
    asked = f'[ "$2" = --user={os.getuid()} ] || exit 1'
    program.write_text(f"#!/bin/sh\n{asked}\ncat <<'END'\n{QUEUE.format(here=Path.cwd())}END\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")


@pytest.mark.parametrize(
    ("campaign", "jobs"), [("nvme", ["11", "16"]), ("nvme_2", ["12"]), ("nvme_tests", ["13"]), ("vme", [])]
)
def test_a_campaign_has_its_own_jobs_alone(queue, campaign, jobs):
    assert list_jobs(campaign) == jobs


def test_without_slurm_there_are_none(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert list_jobs("nvme") == []
