"""Knees: a ring around the median from which a line is level."""

import xarray as xr
from matplotlib.axes import Axes

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.marks import assign_series
from coldcache.analysis.figures.style import mark_level
from coldcache.analysis.scaling import find_knee


def draw_knees(axes: Axes, sweep: Estimates, cells: xr.Dataset, of: str = "") -> str | None:
    """Draw a ring around the first median of each operation's plateau.

    Parameters
    ----------
    axes : Axes
        Where the lines over threads are.
    sweep : Estimates
        Over ``operation`` and ``threads`` alone; another sweep has no rings.
    cells : Dataset
        The estimates as drawn, such as shares of the highest.
    of : str
        What follows an operation in the name of its line.

    Returns
    -------
    str or None
        A sentence for the caption; None where no line becomes level.
    """
    if set(sweep.cells.estimate.dims) != {"operation", "threads"}:
        return None
    levels, drawn = cells.operation.values.tolist(), 0
    fewest = int(sweep.cells.threads.min())
    figure = axes.get_figure(root=True)
    share = (figure.get_figwidth() / 6) ** 0.5 if figure else 1.0
    for operation in sweep.operations():
        knee, name = find_knee(sweep, operation), f"{operation}{of}"
        if knee is None or knee == fewest or name not in levels:
            continue
        height = float(cells.estimate.sel(operation=name, threads=knee))
        (ring,) = axes.plot(
            [knee], [height], linestyle="none", marker="o", markersize=13 * share, markerfacecolor="none",
            markeredgecolor=mark_level(name, levels).colour, markeredgewidth=1.4, zorder=2.2,
        )  # fmt: skip
        assign_series(ring, name)
        drawn += 1
    return "Rings: from here on a line is level." if drawn else None
