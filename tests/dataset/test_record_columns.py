"""Columns that were gathered in parts are those that were gathered at once, with the same types."""

import time

import pandas as pd
import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.trials import collect_trials
from coldcache.core.vocabulary import LEARNT_FACTORS
from coldcache.dataset.record_columns import RecordColumns


@pytest.fixture(scope="module")
def trials(root):
    return list(collect_trials(read_campaign(root / "raw/reference")))[:40]


def gather(trials) -> RecordColumns:
    columns = RecordColumns()
    for trial in trials:
        columns.add(trial)
    return columns


def test_parts_make_the_same_table(trials):
    whole, first = gather(trials).build(), gather(trials[:13])
    first.extend(gather(trials[13:14]))
    first.extend(gather(trials[14:]))
    pd.testing.assert_frame_equal(first.build(), whole)
    assert whole.dtypes[["value", "offset", "time"]].tolist() == ["float64", "int64", "float64"]
    assert (whole.offset >= 0).sum() == sum(len(trial.records) for trial in trials)


@pytest.mark.parametrize("at", [0, 5, 39])
def test_a_factor_that_one_trial_states_is_missing_in_all_others(trials, at):
    factor = next(iter(LEARNT_FACTORS))
    assert not any(factor in trial.outcome.factors for trial in trials)
    outcome = trials[at].outcome
    stated = trials[at]._replace(outcome=outcome._replace(factors={**outcome.factors, factor: "x"}))
    parts = gather(trials[:at])
    parts.extend(gather([stated]))
    parts.extend(gather(trials[at + 1 :]))
    table = parts.build()
    assert table[factor].notna().sum() == len(stated.records)
    assert table[table[factor].notna()].case.unique().tolist() == [stated.outcome.case]


def test_the_time_grows_with_the_trials_and_no_faster(trials):
    def cost(count):
        few = [trials[number % len(trials)]._replace(records=[], series=[]) for number in range(count)]
        began = time.process_time()
        gather(few)
        return time.process_time() - began

    assert min(cost(16_000) for _ in range(2)) / min(cost(2000) for _ in range(3)) < 20


def test_no_trials_make_an_empty_table():
    assert len(RecordColumns().build()) == 0
