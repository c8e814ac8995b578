"""Panels of lines for sweeps of any factors: one along x, one as lines, a panel per combination of the rest."""

import math
import textwrap
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.axes import name_lines, set_x, set_y
from coldcache.analysis.format import format_factor, format_level
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS

#: Greatest level over the least from which an axis is logarithmic.
_WIDE = 8

#: Highest estimate over the lowest from which values have a logarithmic axis.
_DECADES = 50

#: Rows, lines in a panel, and panels that a reader can distinguish.
MOST_ROWS, _MOST_LINES, _MOST_PANELS = 40, 8, 24

#: Panels of a row; more are in two columns.
_MOST_COLUMNS = 3

#: Letters of a line above or beside one of several panels.
_TITLE_LETTERS = 24

#: Inches of a panel.
_WIDTH, _HEIGHT, _AROUND = 3.2, 2.6, 1.0


class Roles(NamedTuple):
    """The place of each dim of a sweep in a figure.

    Attributes
    ----------
    x : str
        The dim along x: a factor whose levels are numbers; empty where there is none.
    lines : str
        The dim with a line per level; it may also be one of the panels', which then have one line each.
    panels : tuple of str
        The other dims: a panel for each combination of their levels.
    """

    x: str
    lines: str
    panels: tuple[str, ...]


def assign_roles(cells: xr.Dataset) -> Roles:
    """Return the place of each dim of the estimates in a figure.

    The first factor whose levels are numbers is along x, and the next factor, or else ``operation``, makes the lines.
    Where that needs more lines or panels than a reader can distinguish, the first other places that do not are taken.

    Parameters
    ----------
    cells : Dataset
        ``estimate`` over ``operation`` and any factors, in the order in which they are to be shown.
    """
    factors = [str(dim) for dim in cells.estimate.dims if dim != "operation" and cells.sizes[dim] > 1]
    numbers = [
        factor for factor in factors if cells[factor].dtype.kind in "iuf" and bool(cells[factor].notnull().all())
    ]
    if not numbers:
        return Roles("", "operation", tuple(factors))
    stated = [factor for factor in factors if bool(cells[factor].notnull().all())]
    pairs = [(x, lines) for x in numbers for lines in stated if lines != x] + [(x, "operation") for x in numbers]
    candidates = [
        Roles(x, lines, tuple(dim for dim in ("operation", *factors) if dim not in (x, lines))) for x, lines in pairs
    ]
    candidates += [Roles(x, "operation", ("operation", *(dim for dim in factors if dim != x))) for x in numbers]
    few = [roles for roles in candidates if roles.lines in roles.panels or cells.sizes[roles.lines] <= _MOST_LINES]
    fitting = (roles for roles in few if _count_panels(cells, roles) <= _MOST_PANELS)
    return next(fitting, min(few, key=lambda roles: _count_panels(cells, roles)))


def assign_over(cells: xr.Dataset, x: str, lines: str) -> Roles:
    """Return the place of each dim of the estimates in a figure with these dims along x and as lines."""
    rest = (str(dim) for dim in cells.estimate.dims if dim not in ("operation", x, lines) and cells.sizes[dim] > 1)
    return Roles(x, lines, ("operation", *rest))


def _count_panels(cells: xr.Dataset, roles: Roles) -> int:
    return math.prod(cells.sizes[dim] for dim in roles.panels)


