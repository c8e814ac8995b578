"""Bounds by hand and by scipy, for one cell and for many."""

import numpy as np
import pytest
from scipy import stats

from coldcache.statistics.bounds import order_bounds, stretch, t_bounds

SKEWED = np.array([[12.0, 11.0, 10.5, 19.0, 11.4, 11.9, 10.9, 12.7]])


def row(*values):
    return np.array([values], dtype=float)


@pytest.mark.parametrize("values", [row(3, 1), row(4, 1, 2, 3), row(5, 3, 9, 1, 2)])
def test_at_depth_one_the_bounds_are_the_range(values):
    assert order_bounds(values, 1.0) == (values.min(), values.max())


def test_six_values_by_hand():
    low, high = order_bounds(row(6, 2, 5, 1, 3, 4), 1.25)
    assert (low[0], high[0]) == (1.25, 5.75)
    low, high = order_bounds(row(6, 2, 5, 1, 3, 4), 2.5)
    assert (low[0], high[0]) == (2.5, 4.5)


def test_across_a_gap_the_outer_bound_remains():
    low, high = order_bounds(row(1, 10, 11, 12, 13, 14), 1.25)
    assert (low[0], high[0]) == (1, 13.75)
    low, high = order_bounds(-row(1, 10, 11, 12, 13, 14), 1.25)
    assert (low[0], high[0]) == (-13.75, -1)


def test_below_depth_one_the_extremes_are_stretched_as_ratios():
    low, high = order_bounds(row(1, 2, 8), 0.5)
    assert (low[0], high[0]) == pytest.approx((0.5, 32))
    low, high = order_bounds(row(-1, 2, 8), 0.5)
    assert (low[0], high[0]) == pytest.approx((-4, 14))


def test_each_row_has_its_own_depth():
    low, high = order_bounds(np.vstack([row(1, 2, 3, 4), row(1, 2, 3, 4)]), np.array([1.0, 1.5]))
    assert low.tolist() == [1, 1.5]
    assert high.tolist() == [4, 3.5]


def test_t_bounds_of_three_values_by_hand():
    """The 97.5 % quantile of t with two degrees of freedom is 4.302653, the standard error 1 / sqrt(3)."""
    low, high = t_bounds(row(1, 2, 3), 0.95)
    assert (low[0], high[0]) == pytest.approx((2 - 4.302653 / 3**0.5, 2 + 4.302653 / 3**0.5))


def test_t_bounds_are_those_of_scipy_and_stretch_about_the_mean():
    expected = stats.ttest_1samp(SKEWED[0], 0).confidence_interval(0.9)
    low, high = t_bounds(SKEWED, 0.9)
    assert (low[0], high[0]) == pytest.approx((expected.low, expected.high))
    wider = t_bounds(SKEWED, 0.9, 2.0)
    assert wider[1] - wider[0] == pytest.approx(2 * (high - low))


def test_a_factor_of_one_stretches_nothing():
    low, high = np.array([1.0]), np.array([3.0])
    assert stretch(np.array([2.0]), low, high, np.ones(1)) == (low, high)
