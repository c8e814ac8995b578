"""`compare` of campaigns that were measured here names a slowdown and nothing else, and says so to other programs."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from coldcache import __main__ as program

STUDY = """\
study: paced
title: Transfers at a given pace
question: Is a slowdown named, and nothing else?
repetitions: 4
notebooks: []

sweeps:
  transfers:
    title: Transfers of 64 KiB
    tools: [fio]
    operations: [random-write, random-read]
    seconds: 0.3 s
    factors:
      threads: [1, 2]
      transfer_size: [64 KiB]
      file_size: [4 MiB]
      direct_io: [where-possible]
"""

#: fio, held to a pace so that what else this machine does has no part in it; slower in one case of one campaign.
PACED = """\
#!/bin/sh
case "$*" in
*--version*) exec {fio} "$@" ;;
*--numjobs=2*--rw=randread*) exec {fio} "$@" --rate_iops={pace} ;;
*) exec {fio} "$@" --rate_iops=100 ;;
esac
"""


#: The case that is slowed down.
NAMED = "paced/transfers operation=random-read,threads=2"


@pytest.fixture(scope="module")
def paced(tmp_path_factory):
    """A folder with two campaigns of which the second reads with two threads at 80 of 100 transfers a second."""
    folder = tmp_path_factory.mktemp("paced")
    (folder / "config/studies").mkdir(parents=True)
    (folder / "config/sites").mkdir()
    (folder / "config/studies/paced.yaml").write_text(STUDY)
    site = {"site": "here", "title": "Here", "targets": {"scratch": {"path": "scratch", "make": True}},
            "thresholds": {"shortest_run": "1 ms", "load_per_core": 1000000, "least_free": 0}}  # fmt: skip
    (folder / "config/sites/here.yaml").write_text(json.dumps(site))
    for campaign, pace in (("before", 100), ("after", 80)):
        fio = folder / "bin/fio"
        fio.parent.mkdir(exist_ok=True)
        fio.write_text(PACED.format(fio=shutil.which("fio"), pace=pace))
        fio.chmod(0o755)
        path = f"{fio.parent}:{Path(sys.executable).parent}:/usr/bin:/bin:/usr/sbin:/sbin"
        found = subprocess.run(
            [sys.executable, "-m", "coldcache", "measure", f"--campaign={campaign}", "--studies=paced", "--site=here",
             "--block=paced.transfers", f"--manifest=results/{campaign}/block.json"],
            cwd=folder, capture_output=True, text=True, timeout=120, check=False, env={**os.environ, "PATH": path},
        )  # fmt: skip
        assert found.returncode == 0, found.stderr
    return folder


@pytest.fixture
def compare(paced, tmp_path, monkeypatch, capsys):
    """Run `compare` in a copy of the folder, once it has been changed."""
    shutil.copytree(paced / "raw", tmp_path / "raw")
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        status = program.main(["compare", *arguments])
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def test_a_slowdown_by_a_fifth_is_named_and_nothing_else(compare):
    status, said, error = compare("before", "after", "--junit=ci/junit.xml", "--markdown=ci/summary.md")
    assert (status, error) == (1, "")
    lines = said.splitlines()
    assert "The campaigns state no difference, so no cause can be named." in lines
    assert lines[-1].startswith("after against before, 4 cases: 1 worse by more than 5 %, 0 better by more than 5 %, ")
    ratio = re.search(rf" Worse: {NAMED}: rate \d+ /s → \d+ /s, (\d\.\d+) \(", lines[-1])
    assert float(ratio[1]) == pytest.approx(0.8, rel=0.05)
    assert lines[-1].count(" → ") == 1
    summary = Path("ci/summary.md").read_text()
    assert summary.startswith("# Comparison of before and after\n\nafter against before, 4 cases: 1 worse by more than")
    suite = ElementTree.parse("ci/junit.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("4", "1", "0")
    (failed,) = [test for test in suite.iter("testcase") if test.find("failure") is not None]
    assert failed.get("name") == f"{NAMED} rate"


def test_the_other_way_round_it_is_better_and_no_failure(compare):
    status, said, _ = compare("after", "before")
    assert status == 0
    assert f" Better: {NAMED}: rate " in said


def test_beyond_a_threshold_of_thirty_per_cent_it_is_no_regression(compare):
    assert compare("before", "after", "--threshold=30")[0] == 0


def test_one_thing_that_differs_is_named_as_what_can_be_the_cause(compare):
    for path in Path("raw/after").rglob("trial.json"):
        story = json.loads(path.read_text())
        story["system"]["kernel"] = "9.9"
        path.write_text(json.dumps(story))
    said = compare("before", "after")[1]
    assert "Exactly one thing that the campaigns state differs: kernel (" in said
    assert " → 9.9). It can be the cause.\n" in said


def test_of_three_campaigns_two_are_held_against_the_first(compare):
    shutil.copytree("raw/before", "raw/again")
    status, said, _ = compare("before", "after", "again", "--markdown=summary.md")
    assert status == 1
    last = said.splitlines()[-1]
    assert last.startswith("again against before, 4 cases: 0 worse by more than 5 %, 0 better by more than 5 %, ")
    assert "## Worse of after\n" in Path("summary.md").read_text()


def test_a_case_whose_trials_are_all_void_is_a_regression(compare):
    shutil.copytree("raw/before", "raw/broken")
    for log in Path("raw/broken/paced/transfers/operation=random-write,threads=1").glob("*/stdout.txt"):
        log.write_bytes(log.read_bytes()[:100])
    status, said, _ = compare("before", "broken")
    assert status == 1
    assert "Lost, as no trial counts any more: paced/transfers operation=random-write,threads=1." in said


def test_the_page_of_a_comparison_waits_among_the_results_of_the_last_campaign(compare):
    compare("before", "after", "--page", "--markdown=summary.md")
    assert Path("results/after/comparison.md").read_text() == Path("summary.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["before"], "compare: before alone cannot be compared; name two campaigns or more"),
        (["before", "before"], "compare: before is named twice; a campaign cannot be compared with itself"),
        (["before", "aftr"], 'raw/aftr: there is no such campaign; did you mean "after"?'),
        (["before", "after", "--threshold=0"],
         "compare: a threshold of 0 % is out of range; state it as --threshold 5"),
        (["before", "after", "--metric=speed"],
         'compare: unknown metric "speed"; known are throughput, throughput_per_process, throughput_per_core, '
         "throughput_parent, rate, elapsed, latency"),
        (["before", "after", "--metric=throughput_parent"],
         "compare: none of the 4 cases that before and after share can be compared; the first is paced/transfers "
         "operation=random-read,threads=1: both state no throughput_parent"),
        (["before", "other"], "compare: before and other have no case in common (their studies: paced; other)"),
    ],
)  # fmt: skip
def test_what_cannot_be_compared_is_refused_in_one_line(compare, arguments, line):
    shutil.copytree("raw/before", "raw/other")
    Path("raw/other/paced").rename("raw/other/other")
    for path in Path("raw/other").rglob("*.json"):
        path.write_text(path.read_text().replace('"paced', '"other'))
    assert compare(*arguments) == (1, "", f"coldcache: {line}\n")