def choose_shown(cells: xr.Dataset, roles: Roles) -> xr.Dataset:
    """Return the cases of as many panels as a reader can distinguish, the one with the highest estimate among them."""
    best = cells.estimate.isel(cells.estimate.fillna(-1).argmax(...))
    while (panels := _count_panels(cells, roles)) > _MOST_PANELS:
        dim = max(roles.panels, key=cells.sizes.__getitem__)
        levels = cells[dim].values.tolist()
        kept = levels[: max(1, len(levels) * _MOST_PANELS // panels)]
        kept = kept if best[dim].item() in kept else [*kept[:-1], best[dim].item()]
        cells = cells.sel({dim: kept})
    return cells


def describe_shown(shown: xr.Dataset | pd.DataFrame, every: xr.Dataset | pd.DataFrame) -> str | None:
    """Return how many cases a figure shows where it leaves some out; None where it shows all.

    Parameters
    ----------
    shown, every : Dataset or DataFrame
        ``estimate`` of the cases that are drawn, and of all; NaN is no case.
    """
    drawn, there = (int(cases.estimate.notnull().sum()) for cases in (shown, every))
    if drawn == there:
        return None
    return f"Drawn: {drawn:,} of {there:,} cases, as many as a figure can show; the table has all."


def keep_first(cells: xr.Dataset) -> tuple[xr.Dataset, Roles]:
    """Return the cases of one panel, and the place of each dim.

    Of dims that are neither along x nor make the lines it has the first level.
    """
    roles = assign_roles(cells)
    return cells.isel({dim: 0 for dim in cells.estimate.dims if dim not in (roles.x, roles.lines)}), roles


def open_panels(cells: xr.Dataset, roles: Roles) -> tuple[Figure, list[tuple[dict[str, Any], Axes]]]:
    """Return a figure with a panel for each combination of levels, and each combination with its axes.

    A combination selects the panel's cases: a level for each dim, or a list of one for that which also makes lines.
    The first of the panels' dims runs across, the others down; many panels of one row are in two columns. A combination
    that was not measured has no panel.
    """
    across, *down = roles.panels or ("",)
    columns = cells[across].values.tolist() if across else [None]
    rows = [dict(zip(down, levels, strict=True)) for levels in product(*(cells[dim].values.tolist() for dim in down))]
    every = [{**({across: level} if across else {}), **row} for row in rows for level in columns]
    there = [levels for levels in every if bool(cells.estimate.sel(levels).notnull().any())]
    is_wrapped = len(columns) > _MOST_COLUMNS
    width = 2 if is_wrapped else len(columns)
    places = list(range(len(there))) if is_wrapped else [every.index(levels) for levels in there]
    height = -(-len(there) // width) if is_wrapped else len(rows)
    figure, grid = plt.subplots(
        height, width, sharex=True, sharey=not is_wrapped and "col", squeeze=False,
        figsize=(max(6.0, _WIDTH * width), max(4.0, _AROUND + _HEIGHT * height)),
    )  # fmt: skip
    panels = []
    for place, axes in enumerate(grid.flat):
        axes.set_visible(place in places)
    for levels, place in zip(there, places, strict=True):
        title = ", ".join(_name(dim, level) for dim, level in levels.items() if cells.sizes[dim] > 1)
        grid.flat[place].set_title(textwrap.fill(title, _TITLE_LETTERS) if width > 1 else title, fontsize=11)
        selected = {dim: [level] if dim == roles.lines else level for dim, level in levels.items()}
        panels.append((selected, grid.flat[place]))
    return figure, panels


def set_panels(
    panels: Sequence[tuple[dict[str, Any], Axes]], sweep: Estimates, cells: xr.Dataset, roles: Roles,
    is_log: bool = False,
) -> str:  # fmt: skip
    """Set the scales of all panels once everything is drawn, name the lines, and return how to read the axes.

    Where `cells` are not all of the sweep's, the text says how many there are.

    Values start at zero, or have a logarithmic axis if asked, or where the highest estimate is 50 times the lowest or
    more.
    """
    drawn = cells.estimate.values[np.isfinite(cells.estimate.values)]
    is_wide = bool(drawn.min() > 0 and (is_log or drawn.max() / drawn.min() >= _DECADES))
    lowest = {_column_of(axes): axes for _, axes in panels}
    # Only the first panel of a row names the unit.
    highest: dict[int, float] = {}
    for _, axes in panels:
        highest[_row_of(axes)] = max(highest.get(_row_of(axes), 0.0), *axes.yaxis.get_view_interval())
    for _, axes in panels:
        place = axes.get_subplotspec()
        assert place is not None
        set_y(
            axes,
            sweep.quantity,
            unit=sweep.unit,
            **({"log": 10} if is_wide else {"start": 0, "highest": highest[_row_of(axes)]}),
        )
        _set_levels(axes, cells, roles.x)
        axes.set_ylabel(_break_label(axes.get_ylabel()) if place.is_first_col() else "")
        is_lowest = lowest[_column_of(axes)] is axes
        axes.tick_params(axis="x", labelbottom=is_lowest)
        # seaborn hides the label of axes above others.
        axes.xaxis.label.set_visible(is_lowest)
        if not is_lowest:
            axes.set_xlabel("")
    for levels, axes in panels:
        place = axes.get_subplotspec()
        if (place is None or place.is_last_col() or len(panels) == 1) and roles.lines not in roles.panels:
            name_lines(axes, cells.sel(levels), by=roles.lines)
    lines = f"Lines: {_label(roles.lines)}." if roles.lines != "operation" else None
    return " ".join(filter(None, (lines, describe_shown(cells, sweep.cells))))


def _break_label(label: str) -> str:
    """Return the label of a value axis, with its unit on a line of its own where one line has no room for both."""
    return label.replace(", ", ",\n") if len(label) > _TITLE_LETTERS else label


def _column_of(axes: Axes) -> int:
    place = axes.get_subplotspec()
    return place.colspan.start if place else 0


def _row_of(axes: Axes) -> int:
    place = axes.get_subplotspec()
    return place.rowspan.start if place else 0


def _set_levels(axes: Axes, cells: xr.Dataset, factor: str) -> None:
    """Set ticks at the levels of a factor, logarithmic where they span a wide range."""
    levels = cells[factor].values
    is_wide = levels.min() > 0 and levels.max() / levels.min() >= _WIDE
    set_x(axes, _label(factor), **({"log": 2, "ticks": levels.tolist()} if is_wide else {"start": None}))
    if not is_wide:
        axes.set_xlabel(_label(factor))
    ticks = axes.get_xticks() if is_wide else levels
    axes.set_xticks(ticks, [format_level(factor, level) for level in ticks])
    if any(len(format_level(factor, level)) > 4 for level in ticks):
        # A slanted name ends at its tick, so that the last one does not reach beyond the axes.
        axes.tick_params(axis="x", labelrotation=45, labelrotation_mode="xtick")


def _label(dim: str) -> str:
    known = {**FACTORS, **LEARNT_FACTORS}.get(dim)
    return known.label if known else dim.replace("_", " ")


def _name(dim: str, level: Any) -> str:
    return str(level).replace("-", " ") if dim == "operation" else format_factor(dim, level)
