"""Intervals of lines, as bands from their lower to their upper ends."""

import xarray as xr
from matplotlib.axes import Axes

from coldcache.analysis.figures.marks import assign_series
from coldcache.analysis.figures.style import mark_level


def draw_bands(axes: Axes, cells: xr.Dataset, x: str = "threads", by: str = "operation") -> None:
    """Draw the interval of each estimate as a band around the line of its level.

    Parameters
    ----------
    axes : Axes
        Where the lines are.
    cells : Dataset
        ``low`` and ``high`` over the dims `x` and `by`, as `median_interval` returns them; NaN has no band.
    x, by : str
        The dim along the axis, and the factor of which each level is a line.
    """
    levels = cells[by].values.tolist()
    for level in levels:
        line = cells.sel({by: level})
        colour = mark_level(level, levels).colour
        band = axes.fill_between(
            line[x].values, line.low.values, line.high.values, color=colour, alpha=0.18, linewidth=0
        )  # fmt: skip
        assign_series(band, level, levels)
