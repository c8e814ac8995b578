"""The law is recovered exactly without noise, agrees with scipy with it, and marks what it predicts."""

import numpy as np
import pytest
from scipy import optimize

from coldcache.core.errors import NoData
from coldcache.statistics.scaling.usl import fit_scalability, predict

THREADS = 2.0 ** np.arange(9)


def rates(one=100.0, contention=0.05, coherency=1e-4, threads=THREADS):
    return one * threads / (1 + contention * (threads - 1) + coherency * threads * (threads - 1))


def noisy(seed=0, **law):
    return rates(**law) * np.exp(np.random.default_rng(seed).normal(0, 0.05, len(THREADS)))


def test_the_law_is_recovered_where_there_is_no_noise():
    found = fit_scalability(THREADS, rates())
    assert (found.rate_of_one, found.contention, found.coherency) == pytest.approx((100, 0.05, 1e-4))
    assert (found.rate_of_one_low, found.rate_of_one_high) == pytest.approx((100, 100))
    assert (found.contention_low, found.contention_high) == pytest.approx((0.05, 0.05))
    assert (found.coherency_low, found.coherency_high) == pytest.approx((1e-4, 1e-4))
    assert found.spread == pytest.approx(0, abs=1e-12)
    assert found.tested == (1, 256)


def test_the_law_peaks_where_its_derivative_is_zero():
    """sqrt((1 - 0.05) / 1e-4) = 97.468."""
    assert fit_scalability(THREADS, rates()).best_threads == pytest.approx(97.468, abs=1e-3)


def test_linear_scaling_has_no_best_thread_count():
    found = fit_scalability(THREADS, 100 * THREADS)
    assert (found.contention, found.coherency) == pytest.approx((0, 0), abs=1e-12)
    assert found.best_threads > 1e5


def test_faster_than_linear_is_held_to_be_linear():
    found = fit_scalability(THREADS, THREADS**1.2)
    assert (found.contention, found.coherency, found.best_threads) == (0, 0, np.inf)


@pytest.mark.parametrize("law", [{}, {"contention": 0.0}, {"coherency": 0.0}, {"contention": 0.0, "coherency": 0.0}])
def test_the_fit_is_the_least_of_relative_squares_as_scipy_finds_it(law):
    curve = noisy(seed=4, **law)
    found = fit_scalability(THREADS, curve)
    fitted = predict(found, THREADS)["estimate"].values
    columns = np.stack([np.ones_like(THREADS), THREADS - 1, THREADS * (THREADS - 1)], axis=1)
    expected = THREADS / fitted
    one, contention, coherency = optimize.nnls(columns / expected[:, None], THREADS / curve / expected)[0]
    assert found.rate_of_one == pytest.approx(1 / one, rel=1e-4)
    assert found.contention == pytest.approx(contention / one, rel=1e-3, abs=1e-9)
    assert found.coherency == pytest.approx(coherency / one, rel=1e-3, abs=1e-12)


def test_intervals_hold_the_estimate_and_widen_with_the_level():
    narrow, wide = (fit_scalability(THREADS, noisy(), level) for level in (0.8, 0.99))
    assert wide.contention_low < narrow.contention_low < narrow.contention < narrow.contention_high
    assert narrow.contention_high < wide.contention_high
    assert narrow.contention == wide.contention


def test_spread_is_the_relative_distance_from_the_law():
    found = fit_scalability(THREADS, noisy())
    fitted = predict(found, THREADS)["estimate"].values
    assert found.spread == pytest.approx(np.sqrt(((fitted / noisy() - 1) ** 2).sum() / (len(THREADS) - 3)))


def test_the_median_over_repetitions_is_fitted_and_missing_ones_left_out():
    cells = np.stack([rates(), rates(), 3 * rates()], axis=1)
    cells[3] = np.nan
    cells[0, 0] = np.nan
    cells[0, 2] = np.nan
    found = fit_scalability(THREADS, cells)
    assert (found.rate_of_one, found.contention, found.coherency) == pytest.approx((100, 0.05, 1e-4))


def test_the_same_seed_gives_the_same_intervals():
    one, other = fit_scalability(THREADS, noisy(), seed=3), fit_scalability(THREADS, noisy(), seed=3)
    assert one[:9] == other[:9]
    assert one[:9] != fit_scalability(THREADS, noisy(), seed=4)[:9]


def test_prediction_beyond_the_tested_range_is_marked():
    beyond = np.array([0.5, 1, 100, 256, 512, 4096])
    found = predict(fit_scalability(THREADS, noisy()), beyond)
    assert found.tested.values.tolist() == [False, True, True, True, False, False]
    assert found.threads.values.tolist() == beyond.tolist()
    assert (found.low < found.estimate).all()
    assert (found.estimate < found.high).all()
    width = found.high / found.low
    assert width.sel(threads=4096) > width.sel(threads=512) > width.sel(threads=100)


def test_prediction_follows_the_law():
    found = predict(fit_scalability(THREADS, rates()), 1000)
    assert found.estimate.values == pytest.approx(rates(threads=np.array([1000.0])))


@pytest.mark.parametrize(
    ("curve", "message"),
    [
        (
            [1.0, 2.0, np.nan, 4.0, 5.0],
            "scalability law: 4 thread counts with a rate: three parameters and their intervals need at least 5",
        ),
        ([1.0, 2.0, 0.0, 4.0, 5.0], "scalability law: a rate is zero or negative: leave void trials out as NaN"),
    ],
)
def test_wrong_use_is_told_what_to_do(curve, message):
    with pytest.raises(ValueError) as caught:
        fit_scalability(THREADS[:5], curve)
    assert str(caught.value) == message


def test_a_curve_that_says_nothing_of_one_thread_has_no_law():
    with pytest.raises(NoData, match="say nothing of the rate of one thread; add smaller ones"):
        fit_scalability([8, 16, 32, 64, 128], [10e9, 8e9, 7e9, 6.6e9, 6.4e9])
