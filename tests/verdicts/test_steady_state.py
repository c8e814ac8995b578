"""Rates are steady as SNIA's test defines it: five rounds within 20 % of their mean, their line within 10 %."""

import pytest

from coldcache.verdicts.steady_state import course_of, ends_steady, is_steady
from coldcache.verdicts.thresholds import Thresholds

DEFAULT = Thresholds()


def test_the_course_is_in_shares_of_the_mean():
    assert course_of([90, 100, 110, 100, 100]) == pytest.approx((0.2, 0.08))
    assert course_of([140, 120, 100, 80, 60]) == pytest.approx((0.8, -0.8))
    # numpy's polyfit of the same figures.
    assert course_of([3.0, 1.0, 4.0, 1.0, 5.0]).slope == pytest.approx(4 * 0.4 / 2.8)


@pytest.mark.parametrize(
    "rates, steady",
    [
        ([100, 100, 100, 100, 100], True),
        # Within both limits, to the edge: 20 % apart, along a flat line.
        ([90, 110, 100, 110, 90], True),
        ([89, 110, 100, 111, 90], False),
        # 12 % along the line, though only 12 % apart.
        ([94, 97, 100, 103, 106], False),
        ([106, 103, 100, 97, 94], False),
        ([95, 97.5, 100, 102.5, 105], True),
        ([0, 0, 0, 0, 0], False),
    ],
)
def test_both_limits_hold(rates, steady):
    assert is_steady(course_of(rates), DEFAULT) is steady


def test_only_the_last_five_rounds_count_and_fewer_are_not_steady():
    assert not ends_steady([100] * 4, DEFAULT)
    assert ends_steady([500, 300, *[100] * 5], DEFAULT)
    assert not ends_steady([*[100] * 5, 50], DEFAULT)


def test_the_site_has_the_limits():
    wide = Thresholds(steady_spread=1, steady_slope=1)
    assert is_steady(course_of([140, 120, 100, 80, 60]), wide)
