"""Simulated series have the correlation, drift and modes asked for, and are the same for the same arguments."""

import numpy as np
import pytest
from scipy import stats

from coldcache.statistics.series import SERIES, as_two_modes, correlate, simulate, sorted_series, trend


@pytest.mark.parametrize("correlation", [0.0, 0.4, 0.8])
def test_neighbours_are_correlated_and_the_variance_stays_one(correlation):
    series = simulate(10, correlation)
    assert series.shape == (SERIES, 10)
    assert series.var(axis=0) == pytest.approx(np.ones(10), abs=0.03)
    assert stats.pearsonr(series[:, :-1].ravel(), series[:, 1:].ravel()).statistic == pytest.approx(
        correlation, abs=0.01
    )
    assert stats.pearsonr(series[:, 0], series[:, 2]).statistic == pytest.approx(correlation**2, abs=0.02)


def test_the_same_arguments_give_the_same_series_and_another_seed_others():
    assert (simulate(6, 0.4) == simulate(6, 0.4)).all()
    assert (simulate(6, 0.4, 10) != simulate(6, 0.4, 10, seed=2)).any()


def test_steps_become_a_series_in_place():
    steps = np.array([[1.0, 1.0, 1.0]])
    assert correlate(steps, 0.6) is steps
    assert steps[0] == pytest.approx([1.0, 0.6 + 0.8, 0.6 * 1.4 + 0.8])


@pytest.mark.parametrize("n", [2, 6, 9])
def test_a_trend_is_linear_with_mean_0_and_mean_square_1(n):
    assert trend(n).mean() == pytest.approx(0)
    assert (trend(n) ** 2).mean() == pytest.approx(1)
    assert np.diff(trend(n)) == pytest.approx(np.diff(trend(n))[0])


def test_two_modes_are_in_the_order_of_normal_values_and_three_in_ten_are_slow():
    normal = np.linspace(-4, 4, 2001)
    rates = as_two_modes(normal)
    assert (np.diff(rates) > 0).all()
    assert (rates[normal < stats.norm.ppf(0.3)] < 0.8).all()
    assert (rates[normal > stats.norm.ppf(0.3)] > 0.85).all()


def test_sorted_series_drift():
    ordered = sorted_series(6, 0.0, 3.0)
    assert (np.diff(ordered, axis=1) >= 0).all()
    assert np.median(ordered[:, -1]) > 3.5
