"""Bounds by hand, by enumeration and by the published formulas, for one cell and for many."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from scipy import stats

from coldcache.statistics.bounds import RESAMPLES, bootstrap_bounds, order_bounds, reach_of_order, resample, t_bounds

SKEWED = np.array([[12.0, 11.0, 10.5, 19.0, 11.4, 11.9, 10.9, 12.7]])


def row(*values):
    return np.array([values], dtype=float)


@pytest.mark.parametrize("values", [row(3, 1), row(4, 1, 2, 3), row(5, 3, 9, 1, 2)])
def test_up_to_five_values_the_bounds_are_the_range(values):
    assert order_bounds(values, 0.95) == (values.min(), values.max())


def test_six_values_by_hand():
    """Depths 1 and 2 cover 62/64 and 50/64: a tenth of the way, so weight 5 x 0.1 / (1 + 4 x 0.1) = 5/14."""
    low, high = order_bounds(row(6, 2, 5, 1, 3, 4), 0.95)
    assert (low[0], high[0]) == pytest.approx((1 + 5 / 14, 6 - 5 / 14))


def test_across_a_gap_the_outer_bound_stands():
    low, high = order_bounds(row(1, 10, 11, 12, 13, 14), 0.95)
    assert (low[0], high[0]) == pytest.approx((1, 14 - 5 / 14))
    low, high = order_bounds(-row(1, 10, 11, 12, 13, 14), 0.95)
    assert (low[0], high[0]) == pytest.approx((-14 + 5 / 14, -1))


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_reach_is_what_the_range_covers_over_every_pattern_of_signs(n):
    signs = np.array(list(product((-1.0, 1.0), repeat=n)))
    low, high = order_bounds(signs * np.arange(1, n + 1), 0.95)
    assert np.mean((low < 0) & (high > 0)) == reach_of_order(n)


def test_five_values_reach_fifteen_of_sixteen():
    assert reach_of_order(5) == 0.9375
    assert reach_of_order(6) > 0.95 > reach_of_order(5)


def test_t_bounds_of_three_values_by_hand():
    """The 97.5 % quantile of t with two degrees of freedom is 4.302653, the standard error 1 / sqrt(3)."""
    low, high = t_bounds(row(1, 2, 3), "mean", 0.95)
    assert (low[0], high[0]) == pytest.approx((2 - 4.302653 / 3**0.5, 2 + 4.302653 / 3**0.5))


def test_harmonic_bounds_are_those_of_the_costs_turned_over():
    cost_low, cost_high = t_bounds(row(1.0, 1.1, 0.9), "mean", 0.95)
    low, high = t_bounds(1 / row(1.0, 1.1, 0.9), "harmonic", 0.95)
    assert (low[0], high[0]) == pytest.approx((1 / cost_high[0], 1 / cost_low[0]))


def test_harmonic_bound_is_infinite_where_the_cost_may_be_zero():
    low, high = t_bounds(np.vstack([row(1, 100), row(1, 1.01)]), "harmonic", 0.95)
    assert high[0] == np.inf
    assert np.isfinite(high[1])
    assert (low > 0).all()


@pytest.mark.parametrize(
    ("statistic", "function"),
    [("median", np.median), ("mean", np.mean), ("harmonic", stats.hmean), ("geometric", stats.gmean)],
)
def test_resamples_are_drawn_with_replacement(statistic, function):
    """Three values have ten resamples; all are drawn, and nothing else."""
    values = [1.0, 2.0, 5.0]
    possible = {round(float(function(drawn)), 9) for drawn in combinations_with_replacement(values, 3)}
    drawn = resample(np.array([values]), statistic, 0)
    assert drawn.shape == (1, RESAMPLES)
    assert {round(float(value), 9) for value in drawn[0]} == possible


def test_the_median_of_two_is_resampled_as_often_as_chance_says():
    drawn = resample(row(1, 3), "median", 0)[0]
    assert [np.mean(drawn == value) for value in (1, 2, 3)] == pytest.approx([0.25, 0.5, 0.25], abs=0.02)


@pytest.mark.parametrize("statistic", ["median", "mean", "harmonic", "geometric"])
def test_percentile_bounds_are_scipys_on_the_same_resamples(statistic):
    known = _Known(resample(SKEWED, statistic, 3))
    expected = stats.bootstrap(
        (SKEWED[0],), np.mean, method="percentile", n_resamples=0, bootstrap_result=known
    ).confidence_interval
    low, high = bootstrap_bounds(SKEWED, statistic, 0.95, "percentile", 3)
    assert (low[0], high[0]) == pytest.approx((expected.low[0], expected.high[0]))


class _Known:
    def __init__(self, distribution):
        self.bootstrap_distribution = distribution


@pytest.mark.parametrize("statistic", ["mean", "harmonic", "geometric"])
def test_bca_follows_the_published_formula(statistic):
    """Efron and Tibshirani 1993, equations 14.10, 14.14 and 14.15; a resample equal to the estimate counts half."""
    function = {"mean": np.mean, "harmonic": stats.hmean, "geometric": stats.gmean}[statistic]
    values = SKEWED[0]
    drawn = resample(SKEWED, statistic, 0)[0]
    distance = drawn - function(values)
    bias = stats.norm.ppf(np.mean(distance < -1e-12) + np.mean(np.abs(distance) <= 1e-12) / 2)
    jackknife = np.array([function(np.delete(values, place)) for place in range(len(values))])
    distance = jackknife.mean() - jackknife
    acceleration = (distance**3).sum() / (6 * (distance**2).sum() ** 1.5)
    tails = bias + stats.norm.ppf([0.025, 0.975])
    shares = stats.norm.cdf(bias + tails / (1 - acceleration * tails))
    low, high = bootstrap_bounds(SKEWED, statistic, 0.95, "BCa", 0)
    assert [low[0], high[0]] == pytest.approx(list(np.quantile(drawn, shares)))


def test_where_bca_is_undefined_the_percentiles_stand():
    """Leaving one out never moves the median, so the jackknife does not vary."""
    values = row(1, 1, 1, 1, 5)
    np.testing.assert_array_equal(
        bootstrap_bounds(values, "median", 0.95, "BCa", 0), bootstrap_bounds(values, "median", 0.95, "percentile", 0)
    )


@pytest.mark.parametrize("method", ["percentile", "BCa"])
def test_many_cells_get_what_each_gets_alone(method):
    values = np.random.default_rng(4).lognormal(size=(2003, 4))
    low, high = bootstrap_bounds(values, "mean", 0.95, method, 0)
    for place in (0, 1999, 2000, 2002):
        alone = bootstrap_bounds(values[[place]], "mean", 0.95, method, 0)
        assert (low[place], high[place]) == pytest.approx((alone[0][0], alone[1][0]))


def test_a_wider_level_gives_a_wider_interval():
    for bounds in (
        lambda level: order_bounds(np.sort(np.random.default_rng(1).normal(size=(1, 20))), level),
        lambda level: t_bounds(SKEWED, "mean", level),
        lambda level: bootstrap_bounds(SKEWED, "mean", level, "BCa", 0),
    ):
        (low, high), (lower, higher) = bounds(0.90), bounds(0.99)
        assert lower[0] < low[0] < high[0] < higher[0]
