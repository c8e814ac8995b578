"""The correlation of neighbours is found, whatever the distribution, and intervals are as much wider as it demands."""

import numpy as np
import pytest
from scipy import special
from statsmodels.tsa.arima_process import ArmaProcess

from coldcache.statistics.bounds import order_bounds, reach_of_order, t_bounds
from coldcache.statistics.dependence import effective_repetitions, neighbour_correlation, widening, widening_of_order


def series(n, correlation, cases=400, seed=1):
    """Return normal series of unit variance by statsmodels, which knows nothing of this program."""
    process = ArmaProcess([1, -correlation], [1])
    random = np.random.default_rng(seed)
    found = process.generate_sample((cases, n), axis=1, burnin=200, distrvs=random.standard_normal)
    return found * np.sqrt(1 - correlation**2)


@pytest.mark.parametrize("correlation", [0.0, 0.4, 0.8])
@pytest.mark.parametrize("n", [6, 20])
def test_the_correlation_of_few_rounds_is_found_without_bias(n, correlation):
    assert neighbour_correlation(np.exp(0.1 * series(n, correlation))) == pytest.approx(correlation, abs=0.1)


def test_skewed_rates_and_two_modes_have_the_correlation_of_normal_ones():
    normal = series(10, 0.6)
    slow = special.ndtr(normal) < 0.3
    modes = np.where(slow, 0.7, 1.0) * np.exp(0.001 * normal)
    assert neighbour_correlation(np.exp(normal)) == neighbour_correlation(modes)


def test_what_a_round_does_to_all_cases_is_no_correlation_of_their_ratios():
    common = series(10, 0.8, cases=1)
    rates = np.exp(0.5 * common + 0.1 * series(10, 0.0, cases=200, seed=2))
    assert neighbour_correlation(rates) > 0.5
    assert neighbour_correlation(rates, paired=True) <= 0.1


def test_missing_and_equal_rates_count_as_independent():
    assert neighbour_correlation(np.full((3, 8), 2.0)) == 0.0
    assert neighbour_correlation(np.full((3, 8), np.nan)) == 0.0
    gaps = np.exp(series(8, 0.5))
    gaps[::3, 2] = np.nan
    assert neighbour_correlation(gaps) == pytest.approx(0.5, abs=0.15)


@pytest.mark.filterwarnings("error")
def test_a_round_that_no_case_has_changes_no_ratio_of_the_others():
    rates = np.exp(series(9, 0.5))
    rates[:, 4] = np.nan
    common = np.array([1, 2, 4, 8, np.nan, 16, 32, 64, 128])
    assert neighbour_correlation(rates, paired=True) == neighbour_correlation(rates * common, paired=True)
    assert neighbour_correlation(rates, paired=True) == pytest.approx(0.5, abs=0.15)


def test_equal_ratios_are_independent_although_their_rounding_differs():
    one = 1e9 * np.array([1, 1.01, 1.005, 1.005, 1.005])
    assert neighbour_correlation([one, 2 * one], paired=True) == 0.0


def test_ticks_of_a_coarse_clock_do_not_correlate_rounds():
    ticks = np.random.default_rng(3).integers(100, 102, (400, 6))
    assert neighbour_correlation(ticks) <= 0.1


@pytest.mark.parametrize(("n", "correlation", "expected"), [(6, 0.0, 6.0), (2, 0.5, 4 / 3), (10, 0.8, 1.841791)])
def test_effective_repetitions_are_those_of_the_variance_of_a_mean(n, correlation, expected):
    lags = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    variance = (correlation**lags).sum() / n**2
    assert effective_repetitions(n, correlation) == pytest.approx(1 / variance)
    assert effective_repetitions(n, correlation) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("n", "correlation"), [(6, 0.4), (6, 0.8), (20, 0.8)])
def test_stretched_intervals_of_normal_series_cover_as_stated(n, correlation):
    values = series(n, correlation, cases=20_000)
    low, high = t_bounds(values, "mean", 0.95)
    centre, factor = values.mean(axis=1), widening(n, correlation, 0.95)
    covered = (centre - factor * (centre - low) <= 0) & (centre + factor * (high - centre) >= 0)
    assert covered.mean() == pytest.approx(0.95, abs=0.006)


def test_independent_repetitions_are_not_stretched():
    assert {widening(n, 0.0, 0.95) for n in (5, 20)} == {1.0}
    assert {widening_of_order(n, 0.0, 0.95) for n in (6, 20)} == {(0.95, 1.0)}


def two_modes(values):
    """Return rates of which 3 in 10 are 30 % slower."""
    share = special.ndtr(values)
    return np.where(share < 0.3, 0.7, 1.0) * np.exp(0.03 * values)


@pytest.mark.parametrize("shape", [np.exp, two_modes])
@pytest.mark.parametrize(("n", "correlation"), [(10, 0.2), (20, 0.4), (20, 0.6)])
def test_order_statistics_farther_out_cover_dependent_values_of_any_distribution(n, correlation, shape):
    nominal, factor = widening_of_order(n, correlation, 0.95)
    assert nominal > 0.95
    assert factor == 1.0
    true = shape(np.zeros(1))[0]
    low, high = order_bounds(shape(series(n, correlation, cases=20_000)), nominal)
    assert np.mean((low <= true) & (true <= high)) == pytest.approx(0.95, abs=0.012)


def test_where_the_extremes_are_too_close_they_are_stretched_about_the_median():
    nominal, factor = widening_of_order(6, 0.8, 0.95)
    assert nominal == reach_of_order(6)
    assert factor > 2
    values = np.exp(0.3 * series(6, 0.8, cases=20_000))
    centre, low, high = np.median(values, axis=1), values.min(axis=1), values.max(axis=1)
    covered = (centre * (low / centre) ** factor <= 1) & (centre * (high / centre) ** factor >= 1)
    assert covered.mean() == pytest.approx(1 - 0.05 * 2 / 3, abs=0.006)
