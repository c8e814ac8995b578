"""Peaks are compared although nobody knows where they are, and a false verdict comes no more often than stated."""

import numpy as np
import pytest
from scipy import stats

from coldcache.statistics.limits import LimitPair, weigh_mean
from coldcache.statistics.peaks import compare_peaks, find_peak, weigh_extreme, weigh_place

ABOVE = LimitPair(0.0, np.inf)


@pytest.fixture
def curve():
    """Six levels of twelve rounds; the fourth is highest by 0.5."""
    levels = np.array([0.0, 0.1, 0.2, 0.7, 0.2, 0.1])
    return levels[:, None] + np.random.default_rng(4).normal(0, 0.02, (6, 12))


def test_the_peaks_are_where_the_medians_are_highest(curve):
    below = curve[::-1] - 0.3
    found = compare_peaks(curve, below, ABOVE)
    assert (find_peak(curve), found.places) == (3, (3, 2))
    assert found.test.mean == weigh_mean(curve[3] - below[2], ABOVE).mean


def test_one_peak_is_above_another_by_any_place_corrected_for_their_number(curve):
    below = curve + np.random.default_rng(5).normal(-0.02, 0.02, curve.shape)
    worst = [
        max(stats.ttest_1samp(curve[top] - row, 0.0, alternative="greater").pvalue for row in below) for top in range(6)
    ]
    assert compare_peaks(curve, below, ABOVE).test.p_for == pytest.approx(6 * min(worst))
    reached = max(
        min(stats.ttest_1samp(curve[top] - row, 0.0).confidence_interval(1 - 0.05 / 6).low for row in below)
        for top in range(6)
    )
    assert compare_peaks(curve, below, ABOVE).test.low == pytest.approx(reached)


def test_a_peak_is_above_another_if_it_beats_every_place_of_that_curve(curve):
    assert compare_peaks(curve, curve - 0.3, ABOVE).test.p_for < 0.001
    assert compare_peaks(curve, curve + 0.3, ABOVE).test.p_against < 0.001
    hidden = curve - 0.3
    # Another place of the other curve is higher in half of the rounds: it is not beaten.
    hidden[0, 1::2] += 5
    assert compare_peaks(curve, hidden, ABOVE).test.p_for > 0.5


def test_the_interval_of_peaks_is_wider_than_that_of_two_places(curve):
    found = compare_peaks(curve, curve[::-1] - 0.3, ABOVE).test
    places = weigh_mean(curve[3] - (curve[::-1] - 0.3)[2], ABOVE)
    assert found.low < places.low < found.mean < places.high < found.high


def test_limits_on_both_sides_are_tested_on_both(curve):
    near = LimitPair(-0.1, 0.1)
    assert compare_peaks(curve, curve[::-1], near).test.p_for < 0.001
    assert compare_peaks(curve, curve - 0.3, near).test.p_against < 0.001


def test_a_place_is_a_peak_if_it_beats_every_other(curve):
    assert weigh_place(curve, 3).test.p_for < 0.001
    found = weigh_place(curve, 2)
    assert (found.places, found.test.p_for > 0.5) == ((2, 3), True)
    against = stats.ttest_1samp(curve[2] - curve[3], 0.0, alternative="less").pvalue
    assert found.test.p_against == pytest.approx(5 * against)


def test_six_rounds_suffice_to_compare_peaks(curve):
    assert compare_peaks(curve[:, :6], curve[:, 6:] - 0.3, ABOVE).test.p_for < 0.01


def test_the_highest_median_is_tested_by_signs_at_every_place(curve):
    rates = np.exp(curve)
    assert weigh_extreme(rates, LimitPair(1.5, np.inf)) == (pytest.approx(6 / 2**12), 1.0)
    assert weigh_extreme(rates, LimitPair(-np.inf, 3.0))[0] == pytest.approx(1 / 2**12)
    assert weigh_extreme(rates, LimitPair(3.0, np.inf))[1] == pytest.approx(1 / 2**12)
    assert weigh_extreme(rates, LimitPair(1.5, 3.0))[0] == pytest.approx(6 / 2**12)


def test_the_lowest_median_is_tested_the_other_way_round(curve):
    rates = np.exp(curve)
    assert weigh_extreme(rates, LimitPair(0.5, np.inf), lowest=True)[0] == pytest.approx(1 / 2**12)
    assert weigh_extreme(rates, LimitPair(-np.inf, 1.05), lowest=True)[0] == pytest.approx(6 / 2**12)
    assert weigh_extreme(rates, LimitPair(1.2, np.inf), lowest=True)[1] == pytest.approx(6 / 2**12)


def test_a_level_without_a_value_is_no_place(curve):
    holed = np.vstack([np.full(12, np.nan), curve])
    assert compare_peaks(holed, curve[::-1] - 0.3, ABOVE).places == (4, 2)
    assert weigh_place(holed, 4).test.p_for == weigh_place(curve, 3).test.p_for


def test_without_values_or_places_there_is_no_peak(curve):
    with pytest.raises(ValueError, match="a curve without a value has no peak"):
        find_peak(np.full((3, 4), np.nan))
    with pytest.raises(ValueError, match="one of several places"):
        weigh_place(curve[:1], 0)
