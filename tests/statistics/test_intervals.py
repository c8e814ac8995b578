"""Intervals of samples and cells: exact values, missing repetitions, and what wrong use is told."""

import numpy as np
import pytest
import xarray as xr
from scipy import stats

from coldcache.statistics.bounds import order_bounds
from coldcache.statistics.intervals import METHODS_OF_STATISTIC, interval, interval_over

SKEWED = [12.0, 11.0, 10.5, 19.0, 11.4, 11.9, 10.9, 12.7]
EVERY_METHOD = [(statistic, method) for statistic, methods in METHODS_OF_STATISTIC.items() for method in methods]


def test_the_median_of_five_lies_between_the_least_and_the_greatest():
    found = interval([3.0, 1.0, 2.0, 9.0, 4.0])
    assert (found.estimate, found.low, found.high, found.n, found.method) == (3.0, 1.0, 9.0, 5, "order")
    assert found.caveat is None


def test_percentile_bootstrap_and_order_statistics_agree_at_five():
    values = [3.0, 1.0, 2.0, 9.0, 4.0]
    assert interval(values, method="percentile")[:4] == interval(values, method="order")[:4]


def test_four_values_give_bounds_with_a_caveat():
    found = interval([1.0, 2.0, 3.0, 4.0])
    assert (found.low, found.high) == (1.0, 4.0)
    assert found.caveat == "no interval of a median from 4 values can cover more than 87.5 %"


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


@pytest.mark.parametrize("statistic", ["median", "mean", "harmonic", "geometric"])
@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_bootstrap_agrees_with_scipy(statistic, method):
    function = {"median": np.median, "mean": np.mean, "harmonic": stats.hmean, "geometric": stats.gmean}[statistic]
    expected = stats.bootstrap(
        (SKEWED,), function, method=method, n_resamples=20000, rng=np.random.default_rng(5)
    ).confidence_interval
    found = interval(SKEWED, statistic, method=method)
    assert found.low == pytest.approx(expected.low, rel=0.02)
    assert found.high == pytest.approx(expected.high, rel=0.05)


@pytest.mark.parametrize(("statistic", "method"), EVERY_METHOD)
def test_each_cell_gets_what_it_would_get_alone(statistic, method):
    rate = xr.DataArray(
        np.random.default_rng(3).lognormal(size=(4, 3, 6)), dims=("threads", "node", "repetition")
    ).transpose("repetition", "threads", "node")
    rate[4:, 1, 2] = np.nan
    cells = interval_over(rate, statistic=statistic, method=method)
    for threads in range(4):
        for node in range(3):
            alone = interval(rate[:, threads, node], statistic, method=method)
            cell = cells.isel(threads=threads, node=node)
            got = (cell.estimate, cell.low, cell.high, cell.n)
            assert [float(value) for value in got] == pytest.approx(list(alone[:4]))


def test_cells_without_enough_values_have_no_bounds():
    rate = xr.DataArray(
        [[np.nan, np.nan], [5.0, np.nan], [5.0, 7.0]],
        dims=("threads", "repetition"),
        coords={"threads": [1, 2, 4]},
        attrs={"units": "B/s"},
    )
    cells = interval_over(rate)
    assert cells.n.values.tolist() == [0, 1, 2]
    np.testing.assert_array_equal(cells.estimate.values, [np.nan, 5.0, 6.0])
    np.testing.assert_array_equal(cells.low.values, [np.nan, np.nan, 5.0])
    np.testing.assert_array_equal(cells.high.values, [np.nan, np.nan, 7.0])
    assert cells.low.attrs["units"] == "B/s"
    assert cells.threads.values.tolist() == [1, 2, 4]


def test_no_repetitions_at_all_give_no_values():
    cells = interval_over(xr.DataArray(np.empty((2, 0)), dims=("threads", "repetition")))
    assert cells.n.values.tolist() == [0, 0]
    assert np.isnan(cells.estimate.values).all()


@pytest.mark.parametrize(("statistic", "method"), EVERY_METHOD)
def test_equal_values_have_an_interval_of_no_width(statistic, method):
    found = interval([2.0] * 5, statistic, method=method)
    assert (found.low, found.high) == pytest.approx((2.0, 2.0))


@pytest.mark.parametrize(("statistic", "method"), EVERY_METHOD)
def test_the_same_seed_gives_the_same_interval(statistic, method):
    assert interval(SKEWED, statistic, method=method, seed=4) == interval(SKEWED, statistic, method=method, seed=4)


def test_a_mean_cost_that_could_be_zero_leaves_the_rate_unbounded():
    assert interval([1.0, 100.0], "harmonic").high == np.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: interval([1.0], "modus"), "statistic 'modus' is unknown: choose one of median, mean, harmonic, geo"),
        (lambda: interval([1.0], method="t"), "method 't' does not fit the median: choose one of order, BCa, percent"),
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
