"""A study at a glance: its most telling sweeps, and the best figure of each operation."""

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
import xarray as xr

from coldcache.analysis.estimates import median_interval
from coldcache.analysis.question import Question
from coldcache.analysis.questions.headlines import choose_overview, find_best, list_headlines
from coldcache.analysis.questions.select import SweepSelection, choose_all

REFERENCE = Path(__file__).parents[3] / "results/reference/dataset.nc"


def vary(sweep, name, factor, levels, metric="throughput"):
    """Return a sweep with one more factor: a level's position divides the runs by 1, 2, ..."""
    parts = [sweep.cube.assign(throughput=sweep.cube.throughput / (place + 1)) for place in range(len(levels))]
    cube = xr.concat(parts, dim=factor).assign_coords({factor: levels})
    cube = cube.transpose("operation", "threads", factor, "repetition").rename(throughput=metric)
    cube.attrs = {**sweep.cube.attrs, "sweep": name}
    question = Question("s", name, name.capitalize())
    return replace(sweep, cube=cube, metric=metric, cells=median_interval(cube[metric]), question=question)


def study(*sweeps):
    """Return a study with some sweeps."""
    return SweepSelection("s", list(sweeps), [])


@pytest.fixture
def shipped():
    """Return a function that returns a study of the reference campaign."""
    if not REFERENCE.is_file():
        pytest.skip("needs results/reference: make reference")
    return partial(choose_all, REFERENCE)


def test_the_reference_study_shows_throughput_random_metadata_and_the_write_cache(shipped):
    chosen = choose_overview(shipped("quick"))
    assert [sweep.question.sweep for sweep in chosen] == ["sequential", "random", "metadata", "write-cache-random"]


def test_calls_and_their_times_give_way_to_rates(shipped):
    assert {sweep.metric for sweep in choose_overview(shipped("anf-nfs"))} == {"throughput", "rate"}
    assert {sweep.metric for sweep, _ in list_headlines(shipped("anf-nfs"))} == {"throughput", "rate"}


def test_a_further_factor_is_at_the_level_of_the_best_figure_and_the_title_says_so(sweep):
    every = study(vary(sweep, "both", "transfer_size", [4096, 65536]))
    (chosen,) = choose_overview(every)
    assert chosen.cells.sizes == {"operation": 2, "threads": 3, "transfer_size": 1}
    assert chosen.cells.transfer_size.item() == 4096
    assert chosen.question.title == "Both, transfer size 4 KiB"
    assert float(chosen.cells.estimate.sel(operation="read", threads=4).squeeze()) == 400e6


def test_a_factor_of_a_single_operation_is_drawn_as_lines(sweep):
    one = vary(sweep, "both", "transfer_size", [4096, 65536])
    cube = one.cube.sel(operation=["read"])
    every = study(replace(one, cube=cube, cells=median_interval(cube.throughput)))
    (chosen,) = choose_overview(every)
    assert chosen.cells.sizes == {"operation": 1, "threads": 3, "transfer_size": 2}


def test_a_setting_of_the_system_counts_only_where_nothing_else_has_the_operation(sweep):
    plain = replace(sweep, cube=sweep.cube.sel(operation=["read"]))
    plain = replace(plain, cells=median_interval(plain.cube.throughput))
    cached = vary(sweep, "cached", "write_cache", ["writeback", "off"])
    cached = replace(cached, cells=cached.cells.assign(estimate=cached.cells.estimate * 10))
    every = study(plain, cached)
    best = [(found.question.sweep, levels) for found, levels in list_headlines(every)]
    assert best == [
        ("cached", {"operation": "write", "threads": 4, "write_cache": "writeback"}),
        ("w", {"operation": "read", "threads": 4}),
    ]


def test_the_faster_of_two_sweeps_has_the_headline(sweep):
    faster = replace(sweep, cells=sweep.cells.assign(estimate=sweep.cells.estimate * 2), question=Question("s", "f"))
    every = study(sweep, faster)
    assert [found.question.sweep for found, _ in list_headlines(every)] == ["f", "f"]
    every = study(faster, sweep)
    assert [found.question.sweep for found, _ in list_headlines(every)] == ["f", "f"]


def test_the_best_time_is_the_shortest(sweep):
    assert find_best(sweep.cells.estimate, "throughput") == {"operation": "read", "threads": 4}
    assert find_best(sweep.cells.estimate, "elapsed") == {"operation": "write", "threads": 1}


def test_a_study_without_figures_has_an_empty_overview():
    every = study()
    assert list(choose_overview(every)) == [] == list_headlines(every)


def test_a_sweep_of_a_single_case_counts_only_where_no_other_has_the_operation(sweep):
    one = replace(sweep, cube=sweep.cube.isel(threads=[2]) * 10, question=Question("s", "sentinel"))
    one.cube.attrs = sweep.cube.attrs
    one = replace(one, cells=median_interval(one.cube.throughput))
    every = study(one, sweep)
    assert [found.question.sweep for found, _ in list_headlines(every)] == ["w", "w"]
    every = study(one)
    assert [found.question.sweep for found, _ in list_headlines(every)] == ["sentinel", "sentinel"]


def test_a_figure_with_an_interval_has_the_headline_before_a_faster_one_of_few_runs(sweep):
    few = replace(sweep, cube=sweep.cube.isel(repetition=slice(3)), question=Question("s", "few"))
    cells = median_interval(few.cube.throughput)
    few = replace(few, cells=cells.assign(estimate=cells.estimate * 10))
    for sweeps in ((few, sweep), (sweep, few)):
        every = study(*sweeps)
        assert [found.question.sweep for found, _ in list_headlines(every)] == ["w", "w"]


def test_operations_on_one_tree_are_no_headlines(sweep):
    cube = sweep.cube.assign_coords(operation=["tree-create", "file-create"])
    every = study(replace(sweep, cube=cube, cells=median_interval(cube.throughput)))
    assert [levels for _, levels in list_headlines(every)] == [{"operation": "file-create", "threads": 4}]
