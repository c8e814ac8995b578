"""Verdicts on made data have exact figures; direction follows the metric; findings are corrected for their number."""

import numpy as np
import pytest
from scipy import stats

from coldcache.report.comparison.decisions import decide
from coldcache.report.comparison.match import MatchedCase
from coldcache.statistics.dependence import INDEPENDENT
from coldcache.statistics.widening import widening

BASE = (100.0, 101.0, 99.0, 100.5, 99.5)

#: By how much Welch's standard error of five runs on each side is scaled.
FACTOR = widening(5, INDEPENDENT, sides=2)


def case(other, base=BASE, metric="rate", unit="1/s"):
    return MatchedCase("s", "w", "c", "read", metric, unit, np.array(base), np.array(other), "")


def scaled(factor):
    return tuple(factor * value for value in BASE)


def p_of_a_fall_beyond(threshold, other, base=BASE):
    """Return the p-value of Welch's test that a speed fell to no less than 1 / (1 + threshold), nor rose beyond it.

    Its standard error is as much smaller as simulated campaigns of so few runs allow.
    """
    after, before, distance = np.log(other), np.log(base), np.log1p(threshold)
    found = [stats.ttest_ind(after + shift, before, equal_var=False) for shift in (distance, -distance)]
    return sum(stats.t.cdf(one.statistic / FACTOR, one.df) for one in found)


def test_a_fall_by_a_fifth_is_worse_with_the_medians_their_ratio_and_the_p_value_of_welch():
    (found,) = decide([case(scaled(0.8))], 0.05)
    expected = p_of_a_fall_beyond(0.05, scaled(0.8))
    assert (found.verdict, found.base, found.other, found.ratio) == ("worse", 100.0, 80.0, pytest.approx(0.8))
    assert found.p == pytest.approx(expected)
    welch = stats.ttest_ind(np.log(scaled(0.8)), np.log(BASE), equal_var=False).confidence_interval(0.95)
    half = FACTOR * (welch.high - welch.low) / 2
    assert np.log([found.low, found.high]) == pytest.approx(np.log(0.8) + np.array([-half, half]))


@pytest.mark.parametrize(
    ("metric", "unit", "factor", "verdict"),
    [
        ("throughput", "B/s", 1.25, "better"),
        ("throughput", "B/s", 0.8, "worse"),
        ("latency", "s", 1.25, "worse"),
        ("latency", "s", 0.8, "better"),
        ("elapsed", "s", 1.25, "worse"),
        ("rate", "1/s", 1.0, "alike"),
        ("latency", "s", 1.01, "alike"),
    ],
)
def test_less_is_better_for_times_and_more_for_rates(metric, unit, factor, verdict):
    (found,) = decide([case(scaled(factor), metric=metric, unit=unit)], 0.05)
    assert (found.verdict, found.ratio) == (verdict, pytest.approx(factor))


def test_a_change_within_the_threshold_is_alike_and_beyond_a_smaller_one_worse():
    assert [decide([case(scaled(0.97))], threshold)[0].verdict for threshold in (0.05, 0.02)] == ["alike", "worse"]


def test_a_change_that_is_proved_but_not_to_be_beyond_the_threshold_is_undecided():
    fallen = (93.5, 95.5, 94.5, 95.0, 94.0)
    (found,) = decide([case(fallen)], 0.05)
    assert stats.ttest_ind(np.log(fallen), np.log(BASE), equal_var=False).pvalue < 1e-5
    assert (found.verdict, found.ratio) == ("undecided", pytest.approx(stats.gmean(fallen) / stats.gmean(BASE)))
    assert decide([case(fallen)], 0.03)[0].verdict == "worse"


def test_the_same_change_is_undecided_where_many_cases_are_compared():
    noisy = case(base=(100, 104, 96, 102, 98), other=(90, 94, 86, 92, 88))
    alone = decide([noisy], 0.05)[0]
    p = p_of_a_fall_beyond(0.05, noisy.other, noisy.base)
    assert (alone.verdict, alone.p) == ("worse", pytest.approx(p))
    among = decide([noisy] + [case(scaled(1.0))] * 49, 0.05)[0]
    assert (among.verdict, among.p) == ("undecided", pytest.approx(min(50 * p, 1)))
    assert among.smallest > alone.smallest > 1.05


def test_one_value_on_a_side_decides_nothing_and_shows_nothing():
    (found,) = decide([case((50.0,))], 0.05)
    assert (found.verdict, found.ratio, found.smallest) == ("undecided", pytest.approx(50 / stats.gmean(BASE)), np.inf)
    assert np.isnan([found.low, found.high, found.p]).all()


def test_repetitions_that_are_all_equal_are_separated_exactly():
    found = decide([case((90.0,) * 5, base=(100.0,) * 5), case((100.0,) * 5, base=(100.0,) * 5)], 0.05)
    assert [decision.verdict for decision in found] == ["worse", "alike"]


def test_no_case_gives_no_decision():
    assert decide([], 0.05) == []


def test_of_campaigns_that_are_alike_at_most_five_per_cent_name_any_change():
    random = np.random.default_rng(1)
    named = sum(
        any(found.verdict in ("worse", "better") for found in decide(
            [case(random.lognormal(5, 0.05, 5), base=random.lognormal(5, 0.05, 5)) for _ in range(12)], 0.05
        ))
        for _ in range(100)
    )  # fmt: skip
    assert named <= 9, "binomial with 100 campaigns at 5 %: 9 is the 97 % quantile"


def test_a_fall_by_the_smallest_change_that_would_have_shown_is_found_in_four_of_five():
    # From fewer runs the correlation of a single case is uncertain, and with it what would have shown.
    random = np.random.default_rng(2)
    smallest = [decide([case(random.lognormal(5, 0.05, 20), base=random.lognormal(5, 0.05, 20))], 0.05)[0].smallest
                for _ in range(100)]  # fmt: skip
    fall = float(np.median(smallest))
    found = [
        decide([case(random.lognormal(5, 0.05, 20) / fall, base=random.lognormal(5, 0.05, 20))], 0.05)[0].verdict
        for _ in range(100)
    ]
    assert 0.68 < found.count("worse") / 100 < 0.91
