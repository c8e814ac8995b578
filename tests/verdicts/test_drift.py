"""A case that is repeated between all others shows how a system drifts."""

import csv
import json
import re
import subprocess
from pathlib import Path

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.trials import collect_trials
from coldcache.verdicts.drift import Drift, Moment

SITE = Path("config/sites/here.yaml")
STUDY = Path("config/studies/tiny.yaml")
RAW = Path("raw/tiny")
SENTINEL = """
  probe:
    title: A sentinel
    tools: [fio]
    operations: [write]
    seconds: 50 ms
    factors: {threads: [1], transfer_size: [64 KiB], file_size: [4 MiB]}
"""


@pytest.fixture
def watched(project, change):
    """The tiny study with a sentinel before, between and after its other trials."""
    text = STUDY.read_text().partition("  cache:\n")[0]
    STUDY.write_text(
        text.replace(
            "sweeps:\n", "sentinel: {sweep: probe, every: 3, repeats: 0}\nsweeps:\n" + SENTINEL.lstrip("\n"), 1
        )
    )


def test_the_sentinel_was_off_on_both_sides_of_what_is_doubted():
    drift = Drift([Moment("3", 100.0), Moment("1", 100.0), Moment("5", 60.0), Moment("7", 50.0), Moment("9", 100.0)])
    assert drift.median == 100
    found = {start: drift.around(start) for start in ("0", "2", "4", "5", "6", "8", "9")}
    assert found == {"0": 0, "2": 0, "4": 0, "5": -0.4, "6": -0.4, "8": 0, "9": 0}
    assert Drift([]).around("1") is None


def test_the_sentinel_begins_each_part_runs_in_between_and_ends_the_last_round(watched, coldcache):
    found = coldcache("plan", "--study=tiny", "--site=here", "--format=jsonl")
    assert found.returncode == 0, found.stderr
    trials = [json.loads(line) for line in found.stdout.splitlines()]
    marks = ["S" if trial["sweep"] == "probe" else "." for trial in trials]
    # A round has four transfers and three operations on files, in either order.
    assert re.fullmatch(r"(S\.\.\.S\.S\.\.\.|S\.\.\.S\.\.\.S\.){2}S", "".join(marks))
    assert [trial["repetition"] for trial in trials if trial["sweep"] == "probe"] == list(range(7))


def test_a_sentinel_is_one_case_of_a_sweep_that_is_there(watched, refuses, change):
    change(STUDY, "sweep: probe", "sweep: prob")
    line = f'{STUDY}, line 7, sentinel.sweep: unknown sweep "prob"; did you mean "probe"?'
    refuses(line, "plan", "--study=tiny", "--site=here")
    change(STUDY, "sweep: prob,", "sweep: transfers,")
    line = f"{STUDY}, line 7, sentinel.sweep: transfers has 4 cases; give each of its factors and operations one level"
    refuses(line, "plan", "--study=tiny", "--site=here")


@pytest.mark.slow
def test_what_ran_while_the_sentinel_was_off_is_suspect(watched, coldcache, measure_arguments, change):
    change(SITE, "fill_drift: 1", "fill_drift: 1\n  drift: 1000")
    found = coldcache(*measure_arguments("rounds-1-to-2"))
    assert found.returncode == 0, found.stderr
    campaign = read_campaign(RAW)
    order = [trial.key for block in campaign.blocks() for trial in block.trials]
    judged = {trial.key: trial.judgement for trial in collect_trials(campaign)}
    assert sorted(judged) == sorted(order)
    assert not [key for key, one in judged.items() if "drift" in one.codes]

    # The log of the second and third sentinel states half the rate, in half of which it is off.
    (RAW / "campaign.json").write_text((RAW / "campaign.json").read_text().replace('"drift": 1000.0', '"drift": 0.9'))
    for key in order:
        if "probe" in key:
            path = RAW / key / "stdout.txt"
            log = json.loads(path.read_text())
            write = log["jobs"][0]["write"]
            scale = 1 if key.endswith(("r1", "r2")) else 100
            write["runtime"] = 128 * scale
            write["io_bytes"], write["total_ios"] = 4 * 2**20, 64
            write["bw_bytes"] = int(4 * 2**20 / (scale * 0.128))
            write["bw"], write["iops"] = write["bw_bytes"] // 1024, 64 / (scale * 0.128)
            path.write_text(json.dumps(log, indent=2))
    judged = {trial.key: trial.judgement for trial in collect_trials(read_campaign(RAW))}
    doubted = [key for key in order if "drift" in judged[key].codes]
    first, third = order.index("tiny/probe/only/r1"), order.index("tiny/probe/only/r2")
    assert doubted == order[first : third + 1]
    (reason,) = (text for text in judged[doubted[1]].reasons if "sentinel" in text)
    assert reason == "the sentinel was +9,900 % off its median around that time"

    subprocess.run(["python", "-m", "coldcache", "collect", "--campaign=tiny", "--results=results/tiny"], check=True)
    with Path("results/tiny/drift.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["drift"]) for row in rows] == [0, 99, 99, 0, 0, 0, 0]
    assert {row["unit"] for row in rows} == {"B/s"}
