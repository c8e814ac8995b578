"""The level with the highest median is told as a median, not as a test."""

import math
from dataclasses import replace

import pytest
import xarray as xr

from coldcache.analysis.estimates import median_interval
from coldcache.analysis.questions.select import choose
from coldcache.analysis.sentences import best_combinations, describe_best, describe_best_combination, title_best

FILES = ["file-create", "file-stat", "file-read", "file-remove"]


def test_layouts_are_told_by_what_is_fastest(dell):
    (stripes,) = choose(dell, "dell-lustre", "rate", FILES, by=["stripe_count", "stripe_size"], over="threads")
    assert describe_best_combination(stripes, ("stripe_count", "stripe_size")) == (
        "OSTs and stripe size of the metadata tests: stripe count 1 and stripe size 1 MiB has the highest median in 21 "
        "of 21 places (operation and threads); medians alone, no test."
    )
    found = next(iter(choose(dell, "dell-lustre", "throughput", ["write", "read"], by=["stripe_count"])))
    assert (
        title_best(found, "stripe_count")
        == "The highest medians: reads with stripe count 2, writes with stripe count 2"
    )
    assert describe_best(found, "stripe_count").startswith(
        "One thread of one client over several OSTs: the highest median of reads is that of "
    )


def test_the_best_level_is_told_with_the_lowest_and_unknown_ones_are_never_the_best(rise):
    found = rise({"read": [10, 30, 20], "write": [0, 0, 0]})
    found.cells["estimate"].loc[{"operation": "read", "threads": 4}] = math.nan
    assert describe_best(found, "threads") == (
        "A sweep: the highest median of reads is that of threads 2: 30.0 MB/s, the lowest 10.0 MB/s; "
        "the highest median of writes is that of threads 1: 0.00 B/s, the lowest 0.00 B/s."
    )


def test_the_best_level_is_one_whose_figure_reached_the_storage_and_is_not_named_in_memory(sweep):
    place = xr.where(sweep.cube.threads == 2, "storage", "memory").broadcast_like(sweep.cube.verdict)
    mixed = replace(sweep, cube=sweep.cube.assign(reached=place))
    assert mixed.is_in_memory({"operation": "read"})
    assert title_best(mixed, "threads") == (
        "The highest medians: reads with threads 2 (more in memory), writes with threads 2 (more in memory)"
    )
    assert describe_best(mixed, "threads") == (
        "A sweep: the highest median of reads is that of threads 2: 200 MB/s, the lowest 200 MB/s, more in memory; the "
        "highest median of writes is that of threads 2: 70.0 MB/s, the lowest 70.0 MB/s, more in memory."
    )
    inside = replace(sweep, cube=sweep.cube.assign(reached=xr.full_like(place, "memory")))
    assert title_best(inside, "threads") == (
        "The highest medians: reads in memory with threads 4, writes in memory with threads 4"
    )
    assert "the highest median of reads in memory is that of threads 4: 400 MB/s, the lowest 100 MB/s;" in (
        describe_best(inside, "threads")
    )


def test_a_combination_in_memory_is_the_best_only_where_all_are(sweep):
    striped = sweep.cube.rename(threads="stripe_count").expand_dims(threads=[1, 2])
    place = xr.where((striped.stripe_count == 4) | (striped.threads == 2), "memory", "storage")
    cube = striped.assign(reached=place.broadcast_like(striped.verdict))
    found = replace(sweep, cube=cube, cells=sweep.cells.rename(threads="stripe_count").expand_dims(threads=[1, 2]))
    rows = [row for row in best_combinations(found, ["stripe_count"]) if row["operation"] == "read"]
    assert rows == [
        {"operation": "read", "threads": 1, "stripe_count": 2, "median": 200e6, "lowest": 100e6},
        {"operation": "read", "threads": 2, "stripe_count": 4, "median": 400e6, "lowest": 100e6},
    ]


@pytest.fixture
def crossed(sweep):
    """Return a sweep over threads and stripe counts; eight targets are twice as fast as two."""
    parts = [sweep.cube.assign(throughput=sweep.cube.throughput * factor) for factor in (1, 2)]
    cube = xr.concat(parts, xr.Variable("stripe_count", [2, 8])).assign_attrs(sweep.cube.attrs)
    cube = cube.transpose("operation", "threads", "stripe_count", "repetition")
    return replace(sweep, cube=cube, cells=median_interval(cube.throughput))


def test_of_several_factors_the_levels_of_all_are_told(crossed):
    assert title_best(crossed, "stripe_count") == (
        "The highest medians: reads with stripe count 8 and 4 threads, writes with stripe count 8 and 4 threads"
    )
    assert describe_best(crossed, "stripe_count") == (
        "A sweep: the highest median of reads is that of stripe count 8 and 4 threads: 800 MB/s, the lowest 100 MB/s; "
        "the highest median of writes is that of stripe count 8 and 4 threads: 150 MB/s, the lowest 50.0 MB/s."
    )


def test_of_a_combination_the_factors_that_vary_are_told(crossed):
    assert best_combinations(crossed, ["stripe_count", "stripe_size"])[0] == {
        "operation": "read", "threads": 1, "stripe_count": 8, "median": 200e6, "lowest": 100e6,
    }  # fmt: skip
    assert describe_best_combination(crossed, ["stripe_count", "stripe_size"]) == (
        "A sweep: stripe count 8 has the highest median in 6 of 6 places (operation and threads); medians alone, no "
        "test."
    )
    wide = crossed.cube.expand_dims(items_per_directory=[1, 2])
    wide = replace(crossed, cube=wide, cells=median_interval(wide.throughput))
    assert best_combinations(wide, ["stripe_count"]) == best_combinations(crossed, ["stripe_count"])
