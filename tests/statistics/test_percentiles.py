"""Percentiles of series: exact ranks where values are independent, no bound where there are too few."""

import numpy as np
import pytest
from scipy import signal, stats

from coldcache.statistics.percentiles import drift, effective_count, percentile, ranks


def correlated(n, correlation, seed=0):
    steps = np.random.default_rng(seed).standard_normal(n) * np.sqrt(1 - correlation**2)
    return 100 + 10 * signal.lfilter([1.0], [1.0, -correlation], steps)


def test_independent_values_count_for_themselves():
    values = np.random.default_rng(0).standard_normal(5000)
    assert effective_count(values) == pytest.approx(5000, rel=0.1)


def test_correlated_values_count_for_fewer():
    """A first-order process is worth n (1 - r) / (1 + r): 1/19 of its length at r = 0.9."""
    assert effective_count(correlated(100_000, 0.9)) == pytest.approx(100_000 / 19, rel=0.15)


def test_series_that_does_not_vary_counts_in_full():
    assert effective_count(np.full(50, 3.0)) == 50


@pytest.mark.parametrize("p", [0.5, 0.9, 0.99])
def test_ranks_of_an_independent_series_are_those_of_the_exact_test(p):
    exact = stats.quantile_test(np.arange(1.0, 4001.0), p=p).confidence_interval(0.95)
    assert ranks(p, 4000, 4000.0, 0.95) == (exact.low, exact.high)


def test_a_series_worth_a_tenth_has_the_ranks_of_a_tenth():
    lower, upper = ranks(0.9, 400, 400.0, 0.95)
    assert ranks(0.9, 4000, 400.0, 0.95) == (10 * lower, 10 * upper)


@pytest.mark.parametrize(("p", "bounded_from"), [(0.999, 3688), (0.99, 368)])
def test_least_length_that_bounds_a_percentile(p, bounded_from):
    assert ranks(p, bounded_from, bounded_from, 0.95)[1] == bounded_from
    assert ranks(p, bounded_from - 1, bounded_from - 1, 0.95)[1] == bounded_from


def test_percentile_of_independent_values_lies_between_its_ranks():
    values = np.random.default_rng(3).permutation(np.arange(1.0, 4001.0))
    found = percentile(values, 99.0)
    lower, upper = ranks(0.99, 4000, effective_count((values > found.estimate).astype(float)), 0.95)
    assert (found.low, found.estimate, found.high) == (lower, pytest.approx(3960, abs=1), upper)


def test_three_hours_of_minutes_cannot_bound_their_p99_9():
    found = percentile(np.random.default_rng(1).lognormal(size=180), 99.9)
    assert found.high == np.inf
    assert "give p99.9 no upper bound" in found.caveat


def test_dependence_widens_the_interval():
    burst = np.sort(np.random.default_rng(5).lognormal(size=10_000)).reshape(100, 100)
    grouped = burst[np.random.default_rng(6).permutation(100)].ravel()
    mixed = np.random.default_rng(7).permutation(grouped)
    wide, narrow = percentile(grouped, 90.0), percentile(mixed, 90.0)
    assert wide.estimate == narrow.estimate
    assert wide.high > narrow.high
    assert wide.low < narrow.low
    assert "worth" in wide.caveat


def test_empty_series_has_no_percentile():
    found = percentile([np.nan], 99.0)
    assert found.n == 0
    assert np.isnan(found.estimate)


def test_percentile_out_of_range():
    with pytest.raises(ValueError, match=r"percentile: p 0 or level 0\.95 is out of range: write p99\.9 as 99\.9"):
        percentile([1.0], 0)


def test_drift_of_a_rate_that_doubles_in_a_hundred_seconds():
    times = np.array([30.0, 0.0, 100.0, 60.0, np.nan, 80.0])
    slope, p = drift(2 ** (times / 100), times)
    assert slope == pytest.approx(np.log(2) / 100)
    assert p == pytest.approx(2 / 120)


def test_two_values_have_no_drift():
    assert np.isnan(drift([1.0, 2.0], [0.0, 1.0])).all()
