"""A case goes on until its interval is narrow enough or the budget is spent."""

import numpy as np
import pytest

from coldcache.statistics.stopping import Stop, enough

CLOSE = [100.0, 101.0, 99.0, 100.5, 99.5]


def test_nine_close_values_are_enough():
    found = enough([*CLOSE, *CLOSE[:4]], 0.1)
    assert found == Stop(True, pytest.approx(0.02, rel=0.01), "narrow enough", 0)


def test_fewer_than_nine_cannot_bound_a_median_at_the_level_looked_at():
    """The range of nine values covers their median with 99.6 %, that of eight with 99.2 %, that of five with 93.8 %."""
    assert enough([*CLOSE, *CLOSE[:3]], 0.1) == Stop(False, pytest.approx(0.02), None, 1)
    assert enough(CLOSE, 0.1) == Stop(False, pytest.approx(0.02), None, 4)
    assert enough(CLOSE, 0.1, level=0.9) == Stop(True, pytest.approx(0.028 / 1.7), "narrow enough", 0)


def test_wide_interval_asks_for_more_in_proportion_to_the_square():
    """The width of 0.4 is twice what is wanted, so four times the nine repetitions are expected, 30 at most."""
    values = [1.0, 1.2, 0.8, 1.02, 1.0, 1.1, 0.9, 1.2, 0.8]
    found = enough(values, 0.2, most=40)
    assert found.relative_width == pytest.approx(0.4, rel=0.01)
    assert (found.enough, found.further) == (False, 27)
    assert enough(values, 0.2).further == 21


def test_most_repetitions_end_a_case():
    assert enough([1.0, 2.0] * 5, 0.1, most=10).reason == "most repetitions reached"


def test_failed_trials_count_towards_the_most():
    found = enough([np.nan] * 8, 0.1, most=8)
    assert (found.enough, found.reason) == (True, "most repetitions reached")
    assert np.isnan(found.relative_width)


def test_budget_ends_a_case():
    assert enough([1.0, 2.0], 0.1, seconds_left=3, seconds_each=4).reason == "budget spent"
    assert not enough([1.0, 2.0], 0.1, seconds_left=5, seconds_each=4).enough


def test_no_value_yet_asks_for_the_fewest_that_may_be_enough():
    assert enough([], 0.1).further == 9
    assert enough([], 0.1, least=12).further == 12


def test_wrong_use_is_told_what_to_do():
    with pytest.raises(ValueError, match=r"a relative width of 0 is never reached: ask for 0\.1 or so"):
        enough([1.0], 0)
    with pytest.raises(ValueError, match="at most 3 repetitions but at least 5: raise the most"):
        enough([1.0], 0.1, most=3)
