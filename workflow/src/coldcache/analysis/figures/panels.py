"""Panels of lines for sweeps of any factors: one along x, one as lines, a panel per combination of the rest."""

import math
from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
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

#: Rows, lines in a panel, and panels that a reader can tell apart.
_MOST_ROWS, _MOST_LINES, _MOST_PANELS = 40, 8, 24

#: Inches of a panel.
_WIDTH, _HEIGHT, _AROUND = 3.2, 2.6, 1.0


class Roles(NamedTuple):
    """The place of each dim of a sweep in a figure.

    Attributes
    ----------
    x : str
        The dim along x: the first factor whose levels are numbers; empty where there is none.
    lines : str
        The dim with a line per level: the next factor, or ``operation``.
    panels : tuple of str
        The other dims: a panel for each combination of their levels.
    """

    x: str
    lines: str
    panels: tuple[str, ...]


def assign_roles(cells: xr.Dataset) -> Roles:
    """Return the place of each dim of the estimates in a figure.

    Parameters
    ----------
    cells : Dataset
        ``estimate`` over ``operation`` and any factors, in the order in which they are to be shown.
    """
    factors = [str(dim) for dim in cells.estimate.dims if dim != "operation" and cells.sizes[dim] > 1]
    numbers = [
        factor for factor in factors if cells[factor].dtype.kind in "iuf" and bool(cells[factor].notnull().all())
    ]
    x = numbers[0] if numbers else ""
    others = [factor for factor in factors if factor != x]
    lines = others[0] if others and x else "operation"
    return Roles(x, lines, tuple(dim for dim in ("operation", *others) if dim not in (x, lines)))


def fits_figure(cells: xr.Dataset) -> bool:
    """Return whether a figure can show every case of some estimates so that a reader can tell them apart."""
    roles = assign_roles(cells)
    panels = math.prod(cells.sizes[dim] for dim in roles.panels)
    if not roles.x:
        return int(cells.estimate.notnull().sum()) <= _MOST_ROWS
    return cells.sizes[roles.lines] <= _MOST_LINES and panels <= _MOST_PANELS


def open_panels(cells: xr.Dataset, roles: Roles) -> tuple[Figure, list[tuple[dict[str, Any], Axes]]]:
    """Return a figure with a panel for each combination of levels, and each combination with its axes.

    The first of the panels' dims runs across, the others down. A combination that was not measured has no panel.
    """
    across, *down = roles.panels or ("",)
    columns = cells[across].values.tolist() if across else [None]
    rows = [dict(zip(down, levels, strict=True)) for levels in product(*(cells[dim].values.tolist() for dim in down))]
    figure, grid = plt.subplots(
        len(rows), len(columns), sharex=True, sharey="col", squeeze=False,
        figsize=(max(6.0, _WIDTH * len(columns)), max(4.0, _AROUND + _HEIGHT * len(rows))),
    )  # fmt: skip
    panels = []
    for (row, place), (column, level) in product(enumerate(rows), enumerate(columns)):
        levels = {**({across: level} if across else {}), **place}
        axes = grid[row][column]
        if not bool(cells.estimate.sel(levels).notnull().any()):
            axes.set_visible(False)
            continue
        title = ", ".join(_name(dim, level) for dim, level in levels.items() if cells.sizes[dim] > 1)
        axes.set_title(title, fontsize=11)
        panels.append((levels, axes))
    return figure, panels


def set_panels(panels: Sequence[tuple[dict[str, Any], Axes]], sweep: Estimates, cells: xr.Dataset, roles: Roles) -> str:
    """Set the scales of all panels once everything is drawn, name the lines, and return how to read the axes.

    Values start at zero, or have a logarithmic axis where the highest estimate is 50 times the lowest or more.
    """
    drawn = cells.estimate.values[np.isfinite(cells.estimate.values)]
    is_wide = bool(drawn.min() > 0 and drawn.max() / drawn.min() >= _DECADES)
    for _, axes in panels:
        place = axes.get_subplotspec()
        assert place is not None
        set_y(axes, sweep.quantity, unit=sweep.unit, **({"log": 10} if is_wide else {"start": 0}))
        _set_levels(axes, cells, roles.x)
        axes.set_ylabel(axes.get_ylabel().replace(", ", ",\n") if place.is_first_col() else "")
        if not place.is_last_row():
            axes.set_xlabel("")
    for levels, axes in panels:
        place = axes.get_subplotspec()
        if place is None or place.is_last_col():
            name_lines(axes, cells.sel(levels), by=roles.lines)
    return f"Lines: {_label(roles.lines)}." if roles.lines != "operation" else ""


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
        axes.tick_params(axis="x", rotation=45)


def _label(dim: str) -> str:
    known = {**FACTORS, **LEARNT_FACTORS}.get(dim)
    return known.label if known else dim.replace("_", " ")


def _name(dim: str, level: Any) -> str:
    return str(level).replace("-", " ") if dim == "operation" else format_factor(dim, level)
