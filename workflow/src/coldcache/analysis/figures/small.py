"""Figures so small that four fit in a row: quantity above the axes, few ticks, no room between panels."""

import pandas as pd
import xarray as xr
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.axes import set_x
from coldcache.analysis.figures.panels import Roles, set_panels

#: Ticks of values.
_TICKS = 4


def open_small(rows: pd.DataFrame | None = None) -> tuple[Figure, Axes]:
    """Return a small figure with its axes; draw it in the small style of `set_house_style`.

    Parameters
    ----------
    rows : DataFrame, optional
        One row per case, as `list_cases` returns them: the axes have a row for each, named at the left.
    """
    figure, axes = plt.subplots()
    if rows is not None:
        axes.set_yticks(rows.row, rows.case)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.grid(axis="y", visible=False)
    return figure, axes


def set_small(axes: Axes, sweep: Estimates, cells: xr.Dataset, roles: Roles) -> None:
    """Set the scales of a small figure once everything is drawn, and name its lines.

    The quantity and its unit are above the axes. Values start at zero, or have a logarithmic axis where they span
    decades.
    """
    if roles.x:
        set_panels([({}, axes)], sweep, cells, roles)
        if axes.get_yscale() == "linear":
            axes.yaxis.set_major_locator(MaxNLocator(_TICKS))
        axes.set_title(axes.get_ylabel().replace("\n", " "))
        axes.set_ylabel("")
        return
    set_x(axes, sweep.quantity, unit=sweep.unit, start=0)
    axes.xaxis.set_major_locator(MaxNLocator(_TICKS))
    axes.set_title(axes.get_xlabel())
    axes.set_xlabel("")
