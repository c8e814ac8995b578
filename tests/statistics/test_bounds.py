"""Bounds by hand, by enumeration and by the published formulas, for one cell and for many."""

from itertools import product

import numpy as np
import pytest

from coldcache.statistics.bounds import order_bounds, reach_of_order, t_bounds

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


def test_a_wider_level_gives_a_wider_interval():
    for bounds in (
        lambda level: order_bounds(np.sort(np.random.default_rng(1).normal(size=(1, 20))), level),
        lambda level: t_bounds(SKEWED, "mean", level),
    ):
        (low, high), (lower, higher) = bounds(0.90), bounds(0.99)
        assert lower[0] < low[0] < high[0] < higher[0]
