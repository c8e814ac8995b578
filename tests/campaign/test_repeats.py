"""A round in which the sentinel drifted is measured once more at the end; the first measurement stays and is marked."""

import json
import os
import shutil
from pathlib import Path

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.progress import missing_trials
from coldcache.campaign.repeats import list_drifted
from coldcache.campaign.seal import seal
from coldcache.campaign.trials import collect_trials

RAW = Path("raw/tiny")

STUDY = """
study: tiny
title: A storage that changes its pace
question: Is a round measured again?
repetitions: 3
sentinel: {{sweep: probe, every: 10, repeats: {repeats}}}
sweeps:
  probe:{sweep}
  a:{sweep}
  b:{sweep}
"""

SWEEP = """
    title: Writes
    tool: command
    command: pace
    operations: [write]
    factors: {}
    patterns:
      rate: {operation: write, metric: throughput, unit: MB/s, regex: 'rate: ([0-9.]+)'}"""

#: Of the sentinel, the trials whose numbers are listed are slow.
PACE = """#!/bin/sh
case $PWD in */probe*) ;; *) echo 'rate: 80'; exit ;; esac
count=$(cat {folder}/count 2> {folder}/none || echo 0)
echo $((count + 1)) > {folder}/count
case " {slow} " in *" $count "*) echo 'rate: 50' ;; *) echo 'rate: 100' ;; esac
"""


@pytest.fixture
def measure(project, coldcache, monkeypatch):
    """Return a function that measures the study on a storage that is slow in some trials of the sentinel."""
    monkeypatch.setenv("PATH", f"{project}{os.pathsep}{os.environ['PATH']}")

    def run(slow, repeats=1, more=()):
        pace = project / "pace"
        pace.write_text(PACE.format(folder=project, slow=slow))
        pace.chmod(0o755)
        text = STUDY.format(sweep=SWEEP, repeats=repeats) + "".join(f"  {name}:{SWEEP}\n" for name in more)
        Path("config/studies/tiny.yaml").write_text(text)
        done = coldcache(
            "measure", "--campaign=tiny", "--studies=tiny", "--site=here", f"--block=rounds-1-to-{3 + repeats}",
            "--manifest=done.json",
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        campaign = read_campaign(RAW)
        assert missing_trials(campaign) == []
        return campaign

    return run


def numbers(sweep):
    return sorted(int(path.parent.name[1:]) for path in (RAW / "tiny" / sweep).rglob("trial.json"))


def test_a_round_around_which_the_sentinel_was_off_is_measured_again(measure):
    # Two parts in each of three rounds begin with it: 2 and 3 are those of the second round.
    campaign = measure("2 3")
    assert list_drifted(campaign, "tiny") == [1]
    assert (numbers("a"), numbers("b")) == ([0, 1, 2, 3], [0, 1, 2, 3])
    # Seven in the rounds that are always measured, two more at the parts of the repeated one and one at its end.
    assert numbers("probe") == list(range(10))
    marked = {trial.key for trial in collect_trials(campaign) if "drift" in trial.judgement.codes}
    between = campaign.watches["tiny"].stretches[2]
    assert {trial.key for trial in between} < marked
    assert not any(key.endswith("/r3") and "/probe/" not in key for key in marked)
    listed = json.loads(Path("done.json").read_text())["trials"]
    assert len(listed) == len(set(listed)) == 18
    assert seal(RAW) > 18


def test_a_start_after_it_measures_nothing_more(measure, coldcache):
    measure("2 3")
    before = {path: path.stat().st_mtime_ns for path in RAW.rglob("trial.json")}
    measure("2 3")
    assert {path: path.stat().st_mtime_ns for path in RAW.rglob("trial.json")} == before


@pytest.mark.parametrize("slow", ["", "2", "6"])
def test_a_single_trial_of_the_sentinel_that_is_off_repeats_nothing(measure, slow):
    campaign = measure(slow)
    assert list_drifted(campaign, "tiny") == []
    assert (numbers("a"), numbers("probe")) == ([0, 1, 2], list(range(7)))
    assert len(list(collect_trials(campaign))) == 13


def test_no_more_rounds_are_repeated_than_the_study_allows(measure):
    # The first two rounds are slow; the median of seven is that of the others.
    campaign = measure("0 1 2")
    assert list_drifted(campaign, "tiny") == [0]
    assert numbers("a") == [0, 1, 2, 3]


def test_a_sweep_that_is_added_changes_no_round_that_was_measured_again(measure):
    measure("2 3")
    before = {path: path.read_bytes() for path in RAW.rglob("trial.json")}
    # With a third part in each round, the same trials of the sentinel have other places in the plan.
    campaign = measure("2 3", more=["c"])
    assert list_drifted(campaign, "tiny") == [1]
    assert (numbers("a"), numbers("c")) == ([0, 1, 2, 3], [0, 1, 2, 3])
    assert {path: path.read_bytes() for path in before} == before


def test_a_round_is_measured_again_although_a_sweep_could_not_be_run(measure):
    campaign = measure("", more=["c"])
    for trial in (trial for block in campaign.blocks() if block.name == "tiny.c" for trial in block.trials):
        shutil.rmtree(RAW / trial.key, ignore_errors=True)
    assert list_drifted(campaign, "tiny") == []
    (RAW / "tiny/c/not-run.json").write_text('{"reason": "there is no such program"}')
    kept = [trial for trial in campaign.watches["tiny"].trials if (RAW / trial.key).is_dir()]
    for trial in kept[:2]:
        log = RAW / trial.key / "stdout.txt"
        log.write_text(log.read_text().replace("100", "50"))
    # One part of the first round lies between them.
    assert list_drifted(campaign, "tiny") == [0]
    asked = [key for key in missing_trials(campaign) if key.endswith("/only/r3") and "/probe/" not in key]
    assert sorted(asked) == ["tiny/a/only/r3", "tiny/b/only/r3", "tiny/c/only/r3"]
