"""Single runs in a figure: the mark shows the verdict, and a link leads to the page of the run."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.axes import Axes

from coldcache.analysis.estimates import NOT_PROVED, Estimates
from coldcache.analysis.figures.style import COLOURS, mark_level
from coldcache.analysis.report_links import page_of, page_of_trial


def draw_runs(
    axes: Axes, estimates: Estimates, cells: xr.Dataset, x: str = "threads", by: str = "operation",
    rows: pd.DataFrame | None = None,
) -> None:  # fmt: skip
    """Draw every run of some cases, and lay a link to the case over each median.

    A valid run is a dot, a suspect one is hollow, a read that is not proved cold is a diamond, and one that does not
    count is a cross on the axis.

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
    """
    dims = [str(dim) for dim in cells.estimate.dims]
    for place in np.ndindex(*(cells.sizes[dim] for dim in dims)):
        cell = cells.isel(dict(zip(dims, place, strict=True)))
        fixed = {str(name): coord.item() for name, coord in cell.coords.items() if name in estimates.cube.dims}
        if rows is None:
            levels = cells[by].values.tolist() if by in cells.dims else [fixed[by]]
            _draw_case(axes, estimates, fixed, float(cell.estimate), fixed[x], mark_level(fixed[by], levels).colour)
            continue
        mine = rows[(rows[dims] == [fixed[dim] for dim in dims]).all(axis=1)]
        if len(mine):
            _draw_case(axes, estimates, fixed, float(cell.estimate), int(mine.row.iloc[0]), COLOURS["first"], "x")


def _draw_case(
    axes: Axes, estimates: Estimates, levels: Mapping[str, Any], median: float, place: float, colour: str,
    along: str = "y",
) -> None:  # fmt: skip
    """Draw the runs of one case at its place on the other axis."""
    page = estimates.page(levels)
    if page is None:
        return
    runs = estimates.cube[[estimates.metric, "verdict", "cold"]].sel(levels).squeeze(drop=True)
    values = np.atleast_1d(runs[estimates.metric].values)
    marks = zip(np.atleast_1d(runs.verdict.values), np.atleast_1d(runs.cold.values), strict=True)
    case_page, _, figure = page.partition("#")
    pages = [f"{page_of_trial(case_page, number)}#{figure}" for number in range(len(values))]
    draw_points(axes, np.full(len(values), float(place)), values, list(marks), pages, colour, along)
    link_points(axes, *_ordered([place], [median], along), [page])


def draw_points(
    axes: Axes, places: Any, values: Any, marks: list[tuple[str, str]], pages: list[str], colour: str, along: str = "y"
) -> None:
    """Draw runs as points that lead to their pages.

    Parameters
    ----------
    axes : Axes
        Where they are drawn.
    places, values : array of float, shape (runs,)
        Where they are on the other axis, and their values; NaN is drawn as a cross on the axis.
    marks : list of (str, str)
        The verdict of each run, and what is proved of its read; a run without a verdict was not planned.
    pages : list of str
        The page of each run.
    colour : str
        Of all of them.
    along : {"y", "x"}
        The axis of the values.
    """
    lost = ~np.isfinite(np.asarray(values, dtype=float))
    for index, (verdict, cold) in enumerate(marks):
        if not verdict:
            continue
        x, y = _ordered(places[index], 0.0 if lost[index] else values[index], along)
        on_axis = axes.get_xaxis_transform() if along == "y" else axes.get_yaxis_transform()
        axes.plot(
            [x], [y], linestyle="none", marker="X" if lost[index] else "d" if cold in NOT_PROVED else "o",
            markersize=8 if lost[index] else 5 if cold in NOT_PROVED else 3.5, markeredgewidth=0.8, alpha=0.75,
            markerfacecolor=colour if verdict == "valid" else "white", markeredgecolor=colour, zorder=3,
            clip_on=False, transform=on_axis if lost[index] else axes.transData,
            url=pages[index].partition("#")[0] if lost[index] else pages[index],
        )  # fmt: skip


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
    pages = [page_of_trial(page_of(row.study, row.sweep, row.case), row.repetition) for row in there.itertuples()]
    marks = [(verdict, "cold") for verdict in there.verdict]
    draw_points(axes, there[x].to_numpy(), there[y].to_numpy(), marks, pages, COLOURS["first"])


def link_points(axes: Axes, x: Any, y: Any, pages: list[str]) -> None:
    """Let points lead to pages, from a spot that a finger can hit; NaN leads nowhere."""
    drawn = np.isfinite(np.asarray(x, dtype=float)) & np.isfinite(np.asarray(y, dtype=float))
    # A wholly transparent spot is not drawn, and cannot be hit.
    spots = axes.scatter(
        np.asarray(x)[drawn], np.asarray(y)[drawn], s=300, color="white", alpha=0.01, linewidths=0, zorder=2.5
    )
    spots.set_urls([page for page, shown in zip(pages, drawn, strict=True) if shown])
