"""Knees of curves whose bend is known exactly, and their intervals."""

import numpy as np
import piecewise_regression
import pytest

from coldcache.statistics.dependence import Rounds
from coldcache.statistics.scaling.knee import fit_knee

DOUBLING = 2.0 ** np.arange(8)


def noisy(rates, repetitions=5, seed=0, spread=0.05):
    noise = np.random.default_rng(seed).normal(0, spread, (len(rates), repetitions))
    return np.asarray(rates)[:, None] * np.exp(noise)


def test_linear_then_level():
    found = fit_knee(DOUBLING, 100 * np.minimum(DOUBLING, 16))
    # A bend at a tested thread count may lie a step to either side.
    assert (found.threads, found.low, found.high) == pytest.approx((16, 8, 32))
    assert found.first_level == 16
    assert (found.growth_first, found.growth_last) == pytest.approx((2, 1))
    assert found.fitted == pytest.approx(100 * np.minimum(DOUBLING, 16))
    assert not found.rises_to_the_end


def test_knee_between_two_thread_counts():
    """The lines meet at 2^3.5; doubling 8 threads still raises the rate by 2^0.5, doubling 16 no more."""
    found = fit_knee(DOUBLING, np.minimum(DOUBLING, 2**3.5))
    assert found.threads == pytest.approx(2**3.5)
    assert found.first_level == 16


def test_knee_of_a_hyperbola_is_where_its_asymptotes_meet():
    """N / (1 + N / 4) grows by 2 (4 + N) / (4 + 2 N) per doubling: by 10 % at most from N = 18 on."""
    found = fit_knee(DOUBLING, DOUBLING / (1 + DOUBLING / 4))
    assert found.threads == pytest.approx(4)
    assert found.first_level == 32
    assert found.growth_last == pytest.approx(2 * 68 / 132)


def test_rise_and_fall():
    rates = np.minimum(DOUBLING, 8) * 0.8 ** np.log2(np.maximum(DOUBLING / 8, 1))
    found = fit_knee(DOUBLING, rates)
    assert found.threads == pytest.approx(8)
    assert (found.first_level, found.growth_last) == pytest.approx((8, 0.8))


def test_a_rate_that_rises_to_the_end_has_no_knee():
    found = fit_knee(DOUBLING, DOUBLING**0.5)
    assert found.rises_to_the_end
    assert np.isnan([found.threads, found.low, found.high, found.first_level]).all()
    assert (found.growth_first, found.growth_last) == pytest.approx((2**0.5, 2**0.5))


@pytest.mark.parametrize("growth", [1.05, 1.0, 0.8, 0.5])
def test_a_rate_that_never_rises_is_level_from_its_first_thread_count(growth):
    found = [fit_knee(DOUBLING, noisy(growth ** np.arange(8.0), 1, seed)) for seed in range(40)]
    assert sum((knee.threads, knee.first_level) == (1, 1) for knee in found) >= 38


def test_missing_repetitions_and_thread_counts_are_left_out():
    rates = np.repeat(np.minimum(DOUBLING, 16)[:, None], 3, axis=1)
    rates[3] = np.nan
    rates[5, 1] = np.nan
    found = fit_knee(DOUBLING, rates)
    assert found.threads == pytest.approx(16)
    assert found.fitted.shape == (7,)


def test_the_median_over_repetitions_is_fitted():
    rates = noisy(np.minimum(DOUBLING, 16))
    rates[2, 0] /= 1000
    found, of_medians = fit_knee(DOUBLING, rates), fit_knee(DOUBLING, np.median(rates, axis=1))
    assert found.fitted == pytest.approx(of_medians.fitted)
    assert found.threads == of_medians.threads == pytest.approx(16, rel=0.1)


def test_noise_widens_the_interval():
    low, high = (fit_knee(DOUBLING, noisy(np.minimum(DOUBLING, 16), spread=spread)) for spread in (0.02, 0.4))
    assert high.high / high.low > 1.5 * low.high / low.low
    assert high.low <= 16 <= high.high
    assert high.growth_last_high - high.growth_last_low > low.growth_last_high - low.growth_last_low


