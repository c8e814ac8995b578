"""Levels by a rule: doubling up to the machine, shares of a total, and levels that follow from another factor."""

import pytest
from pydantic import ValidationError

from coldcache.core.errors import DesignError
from coldcache.design.levels import Doubling, Lookup, Share, check_levels, stored_level


@pytest.mark.parametrize(
    ("rule", "cores", "most", "levels"),
    [
        ({"last": 8}, 1, None, [1, 2, 4, 8]),
        # The last level is reached although it is no power of two.
        ({"last": 12}, 1, None, [1, 2, 4, 8, 12]),
        ({"first": 3, "last": 30, "factor": 3}, 1, None, [3, 9, 27, 30]),
        ({"last_per_core": 1}, 6, None, [1, 2, 4, 6]),
        ({"last_per_core": 4}, 2, 5, [1, 2, 4, 5]),
        # Never less than the first.
        ({"first": 4, "last_per_core": 0.1}, 2, None, [4]),
        ({"first": 4, "last": 8}, 1, 2, [4]),
    ],
)
def test_levels_double_up_to_the_last(rule, cores, most, levels):
    assert Doubling(**rule).levels(cores, most) == levels


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({}, "state either last or last_per_core"),
        ({"last": 8, "last_per_core": 1}, "state either last or last_per_core"),
        ({"first": 8, "last": 4}, r"last \(4\) is below first \(8\)"),
    ],
)
def test_doubling_has_one_end_above_its_beginning(rule, message):
    with pytest.raises(ValidationError, match=message):
        Doubling(**rule)


def test_a_total_is_divided_among_the_threads():
    assert Share(aggregate="8 GiB").level(4, "B") == 2 * 2**30
    assert Share(aggregate=320).level(32, "1") == 10
    assert Share(aggregate="1 GiB", at_most="100 MiB").level(4, "B") == 100 * 2**20
    assert Share(aggregate="1 GiB", times="stripe_count").level(2, "B", times=3) == 3 * 2**29


def test_what_a_probe_asks_for_raises_a_smaller_total():
    share = Share(aggregate="1 GiB", lasts="3 s")
    assert share.level(2, "B", least=2**31) == 2**30
    assert share.level(2, "B", least=2**20) == 2**29


def test_a_multiple_of_memory_is_that_of_all_clients_and_at_most_that_of_one_per_thread():
    assert Share(memory=2).level(8, "B", memory=2**30, nodes=2) == 2**29
    assert Share(memory=2).level(1, "B", memory=2**30, nodes=4) == 2 * 2**30


@pytest.mark.parametrize(("how", "level"), [("down", 3), ("up", 4)])
def test_a_total_that_does_not_divide_is_rounded_as_stated(how, level):
    assert Share(aggregate=10, round=how).level(3, "1") == level
    with pytest.raises(DesignError, match="10 does not divide by 3 threads; set round to down or up"):
        Share(aggregate=10).level(3, "1")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ({}, "state either aggregate or memory"),
        ({"aggregate": "1 GiB", "memory": 2}, "state either aggregate or memory"),
        ({"memory": 2, "lasts": "3 s"}, "lasts: state an aggregate with it"),
    ],
)
def test_a_share_has_one_total(rule, message):
    with pytest.raises(ValidationError, match=message):
        Share(**rule)


def test_a_level_follows_from_that_of_another_factor():
    lookup = Lookup(by="instance_type", levels={"m5n.large": 2, "r5n.large": 4})
    assert lookup.level("r5n.large") == 4
    with pytest.raises(DesignError, match=r'has no level for instance_type "m5n.lage"; did you mean "m5n.large"'):
        lookup.level("m5n.lage")


@pytest.mark.parametrize(
    ("by", "levels", "given", "level"),
    [
        ("transfer_size", {"4 KiB": 16, "1 MiB": 32}, 4096, 16),
        ("transfer_size", {"4 KiB": 16, "1048576": 32}, 2**20, 32),
        ("direct_io", {"true": 1, False: 2}, False, 2),
        ("direct_io", {True: 1, "false": 2}, True, 1),
        ("threads", {1: 16, 2: 32}, 2, 32),
        ("write_cache", {True: 1, "off": 2}, "on", 1),
        ("instance_type", {"true": 3}, "true", 3),
    ],
)
def test_the_level_of_another_factor_is_compared_as_it_is_stored(by, levels, given, level):
    assert Lookup(by=by, levels=levels).level(given) == level


@pytest.mark.parametrize(
    ("factor", "level", "stored"),
    [
        ("transfer_size", "64 KiB", 65536), ("threads", 4.0, 4), ("target_rate", "10 MB/s", 10_000_000),
        ("file_layout", "shared-file", "shared-file"), ("direct_io", "where-possible", "where-possible"),
        # YAML reads a bare on as a boolean.
        ("write_cache", True, "on"),
    ],
)  # fmt: skip
def test_a_level_is_stored_in_the_unit_of_its_factor(factor, level, stored):
    assert stored_level(factor, level) == stored


@pytest.mark.parametrize(
    ("factor", "level", "message"),
    [
        ("transfer_size", "0 B", "0 B is not at least 1 B"),
        ("threads", 2.5, "2.5 is not a whole number of at least 1"),
        ("threads", 0, "0 is not a whole number of at least 1"),
        ("file_layout", "shared", 'unknown level "shared"; did you mean "shared-file"'),
        ("direct_io", "yes", 'unknown level "yes"'),
        ("metadata_iops", 5000, "5,000|5000"),
        ("nconnect", 64, "64"),
    ],
)
def test_a_level_that_the_factor_cannot_have_is_refused(factor, level, message):
    with pytest.raises(DesignError, match=message):
        stored_level(factor, level)


@pytest.mark.parametrize(
    ("factor", "levels", "message"),
    [
        ("transfer_size", ["1 MiB", "1024 KiB"], 'the level "1024 KiB" appears twice, first as "1 MiB"'),
        ("threads", [1, 1], 'the level "1" appears twice$'),
        ("write_cache", Doubling(last=4), "its levels are names: list them"),
        ("threads", Share(memory=2), "memory: divides bytes only"),
        (
            "file_size",
            Lookup(by="thread", levels={"1": "1 MiB"}),
            'by: unknown factor "thread"; did you mean "threads"',
        ),
        ("file_size", Lookup(by="threads", levels={"1": "1 MB/s"}), "unknown unit"),
        ("file_size", Lookup(by="threads", levels={"one": "1 MiB"}), "levels: .*one"),
        (
            "file_size",
            Lookup(by="transfer_size", levels={"4 KiB": "1 MiB", 4096: "2 MiB"}),
            'levels: the level "4096" appears twice, first as "4 KiB"',
        ),
        ("file_size", Share(aggregate="1 MB/s"), "unknown unit"),
    ],
)
def test_levels_are_checked_when_a_study_is_read(factor, levels, message):
    with pytest.raises(DesignError, match=message):
        check_levels(factor, levels)
