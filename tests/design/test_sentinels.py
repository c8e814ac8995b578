"""A sentinel runs as often as the blocks that are arranged have room for."""

import pytest

from coldcache.design.rounds import CaseRuns, find_repetition
from coldcache.design.sentinels import count_sentinels

CASES = [CaseRuns("a", 3, 3)] * 5 + [CaseRuns("b", 3, 9)] * 2


@pytest.mark.parametrize(
    ("order", "every", "count"),
    [
        # Three rounds of five trials and of two, and one at the end.
        ("rounds", 4, (10, 0)),
        ("rounds", 7, (7, 0)),
        # Sweeps of 15 and of 18 trials at most.
        ("sweeps", 5, (1 + 3 + 1 + 4, 0)),
    ],
)
def test_it_runs_at_the_begin_of_each_part_and_at_the_end(order, every, count):
    assert count_sentinels(CASES, every, order) == count


def test_it_runs_in_rounds_that_are_measured_again_too():
    # Each has a part of five trials, and one at the end; a part of which a stop rule decides has no such trials.
    assert count_sentinels([CaseRuns("a", 3, 3, 2)] * 5 + [CaseRuns("b", 3, 3)], 4, "rounds") == (1 + 3 * 3, 2 * 3)


def test_a_round_beyond_has_what_a_stop_rule_asks_for_and_what_is_measured_again():
    fewer, open_ended = CaseRuns("a", 3, 3, 2), CaseRuns("b", 5, 7)
    assert [find_repetition(fewer, number, 5) for number in range(8)] == [0, 1, 2, None, None, 3, 4, None]
    assert [find_repetition(open_ended, number, 5) for number in range(8)] == [0, 1, 2, 3, 4, 5, 6, None]


def test_without_other_cases_it_does_not_run():
    assert count_sentinels([], 4, "rounds") == (0, 0)
