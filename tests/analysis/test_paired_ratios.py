"""Ratios to a reference level, paired by repetition."""

from dataclasses import replace

import numpy as np
import pytest
import xarray as xr

from coldcache.analysis.estimates import LEVEL, median_interval
from coldcache.analysis.paired_ratios import REFERENCE_LEVELS, paired_ratios, pairs, reference_level


@pytest.fixture
def cached(sweep):
    """Return the sweep with a write cache: twice as fast with writeback, in the same rounds."""
    levels = xr.Variable("write_cache", ["writeback", "writethrough"])
    cube = xr.concat([sweep.cube, sweep.cube], levels)
    cube["throughput"] = cube.throughput.transpose("operation", "threads", "write_cache", "repetition").copy()
    cube.throughput.loc[{"write_cache": "writeback"}] *= 2
    return replace(sweep, cube=cube, cells=median_interval(cube.throughput))


def test_the_reference_is_the_level_that_is_off_else_the_smallest(cached):
    assert reference_level(cached, "write_cache") == "writethrough"
    assert reference_level(cached, "threads") == 1
    assert REFERENCE_LEVELS["write_cache"][0] == "writethrough"


@pytest.mark.parametrize(
    ("factor", "level"),
    [
        ("write_cache", "off"), ("write_barrier", "off"), ("write_barrier", "nobarrier"), ("sas_driver", "native"),
        ("sysctl", "defaults"), ("tuned_profile", "balanced"), ("mount_option", "defaults"), ("write_mode", "sync"),
        ("outage_option", "hard"), ("server_cache", "none"),
    ],
)  # fmt: skip
def test_each_known_factor_has_its_reference(sweep, factor, level):
    cells = sweep.cells.expand_dims({factor: ["a", level]})
    assert reference_level(replace(sweep, cells=cells), factor) == level


def test_each_case_has_its_ratio_at_every_other_level(cached):
    found = pairs(cached, "write_cache")
    assert [(pair.place, pair.level) for pair in found] == [
        ({"operation": operation, "threads": threads}, "writeback")
        for operation in ("write", "read")
        for threads in (1, 2, 4)
    ]
    assert {(pair.ratio.estimate, pair.ratio.low, pair.ratio.high, pair.ratio.n) for pair in found} == {(2, 2, 2, 5)}
    assert {pair.ratio.page for pair in found} == {"../trials/s/w/index.html"}


def test_a_case_without_a_pair_is_left_out(cached):
    cached.runs.loc[{"operation": "read", "threads": 1, "write_cache": "writeback"}] = np.nan
    assert len(pairs(cached, "write_cache")) == 5


def test_calls_that_were_not_made_have_no_ratio(cached):
    cube = cached.cube.rename(throughput="count")
    cube["count"].loc[{"operation": "read", "threads": 1, "write_cache": "writeback", "repetition": 2}] = 0
    cube["count"].loc[{"operation": "write", "threads": 2, "write_cache": "writethrough"}] = 0
    counted = replace(cached, cube=cube, metric="count", cells=median_interval(cube["count"]))
    assert [(pair.place["operation"], pair.place["threads"]) for pair in pairs(counted, "write_cache")] == [
        ("write", 1), ("write", 4), ("read", 2), ("read", 4),
    ]  # fmt: skip
    with pytest.raises(ValueError, match="a rate is zero or negative"):
        pairs(replace(counted, cube=cube.rename(count="throughput"), metric="throughput"), "write_cache")


def test_a_factor_alone_has_one_place(cached):
    alone = cached.cube.isel(operation=0, threads=0, drop=True)
    found = pairs(replace(cached, cube=alone, cells=median_interval(alone.throughput)), "write_cache")
    assert [(pair.place, pair.level, pair.ratio.estimate) for pair in found] == [({}, "writeback", 2)]


def test_ratios_of_all_runs_are_one_at_the_reference(cached):
    ratios = paired_ratios(cached.runs, cached.runs.sel(write_cache="writethrough"))
    assert set(ratios.estimate.dims) == {"operation", "threads", "write_cache"}
    assert np.allclose(ratios.estimate.sel(write_cache="writethrough"), 1)
    assert np.allclose(ratios.estimate.sel(write_cache="writeback"), 2)
    assert ratios.attrs["level"] == LEVEL


def test_a_level_that_is_not_stated_is_neither_compared_nor_the_reference(sweep):
    unknown = sweep.cube.assign_coords(threads=[np.nan, 1.0, 2.0]).rename(threads="queue_depth")
    found = replace(sweep, cube=unknown, cells=median_interval(unknown.throughput))
    assert reference_level(found, "queue_depth") == 1
    assert [(pair.place["operation"], pair.level) for pair in pairs(found, "queue_depth")] == [
        ("write", 2), ("read", 2),
    ]  # fmt: skip
