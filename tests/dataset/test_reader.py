"""A dataset is read by sweep and by study, and what it does not have is refused by name."""

import numpy as np
import pytest
import xarray as xr

from coldcache.core.errors import DatasetError
from coldcache.dataset.reader import (
    find_trials,
    list_sweeps,
    measure_rounds_of_sweeps,
    narrow_to,
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


def sweep(logs, operations, repetitions=None):
    """Return a metric of a sweep with one case: the rates whose logarithms are given, by operation and round."""
    rounds = range(np.shape(logs)[1]) if repetitions is None else repetitions
    coords = {"operation": operations, "threads": [64], "repetition": rounds}
    return xr.DataArray(np.exp(logs)[:, None], dims=("operation", "threads", "repetition"), coords=coords)


def test_a_drift_that_two_sweeps_share_is_no_correlation_of_their_cases():
    random = np.random.default_rng(5)
    drift = np.cumsum(random.normal(0, 0.3, 20))
    own = random.normal(0, 0.03, (2, 3, 20))
    files, directories = (
        sweep(drift + of_sweep, [f"{kind}-{phase}" for phase in ("create", "stat", "remove")])
        for kind, of_sweep in zip(("file", "directory"), own, strict=True)
    )
    # Alone each has one case, which cannot tell a drift from what it resembles itself.
    assert measure_rounds_of_sweeps(files).of_logarithms > 0.7 < measure_rounds_of_sweeps(directories).of_logarithms
    assert measure_rounds_of_sweeps(files, directories).of_logarithms == 0


def test_a_drift_is_told_from_chance_by_six_figures_of_a_round_or_more():
    random = np.random.default_rng(4)
    drift = np.cumsum(random.normal(0, 0.3, 20))
    pairs = [
        [sweep(drift + random.normal(0, 0.03, (count, 20)), list("abc")[:count]) for _ in range(2)] for count in (2, 3)
    ]
    few, enough = (measure_rounds_of_sweeps(*pair) for pair in pairs)
    alone = [measure_rounds_of_sweeps(one) for one in pairs[0]]
    assert few == max(alone, key=lambda rounds: rounds.of_logarithms) and few.of_logarithms > 0.5
    assert enough.of_logarithms == 0


def test_sweeps_are_compared_round_by_round_whatever_they_lack():
    logs = np.random.default_rng(2).normal(0, 0.1, (3, 12))
    whole = sweep(logs, ["a", "b", "c"])
    others = sweep(logs[:2, 3:], ["x", "y"], range(3, 12))
    padded = sweep(np.vstack([logs[:2], np.full((1, 12), np.nan)]), ["x", "y", "z"])
    padded[:, :, :3] = np.nan
    assert measure_rounds_of_sweeps(whole, others) == measure_rounds_of_sweeps(whole, padded)


def test_what_a_cube_tells_of_a_rate_is_without_operations_that_other_trials_share(shared_calls):
    narrow = narrow_to(shared_calls, "throughput")
    assert narrow.case.dims == narrow.elapsed.dims == narrow.throughput.dims == ("operation", "io_size", "repetition")
    assert narrow.operation.values.tolist() == ["read", "rpc-write", "write"]
    assert narrow.throughput.equals(shared_calls.throughput.sel(operation=narrow.operation))
    for operation in ("write", "read"):
        own = shared_calls.sel(operation=operation, operations=operation, drop=True)
        assert narrow.sel(operation=operation, drop=True).identical(own)


def test_what_a_cube_tells_of_calls_that_several_trials_made_keeps_all_of_them(shared_calls):
    assert narrow_to(shared_calls, "count") is shared_calls
    assert narrow_to(shared_calls, "elapsed") is shared_calls
    own = narrow_to(shared_calls.sel(operation=["rpc-write"]), "count")
    assert own["count"].dims == ("operation", "io_size", "repetition")
    assert own["count"].values.tolist() == [[[3072.0] * 5, [768.0] * 5, [192.0] * 5]]


def test_a_cube_whose_operations_nothing_shares_is_what_it_tells(invent):
    cube = open_sweep(invent("anf-nfs", "rsize-wsize"), "anf-nfs", "rsize-wsize")
    assert narrow_to(cube, "throughput") is cube
