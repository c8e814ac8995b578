"""Intervals of samples and cells: exact values, missing repetitions, and what wrong use is told."""

import numpy as np
import pytest
import xarray as xr

from coldcache.statistics.bounds import order_bounds
from coldcache.statistics.dependence import Rounds
from coldcache.statistics.intervals import interval, interval_over, reached_level
from coldcache.statistics.widening import depth_of_order

SKEWED = [12.0, 11.0, 10.5, 19.0, 11.4, 11.9, 10.9, 12.7]


def test_the_median_of_five_lies_between_the_least_and_the_greatest():
    found = interval([3.0, 1.0, 2.0, 9.0, 4.0])
    assert (found.estimate, found.low, found.high, found.n) == (3.0, 1.0, 9.0, 5)
    assert (found.caveat, found.runs) == (None, ())


@pytest.mark.parametrize("count", [0, 2, 3, 4])
def test_fewer_than_five_values_are_listed_and_have_no_interval(count):
    values = [1.0, 2.0, 3.0, 4.0][:count]
    found = interval([*values, np.nan])
    assert np.isnan([found.low, found.high]).all()
    assert found.runs == tuple(values)
    assert found.caveat == f"no interval from {count} runs"


def test_an_interval_states_the_level_that_it_reaches():
    assert [interval(np.arange(1.0, n + 1)).level for n in (5, 6, 10)] == [15 / 16, 0.95, 0.95]
    assert [reached_level(n, 0.99) for n in (0, 5, 8)] == [0.99, 15 / 16, 0.99]


def test_repetitions_that_depend_on_each_other_have_a_wider_interval_about_the_same_estimate():
    alone, dependent = interval(SKEWED), interval(SKEWED, rounds=Rounds(0.6))
    assert dependent.estimate == alone.estimate
    assert dependent.low < alone.low < alone.high < dependent.high
    low, high = order_bounds(np.array([SKEWED]), depth_of_order(8, Rounds(0.6)))
    assert (dependent.low, dependent.high) == (low[0], high[0])


def test_what_moves_whole_rounds_narrows_the_interval():
    alone, drifting = interval(SKEWED), interval(SKEWED, rounds=Rounds(drift=1.2))
    assert alone.low < drifting.low <= drifting.estimate <= drifting.high < alone.high


def test_six_dependent_runs_of_two_modes_are_listed_with_the_reason():
    found = interval([1.0, 0.7, 0.71, 0.99, 1.01, 0.7], rounds=Rounds(0.8, 0.8, 0.0, True))
    assert np.isnan([found.low, found.high]).all()
    assert found.runs == (1.0, 0.7, 0.71, 0.99, 1.01, 0.7)
    assert found.caveat == "no interval: runs of two modes that resemble those before them need 10"


def test_cells_take_the_rounds_that_their_values_state():
    rate = xr.DataArray([SKEWED], dims=("threads", "repetition"), attrs={"rounds": Rounds(0.4)})
    found, expected = interval_over(rate), interval(SKEWED, rounds=Rounds(0.4))
    assert (float(found.low[0]), float(found.high[0])) == pytest.approx((expected.low, expected.high))
    assert found.attrs["rounds"] == Rounds(0.4)


def test_each_cell_gets_what_it_would_get_alone():
    rate = xr.DataArray(
        np.random.default_rng(3).lognormal(size=(4, 3, 6)), dims=("threads", "node", "repetition")
    ).transpose("repetition", "threads", "node")
    rate[4:, 1, 2] = np.nan
    cells = interval_over(rate)
    for threads in range(4):
        for node in range(3):
            alone = interval(rate[:, threads, node])
            cell = cells.isel(threads=threads, node=node)
            got = (cell.estimate, cell.low, cell.high, cell.n)
            assert [float(value) for value in got] == pytest.approx(list(alone[:4]), nan_ok=True)


def test_cells_without_enough_values_have_no_bounds():
    rate = xr.DataArray(
        [[np.nan] * 5, [5.0, *[np.nan] * 4], [5.0, 7.0, 6.0, 9.0, 8.0]],
        dims=("threads", "repetition"),
        coords={"threads": [1, 2, 4]},
        attrs={"units": "B/s"},
    )
    cells = interval_over(rate)
    assert cells.n.values.tolist() == [0, 1, 5]
    np.testing.assert_array_equal(cells.estimate.values, [np.nan, 5.0, 7.0])
    np.testing.assert_array_equal(cells.low.values, [np.nan, np.nan, 5.0])
    np.testing.assert_array_equal(cells.high.values, [np.nan, np.nan, 9.0])
    assert cells.low.attrs["units"] == "B/s"
    assert cells.threads.values.tolist() == [1, 2, 4]


def test_no_repetitions_at_all_give_no_values():
    cells = interval_over(xr.DataArray(np.empty((2, 0)), dims=("threads", "repetition")))
    assert cells.n.values.tolist() == [0, 0]
    assert np.isnan(cells.estimate.values).all()


def test_equal_values_have_an_interval_of_no_width():
    found = interval([2.0] * 5)
    assert (found.low, found.high) == pytest.approx((2.0, 2.0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: interval([1.0], level=95), "level 95 is not between 0 and 1: write 95 % as 0.95"),
        (lambda: interval_over(xr.DataArray([1.0], dims="x")), "interval_over: no dimension 'repetition' in ('x',)"),
    ],
)
def test_wrong_use_is_told_what_to_do(call, message):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
