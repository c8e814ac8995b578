"""Comparisons of campaigns are Welch's, show what lies within or beyond a margin, and what could have been seen."""

import numpy as np
import pytest
from scipy import stats

from coldcache.statistics.dependence import INDEPENDENT, Rounds
from coldcache.statistics.equivalence import adjust, compare, pairs_needed, smallest_ratio
from coldcache.statistics.widening import widening

ON = [102.0, 99.0, 101.0, 97.0, 103.0, 100.0]
OFF = [100.0, 101.0, 99.0, 98.0, 100.0, 102.0]


def test_a_comparison_is_welchs_with_the_factor_of_two_campaigns():
    factor = widening(6, INDEPENDENT, sides=2)
    expected = stats.ttest_ind(np.log(ON), np.log(OFF), equal_var=False)
    found = compare(ON, OFF)
    assert 0.96 < factor < 1
    interval = expected.confidence_interval(0.95)
    half = factor * (interval.high - interval.low) / 2
    assert np.log([found.low, found.high]) == pytest.approx(np.log(found.ratio) + np.array([-half, half]))
    assert found.ratio == pytest.approx(stats.gmean(ON) / stats.gmean(OFF))
    shift = np.log(1.05)
    one_sided = [
        stats.t.cdf((-shift + sign * np.log(found.ratio)) / (half / stats.t.ppf(0.975, expected.df)), expected.df)
        for sign in (1, -1)
    ]
    assert found.p_equivalence == pytest.approx(max(one_sided))


def test_a_ratio_is_proved_to_lie_beyond_the_margin_by_its_distance_from_the_margin():
    near, far = compare(1.1 * np.array(ON), OFF), compare(1.3 * np.array(ON), OFF)
    assert far.p_beyond < near.p_beyond < 0.05
    assert compare(OFF, 1.1 * np.array(ON)).p_beyond == pytest.approx(near.p_beyond)
    # What lies within is beyond with a probability above one half.
    assert compare(ON, OFF).p_beyond > 0.5


def test_the_smallest_ratio_beyond_a_margin_adds_the_margin_to_what_many_runs_show():
    random = np.random.default_rng(3)
    smallest = compare(random.lognormal(0, 0.05, 2000), random.lognormal(0, 0.05, 2000)).smallest_beyond
    assert smallest == pytest.approx(1.05 * np.exp((1.645 + 0.842) * 0.05 * np.sqrt(2 / 2000)), rel=1e-3)


def test_sides_may_differ_in_number_and_missing_values_do_not_count():
    assert compare([*ON, np.nan], OFF[:5]) == compare(ON, [*OFF[:5], np.nan])
    assert compare(ON, OFF[:5]).n == 5


def test_dependent_runs_show_less_and_those_worth_fewer_than_two_nothing():
    stated = Rounds(0.4, 0.4), Rounds(0.4, 0.4)
    plain, dependent = compare(1.3 * np.array(ON), OFF), compare(1.3 * np.array(ON), OFF, rounds=stated)
    assert dependent.low < plain.low
    assert dependent.p_beyond > plain.p_beyond
    nothing = compare(1.3 * np.array(ON), OFF, rounds=(Rounds(0.8, 0.8), INDEPENDENT))
    assert np.isnan([nothing.p_beyond, nothing.p_equivalence]).all()
    assert nothing.low < nothing.ratio < nothing.high


def test_one_run_decides_nothing():
    found = compare([2.0], [1.0])
    assert (found.ratio, found.n, found.smallest_beyond) == (2.0, 1, np.inf)
    assert np.isnan([found.low, found.p_beyond, found.p_equivalence]).all()


def test_smallest_ratio_of_five_pairs_at_five_percent():
    """The power of the two-sided t test at this ratio, from the non-central t distribution, is 0.8."""
    ratio = smallest_ratio(0.05, 5)
    power = stats.nct.sf(stats.t.ppf(0.975, 4), 4, np.log(ratio) / (0.05 / np.sqrt(5)))
    assert power == pytest.approx(0.8)
    assert ratio == pytest.approx(1.0877, abs=1e-4)


def test_pairs_needed_is_the_least_number_that_is_enough():
    needed = pairs_needed(0.05, 1.05)
    assert smallest_ratio(0.05, needed) <= 1.05 < smallest_ratio(0.05, needed - 1)
    assert pairs_needed(0.05, 1 / 1.05) == needed


def test_holm_by_hand():
    """Sorted 0.005 x 4, 0.01 x 3, 0.03 x 2, 0.04 x 1, none below the one before; NaN does not count."""
    np.testing.assert_allclose(adjust([0.01, 0.04, np.nan, 0.03, 0.005]), [0.03, 0.06, np.nan, 0.06, 0.02])


@pytest.mark.parametrize("method", ["holm", "benjamini-hochberg"])
def test_all_cases_of_an_array_are_one_family(method):
    raw = np.array([[0.01, 0.04, np.nan], [0.03, 0.005, 0.5]])
    np.testing.assert_array_equal(adjust(raw, method), adjust(raw.ravel(), method).reshape(2, 3))


def test_benjamini_hochberg_is_scipys():
    raw = np.array([0.01, 0.04, 0.03, 0.005])
    np.testing.assert_allclose(adjust(raw, "benjamini-hochberg"), stats.false_discovery_control(raw))


@pytest.mark.parametrize("method", ["holm", "benjamini-hochberg"])
def test_nothing_to_correct(method):
    assert adjust([], method).size == 0
    assert np.isnan(adjust([np.nan], method)).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: compare([0.0], [1.0]), "compare: a rate is zero or negative: leave void trials out as NaN"),
        (lambda: compare([1.0], [1.0], margin=0), "compare: margin 0 or level 0.95 is out of range: write 5 % as 0.05"),
        (lambda: pairs_needed(0.05, 1.0), "pairs_needed: no number of pairs shows a ratio of 1"),
        (lambda: pairs_needed(5.0, 1.01), "pairs_needed: more than 1000 pairs for a ratio of 1.01 at a spread of 5"),
        (lambda: adjust([0.1], "sidak"), "adjust: method 'sidak' is unknown: choose holm or benjamini-hochberg"),
        (lambda: adjust([1.1]), "adjust: a p-value is not between 0 and 1"),
    ],
)
def test_wrong_use_is_told_what_to_do(call, message):
    with pytest.raises(ValueError) as caught:
        call()
    assert str(caught.value) == message
