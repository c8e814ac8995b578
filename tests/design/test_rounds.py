"""After the rounds that are always measured come those of a stop rule, and those that are measured again."""

from coldcache.design.rounds import CaseRuns, find_repetition


def repetitions(runs, fixed=3, rounds=7):
    return [find_repetition(runs, number, fixed) for number in range(rounds)]


def test_a_case_with_fixed_repetitions_has_one_in_each_of_the_first_rounds():
    assert repetitions(CaseRuns("a", 3, 3)) == [0, 1, 2, None, None, None, None]


def test_a_stop_rule_may_ask_for_a_repetition_in_every_further_round():
    assert repetitions(CaseRuns("a", 3, 6)) == [0, 1, 2, 3, 4, 5, None]


def test_rounds_that_are_measured_again_follow_those_that_are_always_measured():
    assert repetitions(CaseRuns("a", 3, 3, repeats=2)) == [0, 1, 2, 3, 4, None, None]
    # A case with fewer repetitions than its study has fixed rounds.
    assert repetitions(CaseRuns("a", 2, 2, repeats=2)) == [0, 1, None, 2, 3, None, None]
