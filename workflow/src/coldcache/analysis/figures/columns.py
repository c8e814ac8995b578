"""A column of values over threads per operation, with a line per level of a setting."""

from collections.abc import Mapping, Sequence

import xarray as xr
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coldcache.analysis.figures.axes import name_lines, set_x, set_y

#: Quantity of the values, by their stored unit.
_QUANTITY = {"B/s": "throughput", "1/s": "operations", "s": "time", "1": "count"}


def open_columns(operations: Sequence[str]) -> tuple[Figure, dict[str, Axes]]:
    """Return a figure with a column per operation, and the axes of each."""
    width = 6.4 if len(operations) > 1 else 6.0
    figure, grid = plt.subplots(1, len(operations), squeeze=False, figsize=(width, 3.8))
    for operation, axes in zip(operations, grid[0], strict=True):
        axes.set_title(operation.replace("-", " "), fontsize=12)
    return figure, dict(zip(operations, grid[0], strict=True))


def set_columns(panels: Mapping[str, Axes], cells: xr.Dataset, factor: str, unit: str) -> None:
    """Set the scales of all panels once everything is drawn: values from zero, threads in powers of two.

    Parameters
    ----------
    panels : mapping of str to Axes
        As `open_columns` returns them.
    cells : Dataset
        The estimates that are drawn; `factor` is one of their dims.
    factor : str
        The factor of which each level is a line.
    unit : {"B/s", "1/s", "s", "1"}
        The stored unit of the values.
    """
    for place, axes in enumerate(panels.values()):
        set_y(axes, _QUANTITY.get(unit, "values"), unit=unit, start=0)
        set_x(axes, "threads", log=2)
        if place:
            axes.set_ylabel("")
    name_lines(list(panels.values())[-1], cells.isel(operation=-1), by=factor)
