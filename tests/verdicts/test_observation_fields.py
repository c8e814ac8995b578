"""How long and how much a trial measured, from what its log and its counters state."""

from math import exp

import pytest
from observed import MIB, observe, record

from coldcache.verdicts.observation import (
    count_names,
    crossed_bytes,
    crossing,
    measured_seconds,
    moved_bytes,
    moved_range,
    ramp_share,
)


def test_the_longest_stated_interval_is_the_whole():
    parts = [record("elapsed", 2.0), record("elapsed", 9.0), record("elapsed", 30.0, statistic="max"),
             record("elapsed", 40.0, operation="write")]  # fmt: skip
    assert measured_seconds(observe(records=parts), "read") == 9.0


def test_without_an_interval_it_is_bytes_over_rate():
    factors = {"file_size": 1000 * MIB, "threads": 4}
    assert measured_seconds(observe(records=[record()], factors=factors), "read") == 40.0
    assert measured_seconds(observe(records=[record()]), "read") is None
    assert measured_seconds(observe(records=[record(statistic="max")], factors=factors), "read") is None
    assert measured_seconds(observe(records=[record("rate", 5.0)], factors=factors), "read") is None
    assert measured_seconds(observe(), "write") is None


def test_moved_bytes_are_the_rate_over_the_interval():
    assert moved_bytes(observe(), "read") == 1000 * MIB
    assert moved_bytes(observe(), "write") is None
    assert moved_bytes(observe(records=[record()]), "read") is None
    assert moved_bytes(observe(records=[record(statistic="max"), record("elapsed", 2.0)]), "read") is None


def test_processes_that_are_stated_alone_are_added_up():
    alone = {"definition": "one process of several, by itself"}
    rows = [
        record("throughput_per_process", 10.0, **alone), record("elapsed", 2.0, **alone),
        record("throughput_per_process", 20.0, **alone), record("elapsed", 3.0, **alone),
    ]  # fmt: skip
    assert moved_bytes(observe(records=rows), "read") == 80.0
    assert moved_bytes(observe(records=rows[:3]), "read") is None
    assert moved_bytes(observe(records=rows), "write") is None
    assert moved_bytes(observe(records=[row._replace(definition="") for row in rows]), "read") is None


def test_crossed_bytes_are_the_difference_of_the_counters():
    assert crossed_bytes(observe(), "read_bytes") == 1000 * MIB
    assert crossed_bytes(observe(), "written_bytes") == 0
    assert crossed_bytes(observe(counters=None), "read_bytes") is None
    assert crossed_bytes(observe(counters={"before": {}, "after": {}}), "read_bytes") is None


def test_bytes_cross_the_device_unless_a_server_has_it():
    assert crossing(observe()) == "device"
    assert crossing(observe(counters=None)) == "device"
    assert crossing(observe(counters={"crossing": "wire"})) == "wire"


@pytest.mark.parametrize(
    ("operation", "factors", "least"),
    [
        # As many random writes as blocks leave 1 - 1/e of them to write back, less a tenth.
        ("random-write", {"file_size": 500 * MIB, "threads": 2}, 900 * MIB * (1 - exp(-1))),
        ("random-write", {"file_size": 500 * MIB, "threads": 2, "direct_io": True}, 1000 * MIB),
        ("random-write", {"threads": 2}, 1000 * MIB),
        ("write", {"file_size": 500 * MIB, "threads": 2}, 1000 * MIB),
    ],
)
def test_of_buffered_random_writes_only_the_last_to_each_block_must_cross(operation, factors, least):
    own = [record("throughput", 100.0 * MIB, operation=operation), record("elapsed", 10.0, operation=operation)]
    trial = observe(operation, records=own, factors=factors)
    assert tuple(moved_range(trial, operation)) == (pytest.approx(least), 1000 * MIB)


def test_what_must_cross_is_unknown_where_the_log_does_not_say():
    assert moved_range(observe(records=[]), "read") is None
    assert moved_range(observe(), "write") is None


def test_names_are_those_of_the_log_or_else_those_of_the_plan():
    def count(records, operation="file-create", **factors):
        return count_names(observe(operation, records, factors=factors), operation)

    rate = record("rate", 5.0, "file-create")
    assert count([rate, record("count", 30.0, "file-create"), record("count", 12.0, "file-create")], files=7) == 42
    assert count([rate, record("count", 30.0, "file-stat"), record("count", 9.0, "file-create", "max")]) is None
    assert count([rate], files=7) == 7
    assert count([rate], files=7, threads=3) == 21
    assert count([rate, rate._replace(repetition=1)], files=7, threads=3) == 42
    assert count([rate], directories_per_thread=4, items_per_directory=5, threads=2) == 40
    assert count([rate], directories_per_thread=4) is None
    assert count([], files=7) is None


def test_a_ramp_lets_four_times_its_share_of_the_timed_seconds_cross():
    assert ramp_share(observe(ramp=2.0), "read") == 4 * 2 / 10
    assert ramp_share(observe(ramp=5.0, records=[record("elapsed", 4.0)]), "read") == 5.0
    assert ramp_share(observe(), "read") == 0.0
    assert ramp_share(observe(ramp=2.0, records=[]), "read") == 0.0
