"""Noises are made of normal series: positive, rising with them, and with a known median."""

import numpy as np
import pytest

from coldcache.statistics.simulation.noise import CORRELATIONS, DRIFT, NOISES, ROUNDS, Setting, list_settings


@pytest.mark.parametrize("name", NOISES)
def test_rates_rise_with_the_normal_values_and_have_the_median_of_zero(name):
    normal = np.repeat(np.linspace(-4, 4, 1001)[:, None], 5, axis=1)
    rates = NOISES[name](normal)
    assert (rates > 0).all()
    assert (np.diff(rates, axis=0) > 0).all()
    middle = np.median(rates, axis=0)
    assert np.median(middle) == pytest.approx(Setting(name, 0.0, 5).median)
    assert len(set(np.round(middle, 9))) == (5 if name == DRIFT else 1)


def test_drift_is_20_percent_from_the_beginning_to_the_end():
    rates = NOISES[DRIFT](np.zeros(10))
    assert rates[-1] / rates[0] == pytest.approx(np.exp(0.2 * 9 / 10))


def test_settings_simulate_as_many_campaigns_as_asked_for_and_the_same_for_the_same_seed():
    setting = Setting("skewed", 0.4, 6)
    made, again = (np.concatenate(list(setting.simulate(600, 3, 5))) for _ in range(2))
    assert made.shape == (600, 3, 6)
    assert (made == again).all()
    assert (np.concatenate(list(setting.simulate(600, 3, 6))) != made).all()


def test_every_noise_comes_with_every_correlation_and_number_of_rounds():
    assert len(set(list_settings())) == len(NOISES) * len(CORRELATIONS) * len(ROUNDS)
