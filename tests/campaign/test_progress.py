"""What is missing of a campaign, how often its cases are repeated, and why a sweep could not run."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.not_run import NOT_RUN, note_not_run, read_not_run
from coldcache.campaign.progress import count_repetitions, is_whole, missing_trials
from coldcache.core.errors import CampaignError


@pytest.fixture
def reference(root, monkeypatch):
    """The reference campaign, where it is."""
    monkeypatch.chdir(root)
    return read_campaign(Path("raw/reference"))


def test_nothing_is_missing_of_the_reference_campaign(reference):
    assert missing_trials(reference) == []
    assert is_whole(reference)


def test_a_trial_that_is_gone_is_missing(reference, root, tmp_path, monkeypatch):
    shutil.copytree(root / "raw/reference", tmp_path / "raw/reference")
    monkeypatch.chdir(tmp_path)
    shutil.rmtree("raw/reference/quick/sequential/operation=read,threads=2/r1")
    found = read_campaign(Path("raw/reference"))
    assert missing_trials(found) == ["quick/sequential/operation=read,threads=2/r1"]
    assert not is_whole(found)


def test_repetitions_are_those_of_planned_cases_and_of_imported_ones_only_without_a_plan(reference):
    assert count_repetitions(reference) == [1, 2, 3, 5, 8, 17]
    assert count_repetitions(replace(reference, studies=reference.foreign)) == [1, 2, 3, 4, 6]


def test_the_reason_of_a_sweep_that_cannot_run_is_kept_until_it_runs(reference, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = next(case for case in reference.cases() if case.sweep == "sequential")
    folder = reference.folder / case.study / case.sweep
    folder.mkdir(parents=True)
    assert read_not_run(reference.folder, case.study, case.sweep) is None
    note_not_run(reference, case, "fio: not installed")
    assert json.loads((folder / NOT_RUN).read_text()) == {"reason": "fio: not installed"}
    assert read_not_run(reference.folder, case.study, case.sweep) == "fio: not installed"
    note_not_run(reference, case, None)
    assert read_not_run(reference.folder, case.study, case.sweep) is None


@pytest.mark.parametrize("text", ["", "[]", '{"why": "x"}', "{"])
def test_a_reason_that_cannot_be_read_is_refused_with_the_remedy(tmp_path, text):
    (tmp_path / "s/w").mkdir(parents=True)
    (tmp_path / "s/w" / NOT_RUN).write_text(text)
    with pytest.raises(CampaignError, match=r"not-run.json: no reason can be read .*; remove it and measure again"):
        read_not_run(tmp_path, "s", "w")
