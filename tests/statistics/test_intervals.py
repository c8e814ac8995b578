"""Intervals of samples and cells: exact values, missing repetitions, and what wrong use is told."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from coldcache.statistics.bounds import order_bounds, reach_of_order
from coldcache.statistics.dependence import widening, widening_of_order
from coldcache.statistics.intervals import METHOD_OF_STATISTIC, interval, interval_over

SKEWED = [12.0, 11.0, 10.5, 19.0, 11.4, 11.9, 10.9, 12.7]


def test_the_median_of_five_lies_between_the_least_and_the_greatest():
    found = interval([3.0, 1.0, 2.0, 9.0, 4.0])
    assert (found.estimate, found.low, found.high, found.n, found.method) == (3.0, 1.0, 9.0, 5, "order")
    assert found.caveat is None


@pytest.mark.parametrize("count", [2, 3, 4])
def test_fewer_than_five_values_are_listed_and_have_no_interval(count):
    values = [1.0, 2.0, 3.0, 4.0][:count]
    found = interval([*values, np.nan])
    assert np.isnan([found.low, found.high]).all()
    assert found.runs == tuple(values)
    assert found.caveat == f"no interval from {count} values"


def test_an_interval_states_the_level_that_it_reaches():
    assert [interval(np.arange(1.0, n + 1)).level for n in (5, 6, 10)] == [15 / 16, 0.95, 0.95]
    assert interval(np.arange(1.0, 6.0), "mean").level == 0.95
    assert interval(np.arange(1.0, 6.0)).runs == ()


@pytest.mark.parametrize("statistic", METHOD_OF_STATISTIC)
def test_repetitions_that_depend_on_each_other_stretch_the_interval_about_its_estimate(statistic):
    alone, dependent = (interval(SKEWED, statistic, correlation=correlation) for correlation in (0.0, 0.6))
    nominal, factor = widening_of_order(8, 0.6, 0.95) if statistic == "median" else (0.95, widening(8, 0.6, 0.95))
    assert dependent.estimate == alone.estimate
    bounds = (min(SKEWED), max(SKEWED)) if nominal == reach_of_order(8) else (alone.low, alone.high)
    for found, bound in zip((dependent.low, dependent.high), bounds, strict=True):
        assert np.log(found / alone.estimate) == pytest.approx(factor * np.log(bound / alone.estimate))
    assert dependent.low < alone.low < alone.high < dependent.high


def test_cells_take_the_correlation_that_their_values_state():
    rate = xr.DataArray([SKEWED], dims=("threads", "repetition"), attrs={"correlation": 0.4})
    found, expected = interval_over(rate), interval(SKEWED, correlation=0.4)
    assert (float(found.low[0]), float(found.high[0])) == pytest.approx((expected.low, expected.high))
    assert found.attrs["correlation"] == 0.4


@pytest.mark.parametrize("n", [6, 7, 10, 15, 30])
def test_order_bounds_lie_between_those_of_the_exact_test(n):
    values = np.sort(np.random.default_rng(n).lognormal(size=n))
    low, high = (bound[0] for bound in order_bounds(values[None], 0.95))
    exact = stats.quantile_test(values, p=0.5).confidence_interval(0.95)
    assert exact.low <= low <= np.median(values) <= high <= exact.high


@pytest.mark.parametrize("statistic", ["mean", "geometric", "harmonic"])
def test_t_agrees_with_scipy_on_the_scale_of_the_mean(statistic):
    there, back = {
        "mean": (np.positive, np.positive),
        "geometric": (np.log, np.exp),
        "harmonic": (np.reciprocal, np.reciprocal),
    }[statistic]
    expected = sorted(back(np.array(stats.ttest_1samp(there(np.array(SKEWED)), 0).confidence_interval(0.95))))
    found = interval(SKEWED, statistic)
    assert (found.low, found.high) == pytest.approx(expected)


@pytest.mark.parametrize("statistic", METHOD_OF_STATISTIC)
def test_each_cell_gets_what_it_would_get_alone(statistic):
    rate = xr.DataArray(
        np.random.default_rng(3).lognormal(size=(4, 3, 6)), dims=("threads", "node", "repetition")
    ).transpose("repetition", "threads", "node")
    rate[4:, 1, 2] = np.nan
    cells = interval_over(rate, statistic=statistic)
    for threads in range(4):
        for node in range(3):
            alone = interval(rate[:, threads, node], statistic)
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


@pytest.mark.parametrize("statistic", METHOD_OF_STATISTIC)
def test_equal_values_have_an_interval_of_no_width(statistic):
    found = interval([2.0] * 5, statistic)
    assert (found.low, found.high) == pytest.approx((2.0, 2.0))


def test_a_mean_cost_that_could_be_zero_leaves_the_rate_unbounded():
    assert interval([1.0, 1.0, 1.0, 100.0, 100.0], "harmonic").high == np.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: interval([1.0], "modus"), "statistic 'modus' is unknown: choose one of median, mean, harmonic, geo"),
        (lambda: interval([1.0], level=95), "level 95 is not between 0 and 1: write 95 % as 0.95"),
        (lambda: interval([0.0, 1.0], "harmonic"), "the harmonic mean needs positive values: leave void trials out"),
        (lambda: interval_over(xr.DataArray([1.0], dims="x")), "interval_over: no dimension 'repetition' in ('x',)"),
    ],
)
def test_wrong_use_is_told_what_to_do(call, message):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
