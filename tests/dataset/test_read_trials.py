"""However many processes read a campaign, its tables are the same, and no trial keeps its records."""

from pathlib import Path

import pandas as pd
import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.trials import collect_trials
from coldcache.core.errors import CampaignError
from coldcache.dataset import read_trials as module
from coldcache.dataset.read_trials import read_trials
from coldcache.dataset.tables import tabulate_records, tabulate_verdicts

RAW = Path("raw/tiny")


@pytest.mark.parametrize("few", [1, 5, 1000])
def test_processes_read_what_one_reads(measured, monkeypatch, few):
    monkeypatch.setattr(module, "_FEW", few)
    campaign = read_campaign(RAW)
    trials = list(collect_trials(campaign))
    found = read_trials(campaign)
    pd.testing.assert_frame_equal(found.columns.build(), tabulate_records(trials))
    pd.testing.assert_frame_equal(tabulate_verdicts(found.trials), tabulate_verdicts(trials))
    assert found.doubtful == set()


def test_only_trials_of_a_sentinel_keep_their_records(measured):
    found = read_trials(read_campaign(RAW))
    assert len(found.trials) == 18
    assert {bool(trial.records) for trial in found.trials} == {trial.outcome.sentinel for trial in found.trials}


def test_what_outcomes_have_in_common_is_in_memory_once(measured, monkeypatch):
    monkeypatch.setattr(module, "_FEW", 1)
    outcomes = [trial.outcome for trial in read_trials(read_campaign(RAW)).trials]
    for part in ("system", "argv", "factors"):
        found = [getattr(outcome, part) for outcome in outcomes]
        assert len({id(one) for one in found}) == len({repr(one) for one in found}) < len(found)


def test_a_process_that_cannot_read_a_trial_says_so(measured, monkeypatch):
    monkeypatch.setattr(module, "_FEW", 1)
    path = next(RAW.rglob("r0/trial.json"))
    path.write_text(path.read_text().replace('"tool": "fio"', '"tool": "fob"'))
    with pytest.raises(CampaignError, match='unknown tool "fob"'):
        read_trials(read_campaign(RAW))
