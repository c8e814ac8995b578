"""Selections are completed from outer ones, and values are paired by repetition."""

from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from coldcache.claims.select import (
    ResolvedSelection,
    fit_slopes,
    list_cells,
    list_empty_cells,
    log_of,
    pair,
    read_values,
    resolve_selection,
)
from coldcache.core.errors import NoData
from coldcache.design.claim_tests import Selection


def make_values(rates: dict[int, list[float]]) -> xr.DataArray:
    """Return rates by thread count and repetition."""
    return xr.DataArray(
        list(rates.values()), dims=("threads", "repetition"),
        coords={"threads": list(rates), "repetition": range(len(next(iter(rates.values()))))},
    )  # fmt: skip


def test_missing_keys_come_from_the_selections_before():
    outer = Selection(sweep="random", operation="random-read", levels={"threads": 1})
    found = resolve_selection("quick", outer, Selection(levels={"queue_depth": 8}))
    assert (found.study, found.sweep, found.operation, found.metric) == ("quick", "random", "random-read", "rate")
    assert found.levels == {"threads": 1, "queue_depth": 8}
    assert found.name == "random-read, threads 1, queue_depth 8"


def test_a_selection_without_a_sweep_has_no_data():
    with pytest.raises(NoData, match="the claim names no sweep"):
        resolve_selection("quick", Selection(operation="read"))


@pytest.mark.parametrize(
    ("over", "ratios", "trials"),
    [
        # Of both thread counts: the mean of the logarithms of 2 and 8.
        ("every", [4.0, 4.0], 8),
        ("most", [8.0, 8.0], 4),
    ],
)
def test_rates_are_paired_by_repetition(over, ratios, trials):
    above, below = make_values({1: [2.0, 2.0], 2: [4.0, 4.0]}), make_values({1: [1.0, 1.0], 2: [0.5, 0.5]})
    logs, used = pair(above, below, over)
    assert np.exp(logs) == pytest.approx(ratios)
    assert used == trials


@pytest.mark.parametrize("over", ["every", "most"])
def test_a_side_with_one_level_is_not_paired_with_all_levels_of_the_other(over):
    several, one = make_values({1: [2.0, 2.0], 2: [4.0, 4.0]}), make_values({2: [1.0, 1.0]}).squeeze("threads")
    for above, below in ((several, one), (one, several)):
        with pytest.raises(NoData, match="only one side has several levels of threads, so they have no pairs"):
            pair(above, below, over)


def test_a_round_that_lacks_a_case_is_not_taken_for_one_of_another_ratio():
    nan = np.nan
    above, below = make_values({1: [2.0, 2.2, 1.8], 2: [8.0, nan, 8.0]}), make_values({1: [1.0] * 3, 2: [1.0] * 3})
    logs, used = pair(above, below, "every")
    # The mean logarithm of the first case over the rounds is that of the geometric mean of its three ratios.
    first = np.log([2.0, 2.2, 1.8])
    expected = [(first[0] - first.mean()) / 2, first[1] - first.mean(), (first[2] - first.mean()) / 2]
    assert logs == pytest.approx(np.array(expected) + (first.mean() + np.log(8.0)) / 2)
    assert used == 10


def test_a_round_that_lacks_levels_has_the_slope_of_all_of_them_but_for_how_its_own_differ():
    # The line through all four levels rises by 0.525, the one through the first two by 1.
    x, bent = np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, 1.0, 1.0, 1.75])
    logs = np.stack([bent, bent, bent, bent], axis=1)
    assert fit_slopes(x, logs * [1, 2, 0, -1]) == pytest.approx([0.525, 1.05, 0.0, -0.525])
    logs[2:, 1], logs[2:, 2], logs[1:, 3] = np.nan, -np.inf, np.nan
    assert fit_slopes(x, logs) == pytest.approx([0.525, 0.525, 0.525, np.nan], nan_ok=True)
    # Its second level is 0.3 above that of two others: 0.2 above their mean, which is 0.1 higher.
    logs[1, 2] += 0.3
    of_means = 0.525 - 0.1 * 0.5 / 5
    assert fit_slopes(x, logs)[2] == pytest.approx(of_means + 0.2)


def test_rates_without_a_common_case_have_no_data():
    with pytest.raises(NoData, match="no case in common"):
        pair(make_values({1: [1.0]}), make_values({2: [1.0]}), "every")


