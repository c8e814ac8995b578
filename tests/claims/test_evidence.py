"""Evidence speaks for a claim or against it as often as it may, and no more."""

import numpy as np
import pytest
from scipy import stats

from coldcache.claims.evidence import (
    ComparisonResult,
    combine,
    decide_exactly,
    weigh_bounds,
    weigh_logarithms,
    weigh_values,
)
from coldcache.core.errors import NoData


def test_one_sided_tests_are_those_of_student():
    logs = np.log([1.10, 1.12, 1.11, 1.13, 1.14])
    found = weigh_logarithms(logs, 0.0, np.inf, 8)
    above = stats.ttest_1samp(logs, 0.0, alternative="greater").pvalue
    below = stats.ttest_1samp(logs, 0.0, alternative="less").pvalue
    assert (found.p_for, found.p_against) == (pytest.approx(above), pytest.approx(below))
    low, high = stats.ttest_1samp(logs, 0.0).confidence_interval()
    assert (found.low, found.high) == (pytest.approx(np.exp(low)), pytest.approx(np.exp(high)))
    assert (found.estimate, found.n, found.trials) == (pytest.approx(stats.gmean([1.10, 1.12, 1.11, 1.13, 1.14])), 5, 8)


def test_a_claim_between_two_limits_needs_both_and_either_refutes_it():
    logs = np.array([-0.01, 0.01, 0.0, 0.02, 0.03])
    both, lower, upper = (
        weigh_logarithms(logs, *limits, 4) for limits in ((-0.1, 0.1), (-0.1, np.inf), (-np.inf, 0.1))
    )
    assert both.p_for == pytest.approx(max(lower.p_for, upper.p_for))
    # Below the lower limit or above the upper one: at the nearer limit the other hardly adds anything.
    nearer = min(lower.p_against, upper.p_against)
    assert nearer <= both.p_against < 1.01 * nearer


@pytest.mark.parametrize("true", [0.0, 0.1])
def test_at_a_limit_neither_verdict_comes_more_often_than_one_in_twenty(true):
    random = np.random.default_rng(3)
    found = [weigh_logarithms(true + random.normal(0, 0.05, 5), 0.0, 0.1, 5) for _ in range(2000)]
    # Two standard errors of 5 % in 2,000.
    assert np.mean([one.p_for <= 0.05 for one in found]) <= 0.05 + 0.01
    assert np.mean([one.p_against <= 0.05 for one in found]) <= 0.05 + 0.01


def test_one_repetition_has_an_estimate_and_no_evidence():
    found = weigh_logarithms(np.array([np.nan, np.log(2)]), 0.0, np.inf, 2)
    assert (found.estimate, found.p_for, found.p_against, found.n) == (pytest.approx(2), 1.0, 1.0, 1)
    assert np.isnan(found.low)
    with pytest.raises(NoData):
        weigh_logarithms(np.array([np.nan]), 0.0, np.inf, 0)


def test_a_median_of_five_runs_says_that_its_interval_is_one_of_94_per_cent():
    five = weigh_values(np.array([9, 8, 10, 11, 12], dtype=float), 5.0, np.inf)
    assert (five.low, five.high, five.level) == (8, 12, 0.9375)
    six = weigh_values(np.array([9, 8, 10, 11, 12, 13], dtype=float), 5.0, np.inf)
    assert (six.low, six.high, six.level) == (pytest.approx(8 + 5 / 14), pytest.approx(13 - 5 / 14), 0.95)


def test_bounds_without_a_p_value_give_the_level_at_which_they_exclude():
    def bounds(level: float) -> tuple[float, float]:
        return 10 - level, 10 + level

    assert weigh_bounds(bounds, 9.03, 11) == (pytest.approx(0.025), 1.0)
    # A bound at the limit is inside.
    assert weigh_bounds(bounds, 9.05, 11) == (pytest.approx(0.025), 1.0)
    assert weigh_bounds(bounds, 0, np.inf) == (pytest.approx(0.00005), 1.0)
    assert weigh_bounds(bounds, 10.96, np.inf) == (1.0, pytest.approx(0.025))
    assert weigh_bounds(bounds, 10, np.inf) == (1.0, 1.0)


def test_the_weakest_part_decides_for_a_claim_and_the_strongest_against_it():
    strong, weak = (
        ComparisonResult("strong", p_for=0.001, p_against=0.9),
        ComparisonResult("weak", p_for=0.2, p_against=0.8),
    )
    assert combine([strong, weak])[:1] == ("weak",)
    assert (combine([strong, weak]).p_for, combine([strong, weak]).p_against) == (0.2, 1.0)
    contrary = ComparisonResult("contrary", p_for=0.99, p_against=0.01)
    found = combine([strong, contrary])
    assert (found.says, found.p_for, found.p_against) == ("contrary", 0.99, 0.02)


def test_what_is_counted_refutes_at_once_and_bears_out_only_together():
    counted, missed = ComparisonResult("counted", decided=True), ComparisonResult("missed", decided=False)
    tested = ComparisonResult("tested", p_for=0.01, p_against=0.99)
    assert combine([tested, missed]).decided is False
    assert combine([counted, counted]).decided is True
    found = combine([counted, tested])
    assert (found.decided, found.p_for, found.says) == (None, 0.01, "tested")


def test_a_test_that_finds_nothing_was_made_and_one_of_too_few_runs_or_of_counts_was_not():
    assert ComparisonResult("", n=5).is_tested
    assert not ComparisonResult("", n=4).is_tested
    assert not decide_exactly(np.array([True] * 5 + [False]), "", "trials").is_tested
    assert ComparisonResult("", p_against=0.2).is_tested
