"""What rounds do to runs is told apart: drift of whole rounds, correlation within cases, two modes."""

import numpy as np
import pytest
import xarray as xr
from statsmodels.tsa.arima_process import ArmaProcess

from coldcache.statistics.bounds import order_bounds
from coldcache.statistics.dependence import (
    INDEPENDENT,
    Rounds,
    effective_repetitions,
    measure_campaigns,
    measure_rounds,
    rounds_of,
)
from coldcache.statistics.series import as_two_modes, trend
from coldcache.statistics.widening import depth_of_order, depths_of_order, reach_of_order


def series(n, correlation, cases=400, seed=1):
    """Return normal series of unit variance by statsmodels, which knows nothing of this program."""
    process = ArmaProcess([1, -correlation], [1])
    random = np.random.default_rng(seed)
    found = process.generate_sample((cases, n), axis=1, burnin=200, distrvs=random.standard_normal)
    return found * np.sqrt(1 - correlation**2)


@pytest.mark.parametrize("correlation", [0.0, 0.4, 0.8])
@pytest.mark.parametrize("n", [6, 20])
def test_the_correlation_of_few_rounds_is_found_with_little_bias(n, correlation):
    found = measure_rounds(np.exp(0.1 * series(n, correlation)))
    assert found.correlation == pytest.approx(correlation, abs=0.05)
    assert found.of_logarithms == pytest.approx(correlation, abs=0.05)
    assert found.drift < 0.15
    assert not found.modes


@pytest.mark.parametrize("drift", [0.5, 1.2, 3.0])
@pytest.mark.parametrize("correlation", [0.0, 0.6])
def test_what_moves_whole_rounds_is_drift_and_no_correlation(drift, correlation):
    rates = np.exp(0.1 * (series(10, correlation) + drift * trend(10)))
    found = measure_rounds(rates)
    assert found.drift == pytest.approx(drift, rel=0.12)
    assert found.correlation == pytest.approx(correlation, abs=0.07)


def test_without_blocks_drift_counts_as_correlation():
    rates = np.exp(0.1 * (series(10, 0.0) + 2 * trend(10)))
    found = measure_rounds(rates, blocks=False)
    assert found.correlation > 0.8
    assert found.drift == 0.0


@pytest.mark.parametrize("common", [[0, 2, 0, -2, 0, 2, 0, -2, 0, 0], [3, 3, 0, 0, 0, 0, 0, 0, -3, -3]])
def test_drift_needs_no_linear_course(common):
    values = series(10, 0.0, 4000) + np.array(common)
    found = measure_rounds(np.exp(0.1 * values))
    assert 0.5 < found.drift < 2.5
    assert found.correlation == 0.0
    low, high = order_bounds(values, depth_of_order(10, found))
    assert np.mean((low <= 0) & (high >= 0)) == pytest.approx(0.95, abs=0.015)


def test_a_case_alone_shows_no_drift():
    found = measure_rounds(np.exp(0.01 * np.arange(20) + 0.001 * series(20, 0.0, 1)))
    assert found.drift == 0.0
    assert found.correlation > 0.7


def test_operations_of_the_same_trials_are_no_cases():
    """A trial that is slow moves both of its operations: one case of two operations shows no drift of rounds."""
    noise = series(10, 0.0, cases=1)
    assert measure_rounds(np.exp(0.1 * noise + 0.001 * series(10, 0.0, 6))[:, None]).drift == 0.0
    assert measure_rounds(np.exp(0.1 * noise + 0.001 * series(10, 0.0, 6))).drift > 2


def test_fewer_than_six_cases_show_no_drift_since_chance_moves_few_alike():
    rates = np.exp(0.05 * series(10, 0.0, cases=6) + 0.2 * trend(10))
    assert measure_rounds(rates).drift > 2
    assert measure_rounds(rates[:5]).drift == 0.0


@pytest.mark.parametrize("n", [5, 6, 10])
def test_medians_of_two_cases_are_covered_as_stated(n):
    logs = np.random.default_rng(4).standard_normal((4000, 1, 2, n))
    rounds = measure_campaigns(logs)
    low, high = order_bounds(logs[:, 0], depths_of_order(n, rounds.drift, rounds.correlation)[:, None])
    assert np.mean((low <= 0) & (high >= 0)) == pytest.approx(min(0.95, reach_of_order(n)), abs=0.015)


def test_skewed_rates_have_the_correlation_of_normal_ones():
    normal = series(10, 0.6)
    assert measure_rounds(np.exp(np.exp(normal))).correlation == pytest.approx(
        measure_rounds(np.exp(normal)).correlation, abs=0.03
    )


def test_two_modes_are_seen_and_normal_or_skewed_cases_have_none():
    modes = measure_rounds(as_two_modes(series(10, 0.6)))
    assert modes.modes
    assert modes.correlation == modes.of_logarithms == pytest.approx(0.6, abs=0.05)
    assert not measure_rounds(np.exp(0.3 * series(10, 0.6))).modes
    assert not measure_rounds(1 / (1 - 0.3 * np.log(np.random.default_rng(2).random((200, 6))))).modes


@pytest.mark.filterwarnings("error")
def test_missing_and_equal_figures_count_as_independent():
    assert measure_rounds(np.full((3, 8), 2.0)) == INDEPENDENT
    assert measure_rounds(np.full((3, 8), np.nan)) == INDEPENDENT
    assert measure_rounds(np.ones((3, 2))) == INDEPENDENT
    assert measure_rounds([]) == INDEPENDENT
    gaps = np.exp(series(8, 0.5))
    gaps[::3, 2] = np.nan
    assert measure_rounds(gaps).correlation == pytest.approx(0.5, abs=0.1)


@pytest.mark.filterwarnings("error")
def test_a_round_that_no_case_has_changes_nothing():
    rates = np.exp(series(9, 0.5))
    rates[:, 4] = np.nan
    assert measure_rounds(rates).correlation == pytest.approx(0.5, abs=0.12)


def test_cases_that_differ_by_rounding_alone_have_no_order():
    one = 1e9 * np.array([1, 1.01, 1.005, 1.005, 1.005])
    assert measure_rounds([one, 2 * one]).correlation == 0.0


def test_ticks_of_a_coarse_clock_do_not_correlate_rounds():
    ticks = np.random.default_rng(3).integers(100, 102, (400, 6))
    assert measure_rounds(ticks).correlation <= 0.1


def test_few_cases_show_a_correlation_only_beyond_its_error():
    alone = [measure_rounds(np.exp(series(6, 0.0, 3, seed))).correlation for seed in range(60)]
    assert np.mean(np.array(alone) > 0) < 0.2


def test_values_state_their_rounds_and_the_more_dependent_counts():
    calm, dependent = Rounds(0.1, 0.1), Rounds(0.5, 0.6)
    values = [xr.DataArray([1.0], dims="repetition", attrs={"rounds": one}) for one in (calm, dependent)]
    assert rounds_of(*values) == dependent
    assert rounds_of(xr.DataArray([1.0])) == INDEPENDENT


@pytest.mark.parametrize(("n", "correlation", "expected"), [(6, 0.0, 6.0), (2, 0.5, 4 / 3), (10, 0.8, 1.841791)])
def test_effective_repetitions_are_those_of_the_variance_of_a_mean(n, correlation, expected):
    lags = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    variance = (correlation**lags).sum() / n**2
    assert effective_repetitions(n, correlation) == pytest.approx(1 / variance)
    assert effective_repetitions(n, correlation) == pytest.approx(expected, rel=1e-6)
