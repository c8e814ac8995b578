"""Every run is drawn at its value, marked by its verdict, and linked to its page."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from coldcache.analysis.estimates import median_interval
from coldcache.analysis.figures.cases import list_cases
from coldcache.analysis.figures.runs import draw_runs, draw_trials, link_points
from coldcache.analysis.figures.style import COLOURS


def read_runs(axes):
    return {
        line.get_url().partition(" ")[0]: (
            line.get_xdata()[0],
            line.get_ydata()[0],
            line.get_marker(),
            line.get_markerfacecolor(),
        )
        for line in axes.lines
    }


def test_every_run_is_drawn_at_its_value_and_leads_to_its_page(axes, sweep):
    draw_runs(axes, sweep, sweep.cells, x="threads", by="operation")
    runs = read_runs(axes)
    assert len(runs) == 30
    for operation in ("read", "write"):
        for threads in (1, 2, 4):
            for repetition in range(5):
                url = f"../trials/s/w/operation={operation},threads={threads}/r{repetition}.html#{operation}-throughput"
                value = float(sweep.runs.sel(operation=operation, threads=threads, repetition=repetition))
                assert runs[url] == (threads, value, "o", COLOURS[operation])


def test_runs_of_a_case_lie_side_by_side_in_their_order(axes, sweep):
    draw_runs(axes, sweep, sweep.cells)
    axes.set_xscale("log", base=2)
    case = [line for line in axes.lines if "operation=read,threads=2/r" in line.get_url()]
    drawn = [line.get_transform().transform(line.get_xydata())[0, 0] for line in case]
    middle = axes.transData.transform((2, 0))[0]
    assert drawn == sorted(drawn) and len(set(drawn)) == 5
    step = 1.6 / 72 * axes.figure.dpi
    assert drawn == pytest.approx([middle + place * step for place in (-2, -1, 0, 1, 2)])


def test_a_run_that_counts_and_states_no_such_figure_has_no_mark(axes, sweep):
    sweep.cube.throughput.loc[{"operation": "read", "threads": 2, "repetition": 0}] = np.nan
    draw_runs(axes, sweep, sweep.cells)
    assert len(axes.lines) == 29


def test_each_median_leads_to_its_case(axes, sweep):
    draw_runs(axes, sweep, sweep.cells)
    spots = {spots.get_urls()[0].partition(" ")[0]: tuple(spots.get_offsets()[0]) for spots in axes.collections}
    assert len(spots) == 6
    assert spots["../trials/s/w/operation=read,threads=4/index.html#read-throughput"] == (4, 400e6)


def test_a_median_says_its_interval_and_runs_and_a_run_its_value_and_what_is_doubted(axes, sweep):
    here = {"operation": "read", "threads": 1}
    sweep.cube.verdict.loc[{**here, "repetition": 0}] = "suspect"
    sweep.cube.cold.loc[{**here, "repetition": 1}] = "unproved"
    sweep.cube.throughput.loc[{**here, "repetition": 2}] = np.nan
    sweep.cube.verdict.loc[{**here, "repetition": 2}] = "void"
    draw_runs(axes, replace(sweep, cells=median_interval(sweep.runs)), median_interval(sweep.runs))
    said = {line.get_url().partition(" ")[2] for line in axes.lines}
    assert "read, threads 1, r0: 90.0 MB/s, suspect" in said
    assert "read, threads 1, r1: 100 MB/s, not proved cold: unproved" in said
    assert "read, threads 1, r2: void" in said
    assert "write, threads 2, r2: 80.0 MB/s" in said
    cases = {spots.get_urls()[0].partition(" ")[2] for spots in axes.collections}
    assert "write, threads 4: 75.0 MB/s (93.8 %: 50.0 to 90.0 MB/s), 5 runs" in cases
    assert "read, threads 1: 100 MB/s, 4 runs" in cases


def test_everything_drawn_of_a_level_belongs_to_its_series(axes, sweep):
    draw_runs(axes, sweep, sweep.cells)
    assert {(artist.get_gid(), artist.get_url().split("operation=")[1][:4]) for artist in axes.lines} == {
        ("series-write", "writ"), ("series-read", "read"),
    }  # fmt: skip
    assert {spots.get_gid() for spots in axes.collections} == {"series-write", "series-read"}


def test_part_of_a_sweep_draws_its_own_runs_alone(axes, sweep):
    draw_runs(axes, sweep, sweep.cells.sel(operation="read", threads=[2, 4]))
    assert {(x, colour) for x, _, _, colour in read_runs(axes).values()} == {
        (2, COLOURS["read"]), (4, COLOURS["read"]),
    }  # fmt: skip


def test_void_runs_are_crosses_on_the_axis_suspect_ones_hollow_and_reads_not_proved_cold_diamonds(axes, sweep):
    here = {"operation": "read", "threads": 1}
    sweep.cube.verdict.loc[{**here, "repetition": 0}] = "suspect"
    sweep.cube.cold.loc[{**here, "repetition": 0}] = "unproved"
    sweep.cube.verdict.loc[{**here, "repetition": 1}] = "void"
    sweep.cube.throughput.loc[{**here, "repetition": 1}] = np.nan
    draw_runs(axes, sweep, sweep.cells)
    runs = read_runs(axes)
    page = "../trials/s/w/operation=read,threads=1"
    assert runs[f"{page}/r0.html#read-throughput"] == (1, 90e6, "d", "white")
    assert runs[f"{page}/r1.html"] == (1, 0, "X", "white")
    (cross,) = (line for line in axes.lines if line.get_marker() == "X")
    assert cross.get_transform().transform([1, 0])[1] == axes.get_xaxis_transform().transform([1, 0])[1]
    assert runs[f"{page}/r2.html#read-throughput"][2:] == ("o", COLOURS["read"])


def test_a_missing_run_is_a_cross_that_leads_to_its_case(axes, sweep):
    here = {"operation": "read", "threads": 1}
    sweep.cube.verdict.loc[{**here, "repetition": 4}] = "missing"
    sweep.cube.throughput.loc[{**here, "repetition": 4}] = np.nan
    draw_runs(axes, sweep, sweep.cells)
    runs = read_runs(axes)
    page = "../trials/s/w/operation=read,threads=1"
    assert runs[f"{page}/index.html"] == (1, 0, "X", "white")
    assert f"{page}/r4.html" not in {place.partition("#")[0] for place in runs}


def test_a_case_with_two_modes_has_a_bar_at_the_median_of_each_group(axes, sweep):
    place = {"operation": "write", "threads": 4}
    runs = sweep.runs.copy()
    runs.loc[place] = [1e8, 9e8, 1.1e8, 1.2e8, 8e8]
    codes = sweep.cube.verdict.astype("U32").copy()
    codes.loc[place] = "two-modes"
    cube = sweep.cube.assign({sweep.metric: runs, "codes": codes})
    draw_runs(axes, replace(sweep, cube=cube, cells=median_interval(runs)), sweep.cells)
    bars = [line for line in axes.lines if line.get_marker() == "_"]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in bars] == [(4, 1.1e8), (4, 8.5e8)]


def test_a_run_that_was_not_planned_is_not_drawn(axes, sweep):
    sweep.cube.verdict.loc[{"operation": "read", "threads": 1}] = ""
    draw_runs(axes, sweep, sweep.cells)
    assert len(read_runs(axes)) == 25


def test_runs_of_rows_lie_at_the_height_of_their_row(axes, sweep):
    rows = list_cases(sweep.cells, "threads")
    draw_runs(axes, sweep, sweep.cells, rows=rows)
    drawn = {(x, y) for x, y, _, _ in read_runs(axes).values()}
    assert drawn == {
        (float(value), row.row)
        for row in rows.itertuples()
        for value in sweep.runs.sel(operation=row.operation, threads=row.threads).values
    }


def test_of_many_runs_those_that_cover_each_other_share_a_mark_and_the_median_says_how_many_there_are(axes, sweep):
    many = sweep.cube.isel(repetition=np.arange(400) % 5).assign_coords(repetition=range(400)).copy(deep=True)
    here = {"operation": "read", "threads": 1}
    first = 100e6
    many.throughput.loc[here] = first * np.tile([1, 1.1, 1.2, 0.9, 0.8], 80)
    many.throughput.loc[{**here, "repetition": 395}] = 1.3 * first
    many.throughput.loc[{**here, "repetition": 390}] = first * (1 + 1e-4)
    many.verdict.loc[{**here, "repetition": 385}] = "suspect"
    for repetition in (380, 381):
        many.throughput.loc[{**here, "repetition": repetition}] = np.nan
        many.verdict.loc[{**here, "repetition": repetition}] = "void"
    many = replace(sweep, cube=many)
    draw_runs(axes, replace(many, cells=median_interval(many.runs)), median_interval(many.runs))
    drawn = [url.rpartition("/")[2].partition(".")[0] for url in read_runs(axes) if "operation=read,threads=1/" in url]
    assert sorted(drawn, key=lambda name: int(name[1:])) == ["r0", "r1", "r2", "r3", "r4", "r380", "r385", "r395"]
    said = [spots.get_urls()[0] for spots in axes.collections]
    assert sum(url.endswith(", 398 runs") for url in said) == 1 and sum(url.endswith(", 400 runs") for url in said) == 5


def test_trials_of_a_table_are_drawn_at_their_time_and_lead_to_their_pages(axes):
    trials = pd.DataFrame({
        "study": "s", "sweep": "w", "case": "only", "repetition": [0, 1, 2, 3],
        "verdict": ["valid", "suspect", "void", "missing"],
        "minutes": [0.0, 1.5, np.nan, 3.0], "figure": [5.0, 6.0, 7.0, np.nan],
    })  # fmt: skip
    draw_trials(axes, trials, x="minutes", y="figure")
    assert read_runs(axes) == {
        "../trials/s/w/only/r0.html": (0, 5, "o", COLOURS["first"]),
        "../trials/s/w/only/r1.html": (1.5, 6, "o", "white"),
        "../trials/s/w/only/index.html": (3.0, 0, "X", "white"),
    }


def test_points_without_a_place_lead_nowhere(axes):
    link_points(axes, [1, np.nan, 3], [1, 2, np.nan], ["a", "b", "c"])
    (spots,) = axes.collections
    assert spots.get_urls() == ["a"]


def test_axes_have_room_for_every_run(axes, sweep):
    draw_runs(axes, sweep, sweep.cells)
    assert axes.dataLim.y0 == 40e6 and axes.dataLim.y1 == 410e6
    assert axes.get_ylim()[1] >= 410e6
