"""A study at a glance: its headline, the titles of its figures, and what they mean."""

from dataclasses import replace

import numpy as np
import xarray as xr

from coldcache.analysis.estimates import median_interval
from coldcache.analysis.figures.runs import draw_runs
from coldcache.analysis.report_links import without_links
from coldcache.analysis.sentences import (
    describe_growth,
    describe_meaning,
    describe_order,
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
    cube = doubted.cube.assign(throughput=doubted.cube.throughput * np.array([0.01, 1, 1, 1, 1]))
    wide = replace(doubted, cube=cube, cells=median_interval(cube.throughput))
    assert title_headlines([(wide, best[0][1])]) == "400 MB/s read (flagged; interval spans a factor of 110)"


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
    assert without_links(title_overview(setting)) == (
        "The write cache makes writes 2 times as fast, reads 2 times as fast"
    )
    (said,) = describe_meaning([setting])
    assert without_links(said) == (
        "The write cache makes writes 2 times as fast (75.0 MB/s → 150 MB/s; 95 %: 2 to 2), reads 2 times as fast "
        "(400 MB/s → 800 MB/s; 95 %: 2 to 2)."
    )
    best = [(sweep, {"operation": "read", "threads": 4})]
    assert title_headlines(best, [setting]) == "400 MB/s read, the write cache gains 2 times"
    slower = both.assign(throughput=both.throughput / [[[1], [4]]])
    lost = replace(setting, cube=slower, cells=median_interval(slower.throughput))
    assert title_headlines(best, [lost]) == "400 MB/s read"


def set_cache(sweep, times):
    """Return a sweep over a write cache at 4 threads: each level multiplies the runs."""
    cube = sweep.cube.sel(threads=4, drop=True)
    parts = [cube.assign(throughput=cube.throughput * factor) for factor in times.values()]
    both = xr.concat(parts, xr.Variable("write_cache", list(times))).assign_attrs(sweep.cube.attrs)
    both = both.transpose("operation", "write_cache", "repetition")
    return replace(sweep, cube=both, cells=median_interval(both.throughput))


def test_what_ignoring_flushes_gains_is_no_gain_of_the_cache(sweep):
    best = [(sweep, {"operation": "read", "threads": 4})]
    three = set_cache(sweep, {"writethrough": 1, "writeback": 2, "unsafe": 5})
    assert title_headlines(best, [three]) == "400 MB/s read, the write cache gains 2 times"
    for times in ({"writethrough": 1, "unsafe": 5}, {"unsafe": 1, "writeback": 2}):
        assert title_headlines(best, [set_cache(sweep, times)]) == "400 MB/s read"


def test_of_several_cases_the_one_that_differs_the_most_is_told_with_its_levels(sweep):
    levels = xr.Variable("write_cache", ["off", "on"])
    cube = xr.concat([sweep.cube, sweep.cube], levels).assign_attrs(sweep.cube.attrs).sel(operation=["write"])
    cube["throughput"] = cube.throughput.transpose("operation", "threads", "write_cache", "repetition").copy()
    # At 1 thread the cache gains nothing, at 2 it doubles the rate, at 4 it gains half.
    cube.throughput.loc[{"write_cache": "on"}] *= np.array([1, 2, 1.5])[:, None]
    setting = replace(sweep, cube=cube, cells=median_interval(cube.throughput))
    (said,) = describe_meaning([setting])
    assert without_links(said) == ("The write cache makes writes 2 times as fast (95 %: 2 to 2), with 2 threads.")


def test_times_and_calls_by_a_setting_are_told_only_without_rates(sweep):
    cube = sweep.cube.sel(threads=[4]).assign_coords(threads=["off"]).rename(threads="write_cache")
    other = cube.assign(throughput=cube.throughput * 2).assign_coords(write_cache=["on"])
    both = xr.concat([cube, other], dim="write_cache").assign_attrs(sweep.cube.attrs)
    rates = replace(sweep, cube=both, cells=median_interval(both.throughput))
    many = xr.where(both.write_cache == "on", both.throughput * 8, both.throughput, keep_attrs=True)
    calls = both.assign(count=many).drop_vars("throughput").assign_coords(operation=["rpc-write", "most-in-flight"])
    counted = replace(sweep, cube=calls, metric="count", unit="1", cells=median_interval(calls["count"]))
    (said,) = describe_meaning([counted, rates])
    assert without_links(said) == (
        "The write cache makes writes 2 times as fast (75.0 MB/s → 150 MB/s; 95 %: 2 to 2), reads 2 times as fast "
        "(400 MB/s → 800 MB/s; 95 %: 2 to 2)."
    )
    (said,) = describe_meaning([counted])
    assert without_links(said) == (
        "Rpc-write take 16 times as many calls with the write cache on (75,000,000 → 1,200,000,000; 95 %: 16 to 16)."
    )


def test_a_setting_without_a_difference_says_so_and_too_few_pairs_say_nothing(sweep):
    cube = sweep.cube.sel(threads=[4]).assign_coords(threads=["off"]).rename(threads="write_cache")
    other = cube.assign(throughput=cube.throughput * [0.9, 1.1, 1, 0.95, 1.06]).assign_coords(write_cache=["on"])
    both = xr.concat([cube, other], dim="write_cache").assign_attrs(sweep.cube.attrs)
    setting = replace(sweep, cube=both, cells=median_interval(both.throughput))
    (said,) = describe_meaning([setting])
    assert said == "Writes and reads show no measurable difference by write cache."
    assert title_overview(setting) == "Writes and reads show no measurable difference by write cache"
    few = both.isel(repetition=slice(2))
    assert describe_meaning([replace(setting, cube=few, cells=median_interval(few.throughput))]) == []


def test_rates_in_memory_are_named_and_are_no_finding(sweep):
    place = xr.where(sweep.cube.threads < 4, "storage", "memory").broadcast_like(sweep.cube.verdict)
    mixed = replace(sweep, cube=sweep.cube.assign(reached=place))
    # The highest rate, at 4 threads, stayed in memory: the title has the highest one on the storage.
    assert title_overview(mixed) == "Reads reach 200 MB/s with 2 threads, more in memory"
    assert mixed.peak("read").threads == 2
    memory = replace(sweep, cube=sweep.cube.assign(reached=xr.full_like(place, "memory")))
    assert title_overview(memory) == "Reads in memory reach 400 MB/s with 4 threads"
    assert describe_order(memory) == "Reads in memory reach 400 MB/s, writes in memory 75.0 MB/s"
    best = [(memory, {"operation": "read", "threads": 4})]
    assert title_headlines(best) == "400 MB/s read in memory"
    assert describe_meaning([memory]) == []
    assert describe_meaning([memory, mixed])[0].startswith("Reads grow")


def test_what_a_cache_gains_in_memory_says_so(sweep):
    cube = sweep.cube.sel(threads=[4]).assign_coords(threads=["off"]).rename(threads="write_cache")
    other = cube.assign(throughput=cube.throughput * 2).assign_coords(write_cache=["on"])
    both = xr.concat([cube, other], dim="write_cache").assign_attrs(sweep.cube.attrs)
    place = xr.where(both.write_cache == "on", "memory", "storage").broadcast_like(both.verdict)
    setting = replace(sweep, cube=both.assign(reached=place), cells=median_interval(both.throughput))
    assert "reads 2 times as fast (in memory)" in without_links(title_overview(setting))
    best = [(sweep, {"operation": "read", "threads": 4})]
    assert title_headlines(best, [setting]) == "400 MB/s read, the write cache gains 2 times in memory"


def test_a_case_of_two_modes_is_no_peak_and_is_drawn_as_two(sweep, axes):
    codes = xr.where(sweep.cube.threads == 4, "drift two-modes", "").broadcast_like(sweep.cube.verdict)
    doubted = replace(sweep, cube=sweep.cube.assign(codes=codes))
    assert doubted.peak("read").threads == 2
    assert title_overview(doubted) == "Reads reach 200 MB/s with 2 threads, more where runs form two groups"
    assert "Bars: the two groups of 2 cases with two modes" in doubted.caption()
    draw_runs(axes, doubted, doubted.cells)
    bars = [line for line in axes.lines if line.get_marker() == "_"]
    # Reads at 4 threads were 390, 400 three times, and 410; writes 50, 75 three times, and 90.
    assert sorted(float(line.get_ydata()[0]) / 1e6 for line in bars) == [50, 75, 390, 400]
