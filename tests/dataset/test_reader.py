"""A dataset is read by sweep and by study, and what it does not have is refused by name."""

import pytest

from coldcache.core.errors import DatasetError
from coldcache.dataset.reader import (
    find_trials,
    list_sweeps,
    open_limits,
    open_records,
    open_rows,
    open_sweep,
    open_table,
)


def test_a_sweep_that_is_none_is_named(collected):
    path = collected()
    with pytest.raises(DatasetError, match="has no sweep tiny/transfer"):
        open_sweep(path, "tiny", "transfer")
    assert list_sweeps(path, "other") == []


def test_a_table_is_read_whole_or_by_study(collected):
    path = collected()
    assert open_table(path, "records", "tiny").equals(open_records(path))
    assert open_table(path, "records", "other").empty
    assert set(open_table(path, "verdicts").columns) >= {"study", "sweep", "case", "repetition", "verdict"}


def test_a_table_that_is_none_is_refused_with_the_remedy(collected):
    with pytest.raises(DatasetError, match="has no table nothing: collect the campaign again"):
        open_table(collected(), "nothing")


def test_ceilings_that_no_site_states_are_no_ceilings(collected):
    path = collected()
    assert open_limits(path, "tiny") == open_limits(path, "other") == {}


def test_the_rows_of_a_trial_are_found_and_read_alone(collected):
    path = collected()
    records, trials = open_records(path), find_trials(path)
    keys = records.study + "/" + records.sweep + "/" + records.case + "/r" + records.repetition.astype(str)
    assert list(trials) == list(keys.unique())
    assert sum(rows.stop - rows.start for rows in trials.values()) == len(records)
    for key, rows in trials.items():
        assert (keys[rows] == key).all()
        assert open_rows(path, rows, ("value", "log")).equals(records[["value", "log"]][rows])
    with pytest.raises(DatasetError, match="has no table records"):
        open_rows(path, slice(0, 1), ("nothing",))
