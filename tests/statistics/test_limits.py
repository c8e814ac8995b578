"""Tests of means are Student's, tests of medians are the sign test, and neither is doubled."""

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.weightstats import DescrStatsW

from coldcache.statistics.dependence import widening
from coldcache.statistics.limits import Limits, weigh_mean, weigh_median

VALUES = np.array([0.03, 0.11, 0.08, 0.05, 0.13, 0.02, 0.09, -0.01])
ABOVE = Limits(0.0, np.inf)


def test_one_limit_has_two_one_sided_tests_that_are_complementary():
    found, oracle = weigh_mean(VALUES, ABOVE), DescrStatsW(VALUES)
    assert found.p_for == pytest.approx(oracle.ttest_mean(0.0, alternative="larger")[1])
    assert found.p_against == pytest.approx(oracle.ttest_mean(0.0, alternative="smaller")[1])
    assert found.p_for + found.p_against == pytest.approx(1.0)
    assert (found.low, found.high) == pytest.approx(oracle.tconfint_mean(0.05))


def test_two_limits_are_those_of_two_one_sided_tests():
    found, oracle = weigh_mean(VALUES, Limits(-0.2, 0.2)), DescrStatsW(VALUES)
    larger, smaller = (
        oracle.ttest_mean(limit, alternative=side)[1] for limit, side in ((-0.2, "larger"), (0.2, "smaller"))
    )
    assert found.p_for == pytest.approx(max(larger, smaller))


def test_dependent_rounds_have_a_larger_standard_error():
    plain, dependent = weigh_mean(VALUES, ABOVE), weigh_mean(VALUES, ABOVE, 0.5)
    factor = widening(8, 0.5, 0.95)
    assert dependent.high - dependent.mean == pytest.approx(factor * (plain.high - plain.mean))
    assert dependent.p_for > plain.p_for


@pytest.mark.parametrize("limit", [-0.05, 0.0, 0.04, 0.2])
def test_the_median_has_the_p_values_of_scipys_quantile_test(limit):
    p_for, p_against = weigh_median(VALUES, Limits(limit, np.inf))
    oracle = [stats.quantile_test(VALUES, q=limit, p=0.5, alternative=side).pvalue for side in ("greater", "less")]
    assert (p_for, p_against) == pytest.approx(oracle)
    below = weigh_median(VALUES, Limits(-np.inf, limit))
    assert below == pytest.approx(oracle[::-1])


def test_a_median_between_two_limits_needs_both():
    assert weigh_median(VALUES, Limits(-1.0, 1.0))[0] == pytest.approx(2**-8)
    assert weigh_median(VALUES, Limits(0.0, 1.0))[0] == pytest.approx(9 / 2**8)
    assert weigh_median(VALUES, Limits(1.0, 2.0))[1] == pytest.approx(2**-8)


def test_fewer_than_five_rounds_decide_nothing():
    found = weigh_mean(np.array([1.0, 1.01, 1.02, 1.01]), ABOVE)
    assert (found.p_for, found.p_against, found.n) == (1.0, 1.0, 4)
    assert np.isnan([found.low, found.high]).all()
    assert weigh_median(np.array([1.0, 1.01, 1.02, 1.01]), ABOVE) == (1.0, 1.0)
