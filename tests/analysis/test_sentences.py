"""Sentences and titles hold what estimates say, and nothing typed in."""

import math
from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from coldcache.analysis.estimates import Estimates, median_interval
from coldcache.analysis.paired_ratios import Pair
from coldcache.analysis.questions.select import choose, choose_settings
from coldcache.analysis.report_links import without_links
from coldcache.analysis.sentences import (
    compare_layouts,
    describe_best,
    describe_best_combination,
    describe_growth,
    describe_latencies,
    describe_meaning,
    describe_order,
    describe_pairs,
    describe_peaks,
    describe_plateaus,
    describe_rates,
    shorten_reason,
    title_best,
    title_headlines,
    title_overview,
    title_pairs,
)
from coldcache.statistics.intervals import Interval

FILES = ["file-create", "file-stat", "file-read", "file-remove"]


@pytest.fixture
def dell(invent):
    return invent("dell-lustre")


def test_curves_are_told_by_peak_growth_and_plateau(dell):
    (found,) = choose(dell, "dell-lustre", "throughput", ["write", "read"], "file-per-thread", over="threads")
    assert without_links(describe_peaks(found)) == (
        "Sequential transfers of 1 MiB, one file per thread, 2 TB in all (at most 256 threads, full sizes): reads peak "
        "at 32.2 GB/s (93.8 %: 32.0 to 32.3 GB/s) with 16 threads, writes peak at 16.1 GB/s (93.8 %: 16.0 to 16.2 "
        "GB/s) with 16 threads."
    )
    assert describe_growth(found) == "Reads grow 16 times, writes grow 16 times from 1 to 256 threads"
    assert describe_plateaus(found) == (
        "Reads: level from 16 threads on, at 32.2 GB/s or more; writes: level from 16 threads on, at 16.1 GB/s or more."
    )


def test_rates_are_told_in_the_order_of_their_peaks(dell):
    (found,) = choose(dell, "dell-lustre", "rate", FILES, over="threads")
    assert describe_order(found) == "Look-ups peak at 129 k/s: 4 times that of removals, 8 times that of creations"


def test_settings_are_told_against_the_level_that_is_off(dell):
    found = next(iter(choose_settings(dell, "dell-lustre", ["write_cache"])))
    assert describe_pairs(found, "write_cache") == (
        "Sequential writes with the write cache on and off, against write cache writethrough: writes are 2 times as "
        "fast with writeback."
    )
    assert title_pairs(found, "write_cache") == "Writes 2 times with writeback, against writethrough"


@pytest.mark.parametrize(("low", "high", "told", "title"), [
    (1.1, 1.3, "1.2 times (95 %: 1.1 to 1.3) as fast with writeback.", "Writes 1.2 times with writeback"),
    (0.9, 1.5, "1.2 times (95 %: 0.9 to 1.5) as fast with writeback, which shows no difference.",
     "Writes show no difference with writeback"),
])  # fmt: skip
def test_a_ratio_claims_what_its_interval_shows(dell, monkeypatch, low, high, told, title):
    pair = Pair({"operation": "write"}, "writeback", Interval(1.2, low, high, 6, 0.95, "t"))
    monkeypatch.setattr("coldcache.analysis.sentences.pairs", lambda *_: [pair])
    found = next(iter(choose_settings(dell, "dell-lustre", ["write_cache"])))
    assert describe_pairs(found, "write_cache").endswith(f"against write cache writethrough: writes are {told}")
    assert title_pairs(found, "write_cache") == f"{title}, against writethrough"


def test_a_latency_is_told_as_long_and_not_as_growth(dell, monkeypatch):
    (found,) = choose(dell, "dell-lustre", "throughput", ["write", "read"], "file-per-thread", over="threads")
    ratios = {"read": Interval(1.5, 1.2, 1.8, 6, 0.95, "t"), "write": Interval(1.1, 0.9, 1.3, 6, 0.95, "t")}
    monkeypatch.setattr(Estimates, "growth", lambda _, operation: ratios[operation])
    assert describe_latencies(found) == (
        "Going from 1 to 256 threads raises the mean latency of reads from 2.01 GB/s to 32.2 GB/s, 1.5 times (95 %: "
        "1.2 to 1.8); makes no measurable difference to writes."
    )


def test_many_levels_are_told_by_their_range(invent):
    found = next(one for one in choose_settings(invent("anf-nfs"), "anf-nfs", ["nconnect"]))
    assert title_pairs(found, "nconnect") == "Writes 1 times with other levels, against 1"


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


