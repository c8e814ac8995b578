"""Collecting reads and judges every log of a campaign, and refuses a sealed one that is no longer what was sealed."""

import json
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest

from coldcache.core.errors import CampaignError
from coldcache.dataset.collect import VERDICT_COLUMNS, collect
from coldcache.dataset.reader import open_records

RAW, RESULTS = Path("raw/tiny"), Path("results/tiny")
READ = "tiny/transfers/operation=read,threads=2/r0"
STAT = "tiny/files/operation=file-stat/r1"


def test_the_csv_files_tell_every_verdict_and_every_reason(measured):
    outcome = json.loads((RAW / READ / "trial.json").read_text())
    (RAW / READ / "trial.json").write_text(json.dumps({**outcome, "exit_status": 1}))
    shutil.rmtree(RAW / STAT)
    collect("tiny", RESULTS)
    verdicts = pd.read_csv(RESULTS / "verdicts.csv", keep_default_na=False)
    assert list(verdicts) == VERDICT_COLUMNS
    assert VERDICT_COLUMNS == ["study", "sweep", "case", "repetition", "verdict", "codes", "cold", "reached"]
    assert len(verdicts) == 18
    per_operation = pd.read_csv(RESULTS / "reached.csv", keep_default_na=False)
    keys = ["study", "sweep", "case", "repetition"]
    both = verdicts.merge(per_operation, on=keys, suffixes=("", "_of_operation"))
    # Each trial of these has one operation.
    assert len(both) == 17 and (both.reached == both.reached_of_operation).all()
    assert verdicts[verdicts.verdict == "missing"].reached.tolist() == ["unknown"]
    assert verdicts.verdict.value_counts().to_dict() == {"valid": 16, "void": 1, "missing": 1}
    reasons = pd.read_csv(RESULTS / "reasons.csv", keep_default_na=False)
    assert reasons[["sweep", "case", "repetition", "verdict", "codes", "reasons"]].values.tolist() == [
        ["files", "operation=file-stat", 1, "missing", "not-run", "not measured yet"],
        ["transfers", "operation=read,threads=2", 0, "void", "exit-status", "exit status 1"],
    ]


def test_collecting_twice_gives_the_same_tables_and_no_leftovers(measured):
    collect("tiny", RESULTS)
    first = open_records(RESULTS / "dataset.nc")
    collect("tiny", RESULTS)
    second = open_records(RESULTS / "dataset.nc")
    pd.testing.assert_frame_equal(first, second)
    assert sorted(path.name for path in RESULTS.iterdir()) == [
        "blocks", "cold.csv", "coverage.csv", "dataset.nc", "differences.csv", "digests", "drift.csv", "hosts.csv",
        "precondition.csv", "reached.csv", "reasons.csv", "records.csv", "rejudged.csv", "repetitions.csv",
        "settings.csv", "trials.csv", "verdicts.csv",
    ]  # fmt: skip


@pytest.mark.parametrize("sealed_change", ["changed", "added", "removed"])
def test_a_sealed_campaign_that_was_changed_is_not_collected(measured, sealed_change):
    subprocess.run(["python", "-m", "coldcache", "seal", "tiny"], check=True, capture_output=True)
    name = f"{READ}/stdout.txt"
    if sealed_change == "changed":
        (RAW / name).write_text((RAW / name).read_text().replace("1", "2", 1))
    elif sealed_change == "added":
        name = f"{READ}/zz.txt"
        (RAW / name).touch()
    else:
        (RAW / name).unlink()
    shutil.rmtree(RESULTS)
    with pytest.raises(CampaignError) as refused:
        collect("tiny", RESULTS)
    assert str(refused.value) == f"raw/tiny/{name}: {sealed_change} since the campaign was sealed"
    assert not RESULTS.exists()


def test_the_program_collects(measured):
    command = ["python", "-m", "coldcache", "collect", "--campaign=tiny", "--results=results/new"]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    assert (found.stdout, found.stderr) == ("", "")
    assert len(open_records(Path("results/new/dataset.nc"))) > 18 * 10
