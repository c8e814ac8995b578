"""Tests of means are Student's, tests of medians are the sign test, and neither is doubled."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

from coldcache.statistics.dependence import INDEPENDENT, Rounds
from coldcache.statistics.limits import LimitPair, weigh_mean, weigh_means, weigh_median, weigh_sides
from coldcache.statistics.widening import chances_of_side, widening

VALUES = np.array([0.03, 0.11, 0.08, 0.05, 0.13, 0.02, 0.09, -0.01])
ABOVE = LimitPair(0.0, np.inf)


def test_one_limit_has_two_one_sided_tests_that_are_complementary():
    found, oracle = weigh_mean(VALUES, ABOVE), DescrStatsW(VALUES)
    assert found.p_for == pytest.approx(oracle.ttest_mean(0.0, alternative="larger")[1])
    assert found.p_against == pytest.approx(oracle.ttest_mean(0.0, alternative="smaller")[1])
    assert found.p_for + found.p_against == pytest.approx(1.0)
    assert (found.low, found.high) == pytest.approx(oracle.tconfint_mean(0.05))


def test_two_limits_are_those_of_two_one_sided_tests():
    found, oracle = weigh_mean(VALUES, LimitPair(-0.2, 0.2)), DescrStatsW(VALUES)
    larger, smaller = (
        oracle.ttest_mean(limit, alternative=side)[1] for limit, side in ((-0.2, "larger"), (0.2, "smaller"))
    )
    assert found.p_for == pytest.approx(max(larger, smaller))


def test_dependent_rounds_have_a_larger_standard_error():
    stated = Rounds(0.5, 0.5)
    plain, dependent = weigh_mean(VALUES, ABOVE), weigh_mean(VALUES, ABOVE, stated)
    factor = widening(8, stated)
    assert dependent.high - dependent.mean == pytest.approx(factor * (plain.high - plain.mean))
    assert dependent.p_for > plain.p_for


@pytest.mark.parametrize("limit", [-0.05, 0.0, 0.04, 0.2])
def test_the_median_has_the_p_values_of_scipys_quantile_test(limit):
    p_for, p_against = weigh_median(VALUES, LimitPair(limit, np.inf))
    oracle = [stats.quantile_test(VALUES, q=limit, p=0.5, alternative=side).pvalue for side in ("greater", "less")]
    assert (p_for, p_against) == pytest.approx(oracle)
    below = weigh_median(VALUES, LimitPair(-np.inf, limit))
    assert below == pytest.approx(oracle[::-1])


def test_a_median_between_two_limits_needs_both():
    assert weigh_median(VALUES, LimitPair(-1.0, 1.0))[0] == pytest.approx(2**-8)
    assert weigh_median(VALUES, LimitPair(0.0, 1.0))[0] == pytest.approx(9 / 2**8)
    # By chance they may lie beyond either limit.
    assert weigh_median(VALUES, LimitPair(1.0, 2.0))[1] == pytest.approx(2**-7)


def test_many_means_and_medians_are_tested_as_each_is_alone():
    values = np.random.default_rng(3).normal(0.1, 1, (2, 3, 8))
    values[1, 2, 4:] = np.nan
    values[0, 0, 0] = np.nan
    limits = LimitPair(-0.5, 0.7)
    together = weigh_means(values, limits)
    for place in np.ndindex(2, 3):
        assert together.one(*place) == pytest.approx(weigh_mean(values[place], limits), nan_ok=True)
    whole = np.random.default_rng(4).normal(0.1, 1, (4, 8))
    found = np.array(weigh_sides(whole, limits, chances_of_side(8, INDEPENDENT))).T
    assert found == pytest.approx(np.array([weigh_median(row, limits) for row in whole]))


def test_dependent_runs_prove_less_of_a_median():
    alone, dependent = weigh_median(VALUES, ABOVE), weigh_median(VALUES, ABOVE, Rounds(0.4, 0.4))
    assert dependent[0] > 2 * alone[0]


def test_runs_worth_fewer_than_two_have_an_interval_and_decide_nothing():
    found = weigh_mean(VALUES, ABOVE, Rounds(0.85, 0.85))
    assert (found.p_for, found.p_against) == (1.0, 1.0)
    assert found.low < found.mean < found.high
    assert weigh_median(VALUES, ABOVE, Rounds(0.85, 0.85)) == (1.0, 1.0)


def test_fewer_than_five_rounds_decide_nothing():
    found = weigh_mean(np.array([1.0, 1.01, 1.02, 1.01]), ABOVE)
    assert (found.p_for, found.p_against, found.n) == (1.0, 1.0, 4)
    assert np.isnan([found.low, found.high]).all()
    assert weigh_median(np.array([1.0, 1.01, 1.02, 1.01]), ABOVE) == (1.0, 1.0)
