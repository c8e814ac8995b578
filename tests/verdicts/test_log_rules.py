"""A log must state the levels, the time and the host of its own trial: checked on trials that were really run."""

import json
import os
import shutil
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from coldcache.campaign.trial_json import read_outcome
from coldcache.core.stamp import Stamp
from coldcache.tools import find_tool
from coldcache.verdicts.judge import judge
from coldcache.verdicts.log_rules import stale_log, wrong_level
from coldcache.verdicts.observation import Observation
from coldcache.verdicts.thresholds import Thresholds

SPECIMENS = Path(__file__).parents[1] / "specimens"
READ = Path("raw/tiny/tiny/transfers/operation=read,threads=2/r0")


def observe(folder, **altered):
    outcome, log = read_outcome(folder / "trial.json"), (folder / "stdout.txt").read_bytes()
    tool = find_tool(outcome.tool)
    return Observation(
        outcome._replace(**altered), tool.read(log), "", Thresholds(shortest_run=0.001), stamp=tool.read_stamp(log)
    )


@pytest.fixture
def trial(measured):
    return observe(READ)


@pytest.mark.parametrize("operation", ["file-create", "file-remove"])
def test_fio_that_was_run_with_other_numbers_of_files_is_refused(measured, operation):
    trial = observe(next(Path("raw/tiny/tiny/files").glob(f"operation={operation}*/r0")))
    planned = trial.outcome.factors["files"]
    assert wrong_level(trial) is None
    fewer = trial.outcome._replace(factors={**trial.outcome.factors, "files": planned + 1})
    assert wrong_level(trial._replace(outcome=fewer)) == (
        f"files was planned as {planned + 1}, the log states {planned}"
    )


@pytest.mark.parametrize(
    ("factor", "level", "why"),
    [
        ("threads", 1, "threads was planned as 1, the log states 2"),
        ("transfer_size", 4096, "transfer_size was planned as 4096, the log states 65536"),
        ("file_size", 2**20, "file_size was planned as 1048576, the log states 16777216"),
        ("queue_depth", 8, "queue_depth was planned as 8, the log states 1"),
    ],
)
def test_a_log_of_another_level_is_refused_with_both_levels(trial, factor, level, why):
    assert wrong_level(trial) is None
    planned = {**trial.outcome.factors, factor: level}
    assert wrong_level(trial._replace(outcome=trial.outcome._replace(factors=planned))) == why


def test_mdtest_that_wrote_other_bodies_than_planned_is_refused(trial):
    records = find_tool("mdtest").read((SPECIMENS / "mdtest-400-fsx.txt").read_bytes())
    found = trial._replace(records=records, outcome=trial.outcome._replace(factors={"file_body": 4096}))
    assert wrong_level(found) == "file_body was planned as 4096, the log states 0"
    assert wrong_level(found._replace(outcome=trial.outcome._replace(factors={"file_body": 0}))) is None


def test_a_factor_that_the_log_does_not_state_is_not_compared(trial):
    planned = {**trial.outcome.factors, "stripe_count": 4}
    assert wrong_level(trial._replace(outcome=trial.outcome._replace(factors=planned))) is None


def test_the_threads_of_one_node_are_not_those_of_the_trial(trial):
    log = (SPECIMENS / "fio-3.33-same-clients.json").read_bytes()
    records = [record for record in find_tool("fio").read(log) if "threads" in record.factors]
    # Each client states its own threads, the total those of both.
    assert {record.factors["threads"] for record in records} == {2, 4}
    planned = {"threads": 4, "transfer_size": 65536}
    found = trial._replace(records=records, outcome=trial.outcome._replace(factors=planned))
    assert wrong_level(found) is None
    planned = {"threads": 6, "transfer_size": 65536}
    said = wrong_level(found._replace(outcome=trial.outcome._replace(factors=planned)))
    assert said == "threads was planned as 6, the log states 4"
    planned = {"threads": 4, "transfer_size": 4096}
    assert wrong_level(found._replace(outcome=trial.outcome._replace(factors=planned))).startswith("transfer_size was")


def test_the_threads_of_several_clients_are_not_those_of_the_trial(trial):
    one = trial.records[0]
    planned = trial.outcome._replace(factors={"threads": 8})
    of_each, of_all = (one._replace(factors=factors) for factors in ({"threads": 2, "clients": 4}, {"threads": 2}))
    assert wrong_level(trial._replace(records=[of_each], outcome=planned)) is None
    assert wrong_level(trial._replace(records=[of_all], outcome=planned)).endswith("planned as 8, the log states 2")


@pytest.mark.parametrize(("hours", "is_stale"), [(0, False), (1, True), (-1, True)])
def test_a_log_that_was_written_at_another_time_is_refused(trial, hours, is_stale):
    end = trial.stamp.end + timedelta(hours=hours)
    found = stale_log(trial._replace(stamp=Stamp(end=end)))
    began = datetime.fromisoformat(trial.outcome.start)
    words = f"the log was written at {end:%Y-%m-%d %H:%M:%S} UTC, the trial began at {began:%Y-%m-%d %H:%M:%S}"
    assert found == (words if is_stale else None)


