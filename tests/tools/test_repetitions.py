"""Runs of one test in one log are counted through, and others stay as they are."""

from coldcache.core.records import Record
from coldcache.tools.repetitions import number_runs


def make(operation, repetition, **factors):
    return Record("ior", None, operation, "rate", "max", 1.0, "1/s", repetition, "", 0, 1, "1", (), factors)


def numbers(runs):
    return [record.repetition for record in number_runs(runs)]


def test_a_later_run_begins_behind_the_repetitions_of_the_earlier_ones():
    run = [make("write", 0), make("write", 1), make("write", None)]
    assert numbers([run, run, run]) == [0, 1, 0, 2, 3, 2, 4, 5, 4]


def test_figures_without_repetitions_are_numbered_by_their_run():
    assert numbers([[make("write", None)], [make("write", None), make("read", None)]]) == [0, 1, None]


def test_other_operations_and_factors_stay_as_they_are():
    runs = [[make("write", 0, threads=1), make("write", None, threads=2)], [make("read", 0, threads=1)]]
    assert number_runs(runs) == [record for run in runs for record in run]
    assert numbers([runs[0]]) == [0, None]


def test_the_rank_of_a_figure_is_no_factor_of_its_test():
    assert numbers([[make("write", None, rank=0)], [make("write", None, rank=1)]]) == [0, 1]
