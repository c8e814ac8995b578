"""A sentinel runs as often as the blocks that are arranged have room for."""

import pytest

from coldcache.design.sentinels import Runs, count_sentinels

CASES = [Runs("a", 3, 3)] * 5 + [Runs("b", 3, 9)] * 2


@pytest.mark.parametrize(
    ("order", "every", "count"),
    [
        # Rounds of seven trials: two parts of four and three, three times, and one at the end.
        ("rounds", 4, 7),
        ("rounds", 7, 4),
        # Sweeps of 15 and of 18 trials at most.
        ("sweeps", 5, 1 + 3 + 1 + 4),
    ],
)
def test_it_runs_at_the_begin_of_each_part_and_at_the_end(order, every, count):
    assert count_sentinels(CASES, every, order) == count


def test_without_other_cases_it_does_not_run():
    assert count_sentinels([], 4, "rounds") == 0