def test_four_single_measurements_do_not_tell_their_spread():
    found = fit_knee([1, 2, 4, 8], [1.0, 2.0, 2.0, 2.0])
    assert found.threads == pytest.approx(2)
    assert np.isnan([found.low, found.high, found.growth_last_low, found.growth_last_high]).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: fit_knee([1, 2, 4], [1.0, 2.0, 3.0]),
            "scaling curve: rates at 1, 2, 4 threads: a knee needs at least 4 thread counts over two doublings",
        ),
        (
            lambda: fit_knee([8, 9, 10, 11], [1.0, 2.0, 3.0, 3.0]),
            "scaling curve: rates at 8, 9, 10, 11 threads: a knee needs at least 4 thread counts over two doublings",
        ),
        (
            lambda: fit_knee([1, 2, 4, 8], [np.nan] * 4),
            "scaling curve: rates at no threads: a knee needs at least 4 thread counts over two doublings",
        ),
        (
            lambda: fit_knee([1, 4, 2, 8], [1.0, 2.0, 3.0, 4.0]),
            "scaling curve: the thread counts do not rise: sort the curve by threads",
        ),
        (
            lambda: fit_knee([1, 2, 4, 8], [1.0, 0.0, 3.0, 4.0]),
            "scaling curve: a rate is zero or negative: leave void trials out as NaN",
        ),
    ],
)
def test_wrong_use_is_told_what_to_do(call, message):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == message


@pytest.mark.parametrize("seed", range(8))
def test_a_sharp_knee_is_where_piecewise_regression_puts_it(seed):
    """It iterates on the bend (Muggeo 2003, Statistics in Medicine 22:3055) where this program tries a grid."""
    random = np.random.default_rng(seed)
    x, knee = np.arange(11.0), random.uniform(3, 7)
    y = np.minimum(x - knee, 0) + random.normal(0, 0.07, 11)
    found = fit_knee(2**x, 2**y)
    oracle = piecewise_regression.Fit(x, y, n_breakpoints=1, start_values=[5], n_boot=20).get_results()["estimates"]
    # The grid has eight places per doubling, and round bends that the package has not.
    assert np.log2(found.threads) == pytest.approx(oracle["breakpoint1"]["estimate"], abs=0.2)
    before, change = oracle["alpha1"]["estimate"], oracle["beta1"]["estimate"]
    assert np.log2(found.growth_first) == pytest.approx(before, abs=0.1)
    assert np.log2(found.growth_last) == pytest.approx(before + change, abs=0.06)
    low, high = oracle["breakpoint1"]["confidence_interval"]
    assert np.log2(found.low) <= low + 0.2
    assert np.log2(found.high) >= high - 0.2


@pytest.mark.parametrize("seed", range(20))
def test_an_interval_spans_a_step_of_the_thread_counts_or_more(seed):
    random = np.random.default_rng(seed)
    threads = np.array([1, 2, 4, 8, 12, 16, 24, 32, 64.0])
    found = fit_knee(threads, noisy(np.minimum(threads, random.uniform(2, 20)), 6, seed, 0.001))
    assert found.low in threads
    assert found.high in threads
    assert np.searchsorted(threads, found.high) - np.searchsorted(threads, found.low) >= 1
    assert found.low <= found.threads <= found.high


def test_runs_that_resemble_those_before_them_widen_the_interval():
    rates = noisy(np.minimum(DOUBLING, 24) ** 0.3, 6, 3)
    alone, dependent = fit_knee(DOUBLING, rates), fit_knee(DOUBLING, rates, rounds=Rounds(0.8, 0.8))
    assert dependent.threads == alone.threads
    assert dependent.low <= alone.low
    assert dependent.high >= alone.high
    assert dependent.high / dependent.low > alone.high / alone.low


def test_six_thread_counts_of_one_run_have_no_interval_and_seven_do():
    rates = np.minimum(DOUBLING, 8)
    assert np.isnan(fit_knee(DOUBLING[:6], rates[:6]).low)
    assert fit_knee(DOUBLING[:7], rates[:7]).low == 4
