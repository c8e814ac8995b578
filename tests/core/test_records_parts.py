"""Trials in a log are told apart by factors and repetitions, never by the figures of single processes."""

from pathlib import Path

import pytest

from coldcache.core.errors import LogError
from coldcache.core.records import Record, learn_factors, name_share, split_records
from coldcache.tools import read_file

SPECIMENS = Path(__file__).parents[1] / "specimens"


def split(name):
    return split_records(read_file(SPECIMENS / name))


def record(**changes):
    plain = Record("ior", "4.0.0", "write", "throughput", "value", 1.0, "B/s", None, "", 0, 1, "1")
    return plain._replace(**changes)


def test_each_repetition_of_ior_is_a_trial():
    parts = split("ior-4.0.0-rep3.txt")
    assert [(part.repetition, part.operations, len(part.records)) for part in parts] == [
        (0, ("write", "read"), 32),
        (1, ("write", "read"), 14),
        (2, ("write", "read"), 14),
    ]
    assert parts[1].factors == {
        "threads": 4, "nodes": 1, "transfer_size": 2**20, "file_size": 2**24, "file_layout": "file-per-thread",
        "direct_io": False,
    }  # fmt: skip


def test_statistics_over_repetitions_stand_with_the_first():
    first, second, _ = split("ior-4.0.0-rep3.txt")
    assert {found.statistic for found in first.records} == {"value", "max", "min", "mean", "stddev"}
    assert {found.statistic for found in second.records} == {"value"}


def test_rows_of_rank_0_alone_make_no_repetitions():
    *trees, files = split("mdtest-400-fsx.txt")
    assert files.operations == ("file-create", "file-stat", "file-read", "file-remove")
    assert (files.repetition, files.factors["files"], files.factors["fsync"]) == (None, 100, False)
    assert {name_share(found) for found in files.records if found.repetition is not None} == {"one of several"}
    assert [part.repetition for part in trees] == [0, 1, 2]


def test_every_record_belongs_to_one_trial():
    for log in sorted(SPECIMENS.glob("mdtest-*0-*.txt")):
        try:
            records = read_file(log)
        except LogError:
            continue
        together = [found for part in split_records(records) for found in part.records]
        assert sorted(together, key=lambda found: found.offset) == sorted(records, key=lambda found: found.offset)


@pytest.mark.parametrize(
    ("told", "learnt"),
    [
        ({"threads": 4, "items": 400, "iterations": 3}, {"threads": 4, "files": 100}),
        ({"threads": 3, "items": 400}, {"threads": 3}),
        ({"items": 400}, {}),
        ({"depth": 1, "threads": 2, "rank": 1, "time": 0.5}, {"threads": 2, "depth": 1}),
    ],
)
def test_items_over_all_ranks_become_files_per_thread(told, learnt):
    assert learn_factors(told) == learnt


@pytest.mark.parametrize(
    ("changes", "share"),
    [
        ({}, None),
        ({"factors": {"process": 3}}, "process=3"),
        ({"factors": {"time": 1.5}}, "time=1.5"),
        ({"caveats": ("rank-0-only",)}, "one of several"),
        ({"definition": "one client of several: all calls"}, "one of several"),
    ],
)
def test_shares_of_a_trial_are_named(changes, share):
    assert name_share(record(**changes)) == share


def test_operations_without_repetitions_stand_with_the_first():
    parts = split_records([record(repetition=1), record(operation="read"), record(repetition=0)])
    assert [(part.repetition, part.operations) for part in parts] == [(0, ("read", "write")), (1, ("write",))]
