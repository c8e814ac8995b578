"""Rounds that choose a peak do not test it, and a false verdict comes no more often than stated."""

import numpy as np
import pytest

from coldcache.statistics.limits import Limits, weigh_mean
from coldcache.statistics.peaks import choose_peak, compare_peaks, weigh_place
from coldcache.statistics.simulation.verdicts import verdict_table

ABOVE = Limits(0.0, np.inf)


@pytest.fixture
def curve():
    """Six levels of twelve rounds; the fourth is highest by 0.5."""
    levels = np.array([0.0, 0.1, 0.2, 0.7, 0.2, 0.1])
    return levels[:, None] + np.random.default_rng(4).normal(0, 0.02, (6, 12))


def test_even_rounds_choose_and_odd_rounds_test(curve):
    below = curve - 0.3
    found = compare_peaks(curve, below, ABOVE)
    expected = weigh_mean((curve[3] - below[3])[1::2], ABOVE)
    assert (found.places, found.test.n, found.test.mean) == ((3, 3), 6, expected.mean)
    lifted = curve.copy()
    lifted[1, 1::2] += 5
    # What only the odd rounds show chooses nothing.
    assert choose_peak(lifted) == 3
    lifted[1, ::2] += 5
    assert choose_peak(lifted) == 1


def test_a_peak_is_above_another_if_it_beats_every_place_of_that_curve(curve):
    assert compare_peaks(curve, curve - 0.3, ABOVE).p_for < 0.001
    assert compare_peaks(curve, curve + 0.3, ABOVE).p_against < 0.001
    hidden = curve - 0.3
    # Only the odd rounds of another place are higher: the peak of the other curve is not chosen, but not beaten.
    hidden[0, 1::2] += 5
    assert compare_peaks(curve, hidden, ABOVE).p_for > 0.5


def test_limits_on_both_sides_are_tested_on_both(curve):
    near = Limits(-0.1, 0.1)
    assert compare_peaks(curve, curve[::-1], near).p_for < 0.001
    assert compare_peaks(curve, curve - 0.3, near).p_against < 0.001


def test_a_place_is_a_peak_if_it_beats_every_other(curve):
    assert weigh_place(curve, 3).p_for < 0.001
    assert weigh_place(curve, 2).p_against < 0.001
    assert weigh_place(curve, 2).places == (2, 3)


def test_without_rounds_or_places_there_is_no_peak(curve):
    with pytest.raises(ValueError, match="no round is left to choose a peak"):
        choose_peak(np.full((3, 4), np.nan))
    with pytest.raises(ValueError, match="one of several places"):
        weigh_place(curve[:1], 0)


@pytest.mark.slow
def test_false_verdicts_on_equal_peaks_are_rarer_than_one_in_twenty_and_naive_ones_are_not():
    table = verdict_table(600).set_index(["claim", "rounds"])
    assert (table.label == "as stated").all(), table
    assert table.loc["the place of a peak"].naive.min() > 0.08
    assert table.found["the place of a peak", 20] > 0.95
