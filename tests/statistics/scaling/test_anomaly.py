"""Points that do not belong to their curve, and points that may."""

import numpy as np
import pytest

from coldcache.statistics.scaling.anomaly import judge_point

DOUBLING = 2.0 ** np.arange(8)


def noisy(rates, repetitions=5, seed=0, spread=0.05):
    noise = np.random.default_rng(seed).normal(0, spread, (len(rates), repetitions))
    return np.asarray(rates)[:, None] * np.exp(noise)


def test_a_low_point_is_an_anomaly():
    rates = noisy(np.minimum(DOUBLING, 8), 1, seed=2, spread=0.02)[:, 0]
    before = judge_point(DOUBLING, rates, 32)
    rates[5] *= 0.7
    found = judge_point(DOUBLING, rates, 32)
    assert before.p > 0.05 > found.p
    assert (found.predicted, found.low, found.high) == pytest.approx((before.predicted, before.low, before.high))
    assert found.ratio == pytest.approx(0.7 * before.ratio) == found.observed / found.predicted
    assert found.observed < found.low < found.predicted < found.high


def test_a_point_on_the_curve_is_none():
    found = judge_point(DOUBLING, np.minimum(DOUBLING, 8), 32)
    assert (found.observed, found.predicted, found.ratio) == pytest.approx((8, 8, 1))
    assert found.p > 0.05


def test_a_fall_at_the_last_thread_count_may_be_a_knee():
    found = judge_point(DOUBLING, noisy(np.where(DOUBLING < 128, 10.0, 7.0), 1, spread=0.01)[:, 0], 128)
    assert found.low == 0
    assert found.p > 0.05


def test_probability_and_interval_agree():
    rates = noisy(np.minimum(DOUBLING, 8), 1, seed=3)[:, 0]
    found = judge_point(DOUBLING, rates, 32, level=0.95)
    rates[5] = found.low
    assert judge_point(DOUBLING, rates, 32).p == pytest.approx(0.05, abs=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: judge_point(DOUBLING, -DOUBLING, 4),
            "scaling curve: a rate is zero or negative: leave void trials out as NaN",
        ),
        (
            lambda: judge_point(DOUBLING, DOUBLING, 12),
            "judge_point: no rate at 12 threads: choose one of 1, 2, 4, 8, 16, 32, 64, 128",
        ),
        (
            lambda: judge_point(DOUBLING[:6], DOUBLING[:6], 4),
            "judge_point: 6 thread counts: judging one by the others needs at least 7",
        ),
    ],
)
def test_wrong_use_is_told_what_to_do(call, message):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == message
