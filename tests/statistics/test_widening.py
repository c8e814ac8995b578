"""Intervals are as much wider as simulated series need, whatever moves their rounds."""

import numpy as np
import pytest
from scipy import stats

from coldcache.statistics.bounds import order_bounds, t_bounds
from coldcache.statistics.dependence import INDEPENDENT, Rounds
from coldcache.statistics.series import as_two_modes, correlate, trend
from coldcache.statistics.widening import (
    chances_of_side,
    depth_of_order,
    depths_of_order,
    reach_of_order,
    refuse,
    refuse_verdict,
    welch,
    widening,
    widenings,
    widenings_of_tests,
)


def series(n, correlation, cases=20_000, seed=11):
    return correlate(np.random.default_rng(seed).standard_normal((cases, n)), correlation)


@pytest.mark.parametrize(("n", "correlation"), [(6, 0.4), (6, 0.8), (10, 0.55), (20, 0.8)])
def test_stretched_intervals_of_means_cover_as_stated(n, correlation):
    low, high = t_bounds(series(n, correlation), 0.95, widening(n, Rounds(0.0, correlation)))
    assert np.mean((low <= 0) & (high >= 0)) == pytest.approx(0.95, abs=0.006)


@pytest.mark.parametrize(("n", "correlation"), [(6, 0.0), (10, 0.5)])
def test_ratios_of_rates_in_two_modes_cover_as_stated(n, correlation):
    rates = as_two_modes(series(n, correlation)), as_two_modes(series(n, correlation, seed=12))
    low, high = t_bounds(np.log(rates[0] / rates[1]), 0.95, widening(n, Rounds(0.0, correlation, modes=True)))
    assert np.mean((low <= 0) & (high >= 0)) == pytest.approx(0.95, abs=0.007)


@pytest.mark.parametrize("n", [6, 10, 20])
def test_one_sided_tests_of_rates_in_two_modes_err_as_stated(n):
    rates = as_two_modes(series(n, 0.0, 40_000)), as_two_modes(series(n, 0.0, 40_000, seed=12))
    logs = np.log(rates[0] / rates[1])
    (factor,) = widenings_of_tests(n, np.zeros(1), np.array([True]))
    error = factor * logs.std(axis=1, ddof=1) / np.sqrt(n)
    assert np.mean(stats.t.sf(logs.mean(axis=1) / error, n - 1) <= 0.05) == pytest.approx(0.05, abs=0.003)


@pytest.mark.parametrize(("n", "correlation"), [(6, 0.0), (6, 0.4), (10, 0.8)])
def test_differences_of_two_campaigns_cover_as_stated(n, correlation):
    sides = series(n, correlation), series(n, correlation, seed=12)
    factor = widening(n, Rounds(0.0, correlation), sides=2)
    error, freedom = welch(*sides, [factor, factor])
    half = stats.t.ppf(0.975, freedom) * error
    assert np.mean(np.abs(sides[0].mean(axis=1) - sides[1].mean(axis=1)) <= half) == pytest.approx(0.95, abs=0.006)


def test_welch_is_that_of_scipy():
    one, other = np.random.default_rng(1).normal(size=6), np.random.default_rng(2).normal(0, 3, size=9)
    error, freedom = welch(one, other)
    expected = stats.ttest_ind(one, other, equal_var=False)
    assert float(freedom) == pytest.approx(expected.df)
    assert (one.mean() - other.mean()) / float(error) == pytest.approx(expected.statistic)


def test_independent_values_are_not_stretched():
    assert {widening(n, INDEPENDENT) for n in (5, 20)} == {1.0}


def test_many_sweeps_get_what_each_gets_alone():
    correlation, modes = np.array([0.0, 0.33, 0.33, 0.9]), np.array([False, False, True, True])
    alone = [widening(6, Rounds(0, c, 0, bool(m))) for c, m in zip(correlation, modes, strict=True)]
    assert widenings(6, correlation, modes) == pytest.approx(alone)
    drift = np.array([0.0, 0.5, 1.2, 9.0])
    alone = [depth_of_order(6, Rounds(c, c, d)) for c, d in zip(correlation, drift, strict=True)]
    assert depths_of_order(6, drift, correlation) == pytest.approx(alone)


def test_the_depth_of_six_independent_values_by_hand():
    """Depths 1 and 2 cover 62/64 and 50/64: a tenth of the way, so weight 5 x 0.1 / (1 + 4 x 0.1) = 5/14."""
    assert depth_of_order(6) == pytest.approx(1 + 5 / 14)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_up_to_five_values_the_range_is_all_there_is(n):
    assert depth_of_order(n) == 1.0


