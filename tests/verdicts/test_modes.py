"""Trials of a case that lie far apart have two modes, either side of the widest gap."""

import pytest

from coldcache.verdicts.modes import describe_modes


@pytest.mark.parametrize(
    ("figures", "found"),
    [
        ([1.0, 3.0], None),
        ([1.0, 3.1], "1 near 1.00 /s and 1 near 3.10 /s"),
        ([5.0], None),
        ([], None),
        ([1.0, 2.0, 10.0, 11.0], "2 near 2.00 /s and 2 near 11.0 /s"),
        ([100.0, 1.0, 90.0, 99.0], "1 near 1.00 /s and 3 near 99.0 /s"),
    ],
)
def test_the_widest_gap_divides_the_trials(figures, found):
    assert describe_modes(figures, "1/s", 3.0) == found
