"""A plan says whose time it guesses, and which trials the site ends before they are through."""

from pathlib import Path

import pytest

from coldcache.workflow.commands.plan import print_plan

SITE = """\
site: far
title: A cluster elsewhere
targets:
  shared: {path: /no/such/lustre, direct_io: true}
clients: {nodes: 4, cores: 8, memory: 64 GiB, launcher: srun, mpi: pmix}
limits: {bytes: 64 GiB, seconds: 20 s}
"""
STUDY = """\
study: own
title: Checkpoints
question: How fast are checkpoints?
repetitions: 6
sweeps:
  data:
    title: Checkpoints
    tools: [ior]
    operations: [write]
    factors: {threads: [4, 8], transfer_size: [1 MiB], file_size: [5 GiB]}
  names:
    title: Files
    tools: [mdtest]
    operations: [file-create]
    seconds: 15 s
    factors: {threads: [4], files: [1000]}
"""


@pytest.fixture
def plan(project, monkeypatch, capsys):
    """Return a function that plans a study on a cluster elsewhere and returns what it says of a trial's time."""
    monkeypatch.setenv("PATH", "/no/such/folder")

    def run(study=STUDY, more="", full=False):
        Path("config/studies/own.yaml").write_text(study)
        Path("config/sites/far.yaml").write_text(SITE + more)
        print_plan("own", "far", None, "text", full)
        return [line for line in capsys.readouterr().out.splitlines() if ": a trial " in line]

    return run


def test_a_trial_that_ends_by_its_work_has_no_known_time_without_an_expected_speed(plan):
    assert plan() == [
        "own.data, own.names: a trial is counted as 10 s to 15 s, however much it moves or makes, as "
        "config/sites/far.yaml states no speed: set expected there"
    ]
    assert plan(STUDY.partition("  names:")[0])[0].startswith("own.data: a trial is counted as 10 s, however much")


def test_what_takes_longer_than_the_site_allows_is_named_with_its_time(plan):
    # 20 GiB and 40 GiB at 1 GiB/s; 4,000 files are through in less than a second.
    assert plan(more="expected: {throughput: 1 GiB/s}\n") == [
        "own.data: a trial takes 20 s to 40 s at the expected speed, and is void after 20 s: raise limits.seconds in "
        "config/sites/far.yaml, or lower its sizes"
    ]
    assert plan(more="expected: {throughput: 4 GiB/s}\n") == []


@pytest.mark.parametrize("more", ["", "expected: {throughput: 1 GiB/s}\n"])
def test_nothing_is_said_at_full_scale_of_what_is_planned_only_or_of_what_ends_by_time(plan, more):
    assert plan(more=more, full=True) == []
    assert plan(more=f"{more}plan_only: true\n") == []
    timed = STUDY.partition("  names:")[0].replace("[ior]", "[fio]")
    assert plan(timed, more) == []


def test_many_sweeps_are_counted(plan):
    head, _, sweep = STUDY.partition("  names:")[0].partition("  data:\n")
    (line,) = plan(head + "".join(f"  data{number}:\n{sweep}" for number in range(5)))
    assert line.startswith("5 sweeps: a trial is counted as 10 s, however much")
