"""Single runs in a figure: the mark shows the verdict, and a link leads to the page of the run."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from coldcache.analysis.captions import NOT_PROVED
from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.marks import assign_series, say, say_case, say_levels
from coldcache.analysis.figures.style import COLOURS, mark_level
from coldcache.analysis.report_links import page_of, page_of_trial
from coldcache.core.modes import split_at_widest_gap
from coldcache.core.units import show_rate
from coldcache.dataset.reader import COUNTED

#: Points between two runs of a case, and between the first and the last of them, in a figure of six inches.
_STEP, _WIDEST = 1.6, 9.0

#: What is said of a run whose work did not reach the storage; of reads their verdict says more.
IN_MEMORY = "in memory"

#: Runs of a case up to which each has a mark of its own; of more, those within this share of a value have one.
_FEW, _SPOT = 40, 0.03


def draw_runs(
    axes: Axes, estimates: Estimates, cells: xr.Dataset, x: str = "threads", by: str = "operation",
    rows: pd.DataFrame | None = None, of: str = "",
) -> None:  # fmt: skip
    """Draw every run of some cases side by side, in their order, and lay a link to the case over each median.

    A valid run is a dot, a suspect one is hollow, a read that is not proved cold and other work in memory are diamonds,
    and a run that does not count is a cross on the axis. Of a case with more than 40 runs, those of one kind that
    differ by less than 3 % share the mark of the first, which would cover them.

    Parameters
    ----------
    axes : Axes
        Where the estimates are drawn, in their stored unit.
    estimates : Estimates
        The sweep: its cube has the runs and their verdicts.
    cells : Dataset
        The cases that are drawn; its dims and levels are those of the cube, or some of them.
    x, by : str
        The dim along the x axis, and the factor that gives the colour. Not used with `rows`.
    rows : DataFrame, optional
        One row per case, as `list_cases` returns them: the runs lie along x, at the height of their row.
    of : str
        What follows the level in the name of its line, such as `ONE_FILE`.
    """
    dims = [str(dim) for dim in cells.estimate.dims]
    for place in np.ndindex(*(cells.sizes[dim] for dim in dims)):
        cell = cells.isel(dict(zip(dims, place, strict=True)))
        fixed = {str(name): coord.item() for name, coord in cell.coords.items() if name in estimates.cube.dims}
        if rows is None:
            levels = cells[by].values.tolist() if by in cells.dims else [fixed[by]]
            drawn = _draw_case(axes, estimates, fixed, cell, fixed[x], mark_level(fixed[by], levels).colour)
            for artist in drawn:
                assign_series(artist, f"{fixed[by]}{of}")
            continue
        mine = rows[(rows[dims] == [fixed[dim] for dim in dims]).all(axis=1)]
        if len(mine):
            _draw_case(axes, estimates, fixed, cell, int(mine.row.iloc[0]), COLOURS["first"], "x")


def _draw_case(
    axes: Axes, estimates: Estimates, levels: Mapping[str, Any], cell: xr.Dataset, place: float, colour: str,
    along: str = "y",
) -> list[Artist]:  # fmt: skip
    """Draw the runs of one case at its place on the other axis, and return what was drawn."""
    page = estimates.page(levels)
    if page is None:
        return []
    values, marks = list_run_marks(estimates, levels)
    drawn = _choose_runs(values, marks)
    named = {name: level for name, level in levels.items() if name == "operation" or estimates.cells.sizes[name] > 1}
    every = list_run_pages(page, say_levels(named), marks)
    pages = [every[number] for number in drawn]
    median, low, high = (float(cell[name]) for name in ("estimate", "low", "high"))
    says = say_case(named, median, low, high, int(np.isfinite(values).sum()), estimates.unit)
    places, kinds = np.full(len(drawn), float(place)), [marks[number] for number in drawn]
    points = draw_points(axes, places, values[drawn], kinds, pages, colour, along, estimates.unit, _spread(axes, drawn))
    if estimates.has_two_modes(levels):
        points += _draw_groups(axes, values, place, colour, along)
    return [*points, link_points(axes, *_ordered([place], [median], along), [say(page, says)])]


def _draw_groups(axes: Axes, values: np.ndarray, place: float, colour: str, along: str) -> list[Artist]:
    """Draw a bar at the median of each of the two groups of a case with two modes."""
    groups = split_at_widest_gap(values[np.isfinite(values)].tolist())
    drawn: list[Artist] = []
    for group in (groups.low, groups.high) if groups else ():
        x, y = _ordered([place], [float(np.median(group))], along)
        drawn += axes.plot(
            x, y, linestyle="none", marker="_" if along == "y" else "|", markersize=16, markeredgewidth=2.5,
            color=colour, zorder=4,
        )  # fmt: skip
    return drawn


def list_run_marks(estimates: Estimates, levels: Mapping[str, Any]) -> tuple[np.ndarray, list[tuple[str, str]]]:
    """Return the value of each run of one case, and its marks: the verdict, and whether it reached the storage.

    The latter is the verdict on a read; of another operation ``in memory`` if it did not reach the storage.
    """
    names = [name for name in (estimates.metric, "verdict", "cold", "reached") if name in estimates.cube]
    runs = {name: np.atleast_1d(estimates.cube[name].sel(levels).squeeze(drop=True).values) for name in names}
    proofs = [
        IN_MEMORY if cold == "not applicable" and place == "memory" else cold
        for cold, place in zip(runs["cold"], runs.get("reached", runs["cold"]), strict=True)
    ]
    return runs[estimates.metric], list(zip(runs["verdict"], proofs, strict=True))


def list_run_pages(page: str, words: str, marks: Sequence[tuple[str, str]]) -> list[str]:
    """Return the page of each run of a case, and what it is, as `draw_points` takes them.

    Parameters
    ----------
    page : str
        The page of the case, with the mark of the figure.
    words : str
        The case's levels.
    marks : sequence of (str, str)
        Of each run, as `list_run_marks` returns them.
    """
    case, _, mark = page.partition("#")
    return [
        say(f"{page_of_trial(case, number, verdict)}#{mark}", f"{words}, r{number}")
        for number, (verdict, _) in enumerate(marks)
    ]


def _choose_runs(values: np.ndarray, marks: list[tuple[str, str]]) -> list[int]:
    """Return which runs of a case have a mark: the first of those of one kind that would cover each other."""
    if len(marks) <= _FEW:
        return list(range(len(marks)))
    with np.errstate(divide="ignore", invalid="ignore"):
        spots = np.round(np.log(np.abs(values)) / _SPOT)
    firsts: dict[tuple[float | None, tuple[str, str]], int] = {}
    for number, (spot, mark) in enumerate(zip(spots.tolist(), marks, strict=True)):
        # A run without a value lies on the axis.
        firsts.setdefault((None if spot != spot else spot, mark), number)
    return list(firsts.values())


def _spread(axes: Axes, drawn: Sequence[int]) -> list[float]:
    """Return the sideways shift of each run of a case, in points, that keeps runs from covering each other."""
    figure = axes.get_figure(root=True)
    share = figure.get_figwidth() / 6 if figure else 1.0
    width = min(_WIDEST, _STEP * (len(drawn) - 1)) * share
    return [0.0] if len(drawn) == 1 else np.linspace(-width / 2, width / 2, len(drawn)).tolist()


def draw_points(
    axes: Axes, places: Any, values: Any, marks: list[tuple[str, str]], pages: list[str], colour: str, along: str = "y",
    unit: str = "", aside: Sequence[float] = (),
) -> list[Artist]:  # fmt: skip
    """Draw runs as points that lead to their pages and say their value and verdict; return what was drawn.

    Parameters
    ----------
    axes : Axes
        Where they are drawn.
    places, values : array of float, shape (runs,)
        Where they are on the other axis, and their values; one that does not count is a cross on the axis.
    marks : list of (str, str)
        The verdict of each run, and what is proved of it, as `list_run_marks` returns them; a run without a verdict
        was not planned.
    pages : list of str
        The page of each run, and what it is, as `say` joins them.
    colour : str
        Of all of them.
    along : {"y", "x"}
        The axis of the values.
    unit : {"B/s", "1/s", "s", "1", ""}
        Of the values; without it no value is said.
    aside : sequence of float
        By how many points each is moved along the other axis; not at all where it is not given.
    """
    drawn: list[Artist] = []
    lost = ~np.isfinite(np.asarray(values, dtype=float))
    figure = axes.get_figure(root=True)
    assert figure is not None
    # Marks of a small figure are smaller.
    share = min(1.0, (figure.get_figwidth() / 6) ** 0.5)
    for index, (verdict, cold) in enumerate(marks):
        # A trial that counts and states no such figure is not lost.
        if not verdict or (lost[index] and verdict in COUNTED):
            continue
        x, y = _ordered(places[index], 0.0 if lost[index] else values[index], along)
        is_diamond = cold in (IN_MEMORY, *NOT_PROVED)
        on_axis = axes.get_xaxis_transform() if along == "y" else axes.get_yaxis_transform()
        moved = (aside[index] if aside else 0.0) / 72
        to_side = ScaledTranslation(*_ordered(moved, 0.0, along), figure.dpi_scale_trans)
        page, _, name = pages[index].partition(" ")
        if not lost[index]:
            axes.update_datalim([(x, y)])
        told = [] if lost[index] or not unit else [show_rate(float(values[index]), unit)]
        told += [verdict] if verdict != "valid" else []
        told += [IN_MEMORY] if cold == IN_MEMORY else [f"not proved cold: {cold}"] if cold in NOT_PROVED else []
        drawn += axes.plot(
            [x], [y], linestyle="none", marker="X" if lost[index] else "d" if is_diamond else "o",
            markersize=share * (8 if lost[index] else 5 if is_diamond else 3.5), markeredgewidth=0.8 * share,
            alpha=0.75,
            markerfacecolor=colour if verdict == "valid" else "white", markeredgecolor=colour, zorder=3,
            clip_on=False, transform=(on_axis if lost[index] else axes.transData) + to_side,
            url=say(page.partition("#")[0] if lost[index] else page, ": ".join(filter(None, (name, ", ".join(told))))),
        )  # fmt: skip
    return drawn


def _ordered(place: Any, value: Any, along: str) -> tuple[Any, Any]:
    return (place, value) if along == "y" else (value, place)


def draw_trials(axes: Axes, trials: pd.DataFrame, x: str, y: str) -> None:
    """Draw trials of a table as points that lead to their pages.

    Parameters
    ----------
    axes : Axes
        Where they are drawn.
    trials : DataFrame
        Columns ``study sweep case repetition verdict`` and those that `x` and `y` name; a trial without a place is left
        out, one without a value is a cross on the axis.
    x, y : str
        The columns.
    """
    there = trials[trials[x].notna()]
    pages = [
        say(
            page_of_trial(page_of(row.study, row.sweep, row.case), row.repetition, row.verdict),
            f"r{row.repetition} of {row.case}",
        )
        for row in there.itertuples()
    ]
    marks = [(verdict, "cold") for verdict in there.verdict]
    draw_points(axes, there[x].to_numpy(), there[y].to_numpy(), marks, pages, COLOURS["first"])


def link_points(axes: Axes, x: Any, y: Any, pages: Sequence[str]) -> Artist:
    """Link points to pages, with targets large enough for a finger; NaN has no link.

    A page may be followed by what the point says, as `say` joins them.
    """
    drawn = np.isfinite(np.asarray(x, dtype=float)) & np.isfinite(np.asarray(y, dtype=float))
    # A wholly transparent spot is not drawn, and cannot be hit.
    spots = axes.scatter(
        np.asarray(x)[drawn], np.asarray(y)[drawn], s=300, color="white", alpha=0.01, linewidths=0, zorder=2.5
    )
    spots.set_urls([page for page, shown in zip(pages, drawn, strict=True) if shown])
    return spots