@pytest.mark.parametrize("n", [6, 7, 10, 15, 30])
def test_bounds_lie_between_those_of_the_exact_test(n):
    values = np.sort(np.random.default_rng(n).lognormal(size=n))
    low, high = (bound[0] for bound in order_bounds(values[None], depth_of_order(n)))
    exact = stats.quantile_test(values, p=0.5).confidence_interval(0.95)
    assert exact.low <= low <= np.median(values) <= high <= exact.high


@pytest.mark.parametrize("shape", [np.exp, as_two_modes])
@pytest.mark.parametrize(("n", "correlation"), [(10, 0.2), (20, 0.4), (20, 0.65)])
def test_order_statistics_cover_dependent_values_of_any_distribution(n, correlation, shape):
    depth = depth_of_order(n, Rounds(correlation))
    assert 1 <= depth < depth_of_order(n)
    low, high = order_bounds(shape(series(n, correlation)), depth)
    true = shape(np.zeros(1))[0]
    assert np.mean((low <= true) & (true <= high)) == pytest.approx(0.95, abs=0.012)


@pytest.mark.parametrize(("n", "drift", "correlation"), [(6, 1.2, 0.0), (10, 1.2, 0.4), (20, 0.8, 0.0), (10, 2.7, 0.0)])
def test_drift_lets_an_interval_end_deeper(n, drift, correlation):
    depth = depth_of_order(n, Rounds(correlation, correlation, drift))
    assert depth > depth_of_order(n, Rounds(correlation))
    low, high = order_bounds(series(n, correlation) + drift * trend(n), depth)
    # A bound does not cross a gap, so that a few more are covered.
    assert 0.94 <= np.mean((low <= 0) & (high >= 0)) <= 0.97


def test_beyond_the_extremes_normal_values_miss_less_often_than_stated():
    depth = depth_of_order(6, Rounds(0.8))
    assert depth < 0.5
    values = np.exp(0.3 * series(6, 0.8))
    low, high = order_bounds(values, depth)
    assert np.mean((low <= 1) & (high >= 1)) == pytest.approx(1 - 0.05 * (1 + depth) / 2, abs=0.01)


@pytest.mark.parametrize("n", [5, 8])
def test_the_chance_of_a_side_is_that_of_the_sign_test(n):
    assert chances_of_side(n, INDEPENDENT) == pytest.approx(
        [stats.binom.sf(count - 1, n, 0.5) for count in range(n + 1)]
    )


def test_dependent_runs_lie_on_one_side_more_often_and_drifting_ones_less():
    alone = chances_of_side(6, INDEPENDENT)[6]
    assert chances_of_side(6, Rounds(0.8))[6] == pytest.approx((series(6, 0.8) < 0).all(axis=1).mean(), abs=0.01)
    assert chances_of_side(6, Rounds(0.8))[6] > 5 * alone
    assert chances_of_side(6, Rounds(0.0, 0.0, 1.5))[6] < alone / 5


def test_five_values_reach_fifteen_of_sixteen():
    assert reach_of_order(5) == 0.9375
    assert reach_of_order(6) > 0.95 > reach_of_order(5)


@pytest.mark.parametrize(
    ("n", "rounds", "interval", "verdict"),
    [
        (5, INDEPENDENT, None, None),
        (4, INDEPENDENT, "no interval from 4 runs", "no interval from 4 runs"),
        (1, INDEPENDENT, "no interval from 1 run", "no interval from 1 run"),
        (6, Rounds(0.5, modes=True), None, None),
        (10, Rounds(0.6, modes=True), None, None),
        (6, Rounds(0.6), None, None),
        (6, Rounds(0.7), None, "no verdict: 6 runs worth 1.8 independent ones decide nothing"),
        (10, Rounds(0.8), None, "no verdict: 10 runs worth 1.8 independent ones decide nothing"),
        (20, Rounds(0.8), None, None),
        (
            6,
            Rounds(0.6, modes=True),
            "no interval: runs of two modes that resemble those before them need 10",
            "no interval: runs of two modes that resemble those before them need 10",
        ),
    ],
)
def test_too_few_or_too_dependent_runs_have_no_interval_or_no_verdict(n, rounds, interval, verdict):
    assert refuse(n, rounds) == interval
    assert refuse_verdict(n, rounds) == verdict
