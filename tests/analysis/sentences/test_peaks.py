"""The highest estimates are told with their levels and scale."""

from dataclasses import replace

import xarray as xr

from coldcache.analysis.questions.select import choose
from coldcache.analysis.report_links import without_links
from coldcache.analysis.sentences import (
    describe_extremes,
    describe_order,
    describe_peaks,
    describe_rates,
    title_extremes,
)

FILES = ["file-create", "file-stat", "file-read", "file-remove"]


def test_rates_are_told_in_the_order_of_their_peaks(dell):
    (found,) = choose(dell, "dell-lustre", "rate", FILES, over="threads")
    assert describe_order(found) == "Look-ups peak at 129 k/s, removals 32.2 k/s, creations 16.1 k/s"


def test_rates_at_one_number_of_threads_are_told(invent):
    (found,) = choose(invent("fsx-metadata"), "fsx-metadata", "rate", FILES)
    assert describe_rates(found).startswith(
        "Files of the ranks, with the metadata IOPS that the system has (scaled down: at most 7,200 threads, full "
        "size): look-ups 129 k/s"
    )


def test_the_verb_is_stated_again_where_it_changes(rise):
    assert describe_order(rise({"read": [10, 40, 20], "write": [10, 20, 30]})) == (
        "Reads peak at 40.0 MB/s, writes reach 30.0 MB/s"
    )
    assert describe_order(rise({"read": [10, 20, 40], "write": [10, 20, 30]})) == (
        "Reads reach 40.0 MB/s, writes 30.0 MB/s"
    )


def test_only_a_named_case_in_memory_is_named_so(sweep):
    place = xr.where(sweep.cube.threads == 2, "storage", "memory").broadcast_like(sweep.cube.verdict)
    mixed = replace(sweep, cube=sweep.cube.assign(reached=place))
    assert mixed.is_in_memory({"operation": "read"})
    # One of three cases reached the storage, and it is the one with the telling figure.
    assert title_extremes(mixed) == (
        "Reads reach 200 MB/s with 2 threads, more in memory; writes reach 70.0 MB/s with 2 threads, more in memory"
    )
    assert describe_order(mixed) == "Reads peak at 200 MB/s, writes 70.0 MB/s"
    assert without_links(describe_peaks(mixed)) == (
        "A sweep: reads peak at 200 MB/s (93.8 %: 180 to 260 MB/s) with 2 threads, writes peak at 70.0 MB/s (93.8 %: "
        "60.0 to 80.0 MB/s) with 2 threads."
    )
    assert "reads 200 MB/s" in without_links(describe_rates(mixed))
    assert "reads reach 200 MB/s" in without_links(describe_extremes(mixed))
    inside = replace(sweep, cube=sweep.cube.assign(reached=xr.full_like(place, "memory")))
    assert describe_order(inside) == "Reads in memory reach 400 MB/s, writes in memory 75.0 MB/s"
