"""A column of panels per operation: values over threads above, their ratios to a reference below."""

from collections.abc import Mapping, Sequence

import xarray as xr
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coldcache.analysis.figures.axes import name_lines, set_x, set_y
from coldcache.analysis.figures.style import INK

#: Quantity of the values, by their stored unit.
_QUANTITY = {"B/s": "throughput", "1/s": "operations", "s": "time", "1": "count"}


def open_columns(operations: Sequence[str]) -> tuple[Figure, dict[str, tuple[Axes, Axes]]]:
    """Return a figure with a column per operation: the axes of its values, and below them the axes of their ratios."""
    figure, grid = plt.subplots(
        2, len(operations), sharex=True, squeeze=False, figsize=(6.4 if len(operations) > 1 else 6, 5.2),
        height_ratios=(3, 2),
    )  # fmt: skip
    for operation, axes in zip(operations, grid[0], strict=True):
        axes.set_title(operation.replace("-", " "), fontsize=12)
    return figure, {name: (above, below) for name, (above, below) in zip(operations, grid.T, strict=True)}


def set_columns(panels: Mapping[str, tuple[Axes, Axes]], cells: xr.Dataset, factor: str, unit: str) -> None:
    """Set the scales of all panels once everything is drawn: values from zero, threads in powers of two.

    Parameters
    ----------
    panels : mapping of str to (Axes, Axes)
        As `open_columns` returns them.
    cells : Dataset
        The estimates that are drawn; `factor` is one of their dims.
    factor : str
        The factor of which each level is a line.
    unit : {"B/s", "1/s", "s", "1"}
        The stored unit of the values.
    """
    for above, below in panels.values():
        set_y(above, _QUANTITY.get(unit, "values"), unit=unit, start=0)
        set_x(below, "threads", log=2)
        below.axhline(1, color=INK, linewidth=1.2)
        low, high = below.get_ylim()
        below.set_ylim(min(low, 0.8), max(high, 1.2))
        set_y(below, "ratio", start=None)
        above.set_xlabel("")
    first, *others = panels.values()
    for above, below in others:
        above.set_ylabel("")
        below.set_ylabel("")
    first[0].figure.align_ylabels([first[0], first[1]])
    name_lines(list(panels.values())[-1][0], cells.isel(operation=-1), by=factor)
