"""A study at a glance: its headline, the titles of its figures, and what they mean."""

from dataclasses import replace

import xarray as xr

from coldcache.analysis.estimates import median_interval
from coldcache.analysis.report_links import without_links
from coldcache.analysis.sentences import (
    describe_growth,
    describe_meaning,
    title_headlines,
    title_overview,
)


def test_headlines_are_a_title_of_figures(sweep):
    best = [(sweep, {"operation": "read", "threads": 4}), (sweep, {"operation": "write", "threads": 4})]
    assert title_headlines(best) == "400 MB/s read, 75.0 MB/s write"
    assert title_headlines([]) is None
    doubted = replace(
        sweep, cube=sweep.cube.assign(verdict=sweep.cube.verdict.where(sweep.cube.threads < 4, "suspect"))
    )
    assert title_headlines([(doubted, best[0][1])]) == "400 MB/s read (flagged)"
    assert title_headlines([(doubted, case) for _, case in best]) == "400 MB/s read, 75.0 MB/s write, all flagged"


def test_an_overview_means_growth_the_cost_of_sharing_and_a_setting(sweep):
    own, shared = (
        replace(sweep, question=replace(sweep.question, file_layout=name))
        for name in ("file-per-thread", "shared-file")
    )
    growth, sharing = describe_meaning([own, shared])
    assert growth == f"{describe_growth(own)}."
    assert sharing == "Sharing one file: no measurable difference to reads and writes."
    assert describe_meaning([own]) == [growth]
    assert title_overview(own) == "Reads reach 400 MB/s with 4 threads"


def test_an_overview_of_a_setting_compares_its_levels(sweep):
    cube = sweep.cube.sel(threads=[4]).assign_coords(threads=["off"]).rename(threads="write_cache")
    other = cube.assign(throughput=cube.throughput * 2).assign_coords(write_cache=["on"])
    both = xr.concat([cube, other], dim="write_cache").assign_attrs(sweep.cube.attrs)
    setting = replace(sweep, cube=both, cells=median_interval(both.throughput))
    assert without_links(title_overview(setting)) == "Writes 2 times with on; reads 2 times with on, against off"
    (said,) = describe_meaning([setting])
    assert without_links(said) == (
        "Against write cache off: writes are 2 times (95 %: 2 to 2) as fast with on; reads are 2 times (95 %: 2 to 2) "
        "as fast with on."
    )
    best = [(sweep, {"operation": "read", "threads": 4})]
    assert title_headlines(best, [setting]) == "400 MB/s read, the write cache gains 2 times"
    slower = both.assign(throughput=both.throughput / [[[1], [4]]])
    lost = replace(setting, cube=slower, cells=median_interval(slower.throughput))
    assert title_headlines(best, [lost]) == "400 MB/s read"


def test_a_setting_without_a_difference_says_so_and_too_few_pairs_say_nothing(sweep):
    cube = sweep.cube.sel(threads=[4]).assign_coords(threads=["off"]).rename(threads="write_cache")
    other = cube.assign(throughput=cube.throughput * [0.9, 1.1, 1, 0.95, 1.06]).assign_coords(write_cache=["on"])
    both = xr.concat([cube, other], dim="write_cache").assign_attrs(sweep.cube.attrs)
    setting = replace(sweep, cube=both, cells=median_interval(both.throughput))
    (said,) = describe_meaning([setting])
    assert said == "Against write cache off: no measurable difference to writes; no measurable difference to reads."
    assert title_overview(setting) == "No measurable difference to writes and reads with on, against off"
    few = both.isel(repetition=slice(2))
    assert describe_meaning([replace(setting, cube=few, cells=median_interval(few.throughput))]) == []