def test_rates_that_no_round_has_both_of_have_no_data_at_the_most_threads():
    nan = np.nan
    with pytest.raises(NoData, match="no round has both at one number of threads"):
        pair(make_values({1: [1.0, nan], 2: [nan, 2.0]}), make_values({1: [nan, 1.0], 2: [2.0, nan]}), "most")


def test_a_value_that_is_not_positive_has_no_logarithm():
    assert np.isnan(log_of(make_values({1: [0.0, -1.0]}))).all()


def test_cells_are_named_by_their_levels_and_empty_ones_left_out():
    cells = list_cells(make_values({1: [1.0, np.nan], 2: [np.nan, np.nan]}))
    assert [name for name, _ in cells] == [", threads 1"]
    assert cells[0][1] == pytest.approx([1.0, np.nan], nan_ok=True)


@pytest.mark.parametrize(
    ("threads", "reason"),
    [
        (1, "pixstor-nvme/sequential with write, threads 1 stayed in memory, which decides claims about caches only"),
        (1024, "the site pixstor-testbed is described for plans only"),
    ],
)
def test_only_a_selection_that_stayed_in_memory_is_said_to(made_records, make_context, threads, reason):
    records = made_records[(made_records.study == "pixstor-nvme") & (made_records.sweep == "sequential")].copy()
    records["reached"] = np.where(records.threads == 1, "memory", "storage")
    records.loc[records.threads == 1024, ["verdict", "codes"]] = ["void", "exit-status"]
    chosen = resolve_selection(
        "pixstor-nvme", Selection(sweep="sequential", operation="write", levels={"threads": threads})
    )
    with pytest.raises(NoData, match=f"^{reason}$"):
        read_values(make_context(records).without_memory(), chosen)


def make_shared_context(cube):
    """Return a context with one cube."""
    return SimpleNamespace(cube=lambda *_: cube, why_empty=lambda *_: None, leaves_memory_out=False)


def read_shared(cube, operation, metric, **levels):
    """Return the values of a selection of a cube."""
    return read_values(
        make_shared_context(cube), ResolvedSelection("anf-nfs", "rsize-wsize", operation, metric, levels)
    )


@pytest.mark.parametrize(
    ("operation", "metric"),
    [("write", "throughput"), ("read", "throughput"), ("read", "elapsed"), ("rpc-write", "count")],
)
def test_values_of_trials_of_one_operation_have_no_further_dim(shared_calls, operation, metric):
    values = read_shared(shared_calls, operation, metric)
    assert values.dims == ("io_size", "repetition")
    assert int(values.notnull().sum()) == 15
    assert values.attrs["units"] == shared_calls[metric].attrs["units"]


def test_calls_of_trials_of_several_operations_are_values_of_each(shared_calls):
    values = read_shared(shared_calls, "rpc-access", "count", io_size=65536)
    assert values.dims == ("operations", "repetition")
    assert values.sel(operations="write").values.tolist() == [5.0] * 5
    assert values.sel(operations="read").values.tolist() == [7.0] * 5
    with pytest.raises(NoData, match="no trial of anf-nfs/rsize-wsize with rpc-access counts"):
        read_shared(shared_calls, "rpc-access", "throughput")


def test_an_empty_cell_of_trials_of_one_operation_is_named_by_its_levels(shared_calls):
    context = make_shared_context(shared_calls)
    chosen = ResolvedSelection("anf-nfs", "rsize-wsize", "write", "throughput", {})
    values = read_values(context, chosen)
    assert list_empty_cells(context, chosen, values) == []
    missing = values.where(values.io_size != 65536)
    assert list_empty_cells(context, chosen, missing) == [", io size 64 KiB"]


def test_a_call_that_a_trial_did_not_make_is_zero_at_its_own_operation(shared_calls):
    made = shared_calls["count"]
    cube = shared_calls.assign(count=made.where((made.operation != "rpc-access") | (made.io_size != 65536)))
    values = read_shared(cube, "rpc-access", "count", io_size=65536)
    # The writes of that size counted other calls, and the reads none.
    assert values.sel(operations="write").values.tolist() == [0.0] * 5
    assert bool(values.sel(operations="read").isnull().all())