def test_one_file_is_told_against_many(dell):
    (one,) = choose(dell, "dell-lustre", "throughput", ["write", "read"], "shared-file", over="threads")
    (many,) = choose(dell, "dell-lustre", "throughput", ["write", "read"], "file-per-thread", over="threads")
    assert compare_layouts(one, many) == ("Sharing one file makes no measurable difference to reads and writes.")


def test_rates_at_one_number_of_threads_are_told(invent):
    (found,) = choose(invent("fsx-metadata"), "fsx-metadata", "rate", FILES)
    assert describe_rates(found).startswith(
        "Files of the ranks, with the metadata IOPS that the system has (at most 7,200 threads, full sizes): "
        "look-ups 129 k/s"
    )


def test_why_there_is_no_plateau_is_told_in_few_words():
    assert shorten_reason("") is None
    assert shorten_reason("the rate still rises by 27 % over the last doubling to 16 threads: measure at more") == (
        "the rate still rises by 27 % over the last doubling to 16 threads"
    )
    assert shorten_reason("rates at 1, 2 threads: a knee needs 4") == "too few numbers of threads to tell a plateau"


def test_headlines_are_a_title_of_figures(sweep):
    best = [(sweep, {"operation": "read", "threads": 4}), (sweep, {"operation": "write", "threads": 4})]
    assert title_headlines(best) == "400 MB/s read, 75.0 MB/s write"
    assert title_headlines([]) is None
    doubted = replace(
        sweep, cube=sweep.cube.assign(verdict=sweep.cube.verdict.where(sweep.cube.threads < 4, "suspect"))
    )
    assert title_headlines([(doubted, best[0][1])]) == "400 MB/s read (flagged)"


def test_an_overview_means_growth_the_cost_of_sharing_and_a_setting(sweep):
    own, shared = (
        replace(sweep, question=replace(sweep.question, file_layout=name))
        for name in ("file-per-thread", "shared-file")
    )
    growth, sharing = describe_meaning([own, shared])
    assert growth == f"{describe_growth(own)}."
    assert sharing == "Sharing one file makes no measurable difference to reads and writes."
    assert describe_meaning([own]) == [growth]
    assert title_overview(own) == "Reads reach 400 MB/s with 4 threads; writes reach 75.0 MB/s with 4 threads"


def test_an_overview_of_a_setting_compares_its_levels(sweep):
    cube = sweep.cube.sel(threads=[4]).assign_coords(threads=["off"]).rename(threads="write_cache")
    other = cube.assign(throughput=cube.throughput * 2).assign_coords(write_cache=["on"])
    both = xr.concat([cube, other], dim="write_cache").assign_attrs(sweep.cube.attrs)
    setting = replace(sweep, cube=both, cells=median_interval(both.throughput))
    assert without_links(title_overview(setting)) == "Writes 2 times with on; reads 2 times with on, against off"
    assert describe_meaning([setting]) == [describe_pairs(setting, "write_cache")]


def rise(sweep, rates):
    """Return a sweep with rates in MB/s by operation at 1, 2, 4, ... threads, alike in five repetitions."""
    count = len(next(iter(rates.values())))
    cube = sweep.cube.isel(threads=[0] * count).assign_coords(threads=[2**power for power in range(count)])
    values = 1e6 * np.array([rates[str(name)] for name in cube.operation.values], dtype=float)
    cube["throughput"] = cube.throughput.copy(data=values[:, :, None] * np.array([0.999, 1, 1.001, 1, 1]))
    return replace(sweep, cube=cube, cells=median_interval(cube.throughput))


def test_operations_that_level_off_alike_share_a_part(sweep):
    curve = [10, 20, 40, 40, 40, 40]
    assert describe_plateaus(rise(sweep, {"read": curve, "write": curve})) == (
        "Reads and writes: level from 4 threads on, at 40.0 MB/s or more."
    )
    flat = [30] * 6
    assert describe_plateaus(rise(sweep, {"read": curve, "write": flat})) == (
        "Reads: level from 4 threads on, at 40.0 MB/s or more; writes: level from 1 thread on, at 30.0 MB/s or more."
    )
    assert describe_plateaus(rise(sweep, {"read": [10, 20], "write": [10, 20]})) is None


def test_the_best_level_is_told_with_what_it_is_over_the_least_and_unknown_ones_are_never_the_best(sweep):
    found = rise(sweep, {"read": [10, 30, 20], "write": [0, 0, 0]})
    found.cells["estimate"].loc[{"operation": "read", "threads": 4}] = math.nan
    assert describe_best(found, "threads") == (
        "A sweep: the highest median of reads is that of threads 2: 30.0 MB/s, 3 times the least; "
        "the highest median of writes is that of threads 1: 0.00 B/s."
    )
