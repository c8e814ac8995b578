"""Intervals of lines: a band from their lower to their upper ends, or a thin bar at each point where runs are few."""

import numpy as np
import xarray as xr
from matplotlib.artist import Artist
from matplotlib.axes import Axes

from coldcache.analysis.captions import room_for_intervals
from coldcache.analysis.figures.marks import assign_series
from coldcache.analysis.figures.style import mark_level

#: Runs of every point of a line from which its interval is a band: of fewer runs it is as wide as the runs themselves.
BAND_FROM = 8


def draw_bands(axes: Axes, cells: xr.Dataset, x: str = "threads", by: str = "operation") -> None:
    """Draw the interval of each estimate around the line of its level.

    It is a band where every point of the line has `BAND_FROM` runs, else a thin bar at each point. The axes leave room
    for ends up to `room_for_intervals`; what goes beyond is cut at their edge.

    Parameters
    ----------
    axes : Axes
        Where the lines are.
    cells : Dataset
        ``low``, ``high`` and ``n`` over the dims `x` and `by`, as `median_interval` returns them; NaN ends have none.
    x, by : str
        The dim along the axis, and the factor of which each level is a line.
    """
    levels = cells[by].values.tolist()
    room = max(room_for_intervals(cells), axes.dataLim.y1)
    for level in levels:
        line = cells.sel({by: level})
        colour = mark_level(level, levels).colour
        known = line.n.values[line.n.values > 0]
        drawn: Artist
        if known.size and known.min() >= BAND_FROM:
            drawn = axes.fill_between(
                line[x].values, line.low.values, line.high.values, color=colour, alpha=0.18, linewidth=0
            )  # fmt: skip
        else:
            has_ends = np.isfinite(line.low.values)
            at, low, high = line[x].values[has_ends], line.low.values[has_ends], line.high.values[has_ends]
            drawn = axes.vlines(at, low, high, color=colour, linewidth=1.4, alpha=0.8, zorder=1.8)
        assign_series(drawn, level)
    if axes.dataLim.y1 > room:
        axes.dataLim.y1 = room
