"""Trials of a case that lie far apart, or in two groups, have two modes, either side of the widest gap."""

import numpy as np
import pytest

from coldcache.verdicts.modes import describe_modes
from coldcache.verdicts.thresholds import Thresholds


@pytest.mark.parametrize(
    ("figures", "found"),
    [
        ([1.0, 3.0], None),
        ([1.0, 3.1], "1 near 1.00/s and 1 near 3.10/s"),
        ([5.0], None),
        ([], None),
        ([1.0, 2.0, 10.0, 11.0], "2 near 2.00/s and 2 near 11.0/s"),
        ([100.0, 1.0, 90.0, 99.0], "1 near 1.00/s and 3 near 99.0/s"),
        # Less than three times apart, in two groups.
        ([1.0] * 7 + [0.35] * 3, "3 near 0.35/s and 7 near 1.00/s"),
        ([100.0, 103.0, 98.0, 160.0, 155.0], "3 near 100/s and 2 near 160/s"),
        # A group of one is an outlier; a gap of less than a half, or as wide as a group, tells no groups.
        ([100.0, 103.0, 98.0, 160.0], None),
        ([100.0, 101.0, 140.0, 141.0], None),
        ([100.0, 130.0, 200.0, 260.0], None),
    ],
)
def test_the_widest_gap_divides_the_trials(figures, found):
    assert describe_modes(figures, "1/s", Thresholds()) == found


def test_a_site_may_set_both_limits():
    figures = [1.0] * 7 + [0.35] * 3
    assert describe_modes(figures, "1/s", Thresholds(gap=3)) is None
    assert describe_modes(figures, "1/s", Thresholds(gap=3, modes=2)) is not None


@pytest.mark.parametrize(("count", "most"), [(5, 0.04), (6, 0.02), (10, 0.005)])
def test_noise_of_one_mode_is_seldom_taken_for_two(count, most):
    """At most as often as the page on the rules says, at a spread of 30 %."""
    draws = np.exp(np.random.default_rng(1).normal(0, 0.3, (4000, count)))
    found = sum(describe_modes(list(draw), "1/s", Thresholds(modes=1e6)) is not None for draw in draws)
    assert found / len(draws) < most