@pytest.mark.parametrize(("offset", "is_stale"), [(7200.0, False), (0.0, True), (None, False)])
def test_local_times_are_compared_where_the_offset_is_known(trial, offset, is_stale):
    began = datetime.fromisoformat(trial.outcome.start)
    local = (began + timedelta(hours=2)).replace(microsecond=0, tzinfo=None)
    changed = trial._replace(outcome=trial.outcome._replace(utc_offset=offset), stamp=Stamp(begin=local))
    assert (stale_log(changed) is not None) == is_stale


def test_a_log_of_another_host_is_refused_and_a_node_of_the_run_is_not(trial):
    own = trial.outcome.system["host"]
    assert stale_log(trial._replace(stamp=Stamp(host=f"{own}.example"))) is None
    assert stale_log(trial._replace(stamp=Stamp(host="elsewhere"))) == (
        f"the log was written on elsewhere, the trial ran on {own}"
    )
    launched = trial.outcome._replace(launch={"nodes": {"elsewhere": {}}})
    assert stale_log(trial._replace(outcome=launched, stamp=Stamp(host="elsewhere"))) is None


def test_a_clock_that_was_set_back_swaps_start_and_end(trial):
    start, end = trial.outcome.end, trial.outcome.start
    assert stale_log(trial._replace(outcome=trial.outcome._replace(start=start, end=end))) is None


def test_every_stamp_of_the_reference_campaign_lies_within_its_trial(root):
    stamped = stale = 0
    for path in (root / "raw/reference").rglob("trial.json"):
        # The campaign was measured where local time is UTC.
        outcome = read_outcome(path)._replace(utc_offset=0.0)
        if outcome.start and (path.parent / "stdout.txt").exists():
            stamp = find_tool(outcome.tool).read_stamp((path.parent / "stdout.txt").read_bytes())
            stamped += stamp != Stamp()
            stale += stale_log(Observation(outcome, [], "", Thresholds(), stamp=stamp)) is not None
    assert (stamped > 500, stale) == (True, 0)


@pytest.mark.slow
def test_options_that_change_a_level_make_every_trial_void(project, coldcache, measure_arguments, change):
    change(
        Path("config/studies/tiny.yaml"), "    title: Transfers of 64 KiB\n",
        '    title: Transfers of 64 KiB\n    options: {fio: ["--numjobs=3", "--bs=4k"]}\n',
    )  # fmt: skip
    assert coldcache(*measure_arguments("tiny.transfers")).returncode == 0
    trials = [path.parent for path in Path("raw/tiny").rglob("trial.json")]
    assert len(trials) == 8
    for folder in trials:
        judgement = judge(observe(folder))
        assert (judgement.verdict, judgement.codes[0]) == ("void", "wrong-level")


@pytest.mark.slow
def test_a_replayed_log_makes_its_trial_void(project, coldcache, measure_arguments, measured, monkeypatch):
    """A program called fio prints the log of an earlier run of the same command and moves nothing."""
    monkeypatch.chdir(project)
    real = shutil.which("fio")
    (project / "bin").mkdir()
    (project / "bin/fio").write_text(
        f'#!/bin/sh\ncase "$*" in --version) exec {real} --version ;; esac\n'
        f'key=$(printf %s "$*" | sed "s#directory=[^ ]*##; s#[^ ]*scratch[^ ]*##g" | cksum | cut -d" " -f1)\n'
        f'cat "{project}/kept/$key"\n'
    )
    (project / "bin/fio").chmod(0o755)
    (project / "kept").mkdir()
    for path in (measured / "raw/tiny/tiny/transfers").rglob("trial.json"):
        words = " ".join(json.loads(path.read_text())["argv"][1:])
        key = os.popen(
            f"printf %s '{words}' | sed 's#directory=[^ ]*##; s#[^ ]*scratch[^ ]*##g' | cksum | cut -d' ' -f1"
        ).read()
        shutil.copy(path.parent / "stdout.txt", project / "kept" / key.strip())
    monkeypatch.setenv("PATH", f"{project / 'bin'}{os.pathsep}{os.environ['PATH']}")
    found = coldcache(*measure_arguments("tiny.transfers"), env=dict(os.environ))
    assert found.returncode == 0, found.stderr
    trials = [path.parent for path in Path("raw/tiny").rglob("trial.json")]
    assert len(trials) == 8
    for folder in trials:
        assert (folder / "stdout.txt").stat().st_size > 1000
        judgement = judge(observe(folder))
        assert (judgement.verdict, judgement.codes[0]) == ("void", "stale-log"), judgement
