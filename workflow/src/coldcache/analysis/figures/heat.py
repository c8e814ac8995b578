"""Heat maps of sweeps that vary two numbers: a cell per pair of levels, which leads to its case."""

from typing import Any

import xarray as xr
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.axes import scale_for
from coldcache.analysis.figures.marks import say, say_case
from coldcache.analysis.figures.runs import link_points
from coldcache.analysis.format import format_level
from coldcache.core.units import show_number
from coldcache.core.vocabulary import FACTORS

#: The fewest levels of a factor that make a map rather than a few lines.
_LEAST = 3


def find_axes_of_map(cells: xr.Dataset) -> tuple[str, str] | None:
    """Return the two factors of a map, the first along x; None unless exactly two vary, both numbers of many levels."""
    varied = [str(dim) for dim in cells.estimate.dims if dim != "operation" and cells.sizes[dim] > 1]
    if len(varied) != 2 or any(cells[dim].dtype.kind not in "iuf" or cells.sizes[dim] < _LEAST for dim in varied):
        return None
    x, y = sorted(varied, key=lambda dim: dim != "threads")
    return x, y


def open_map(cells: xr.Dataset, over: tuple[str, str]) -> tuple[Figure, dict[str, Axes]]:
    """Return a figure with a panel per operation, below each other."""
    operations = [str(name) for name in cells.operation.values]
    height = 1.3 + 0.42 * cells.sizes[over[1]]
    figure, grid = plt.subplots(len(operations), 1, squeeze=False, figsize=(6.4, height * len(operations)))
    return figure, dict(zip(operations, grid[:, 0], strict=True))


def map_of(sweep: Estimates, operation: str, over: tuple[str, str]) -> Any:
    """Return the estimates of an operation as a frame for `seaborn.heatmap`, in the unit that its title names."""
    cells = sweep.cells.sel(operation=operation).squeeze(drop=True)
    divisor, _ = scale_for(sweep.unit, float(cells.estimate.max()))
    frame = (cells.estimate / divisor).transpose(over[1], over[0]).to_pandas()
    return frame.set_axis(
        [format_level(over[1], level) for level in frame.index], axis="index"
    ).set_axis([format_level(over[0], level) for level in frame.columns], axis="columns")  # fmt: skip


def set_map(axes: Axes, sweep: Estimates, operation: str, over: tuple[str, str]) -> None:
    """Label a drawn map, link each cell to its case, and put the medians of cases with two modes in brackets."""
    cells = sweep.cells.sel(operation=operation).squeeze(drop=True)
    divisor, unit = scale_for(sweep.unit, float(cells.estimate.max()))
    axes.set_title(f"{operation.replace('-', ' ')}, {unit}" if unit else operation, fontsize=11)
    axes.set_xlabel(_label(over[0]))
    axes.set_ylabel(_label(over[1]))
    axes.tick_params(axis="y", rotation=0)
    for column, across in enumerate(cells[over[0]].values.tolist()):
        for row, down in enumerate(cells[over[1]].values.tolist()):
            levels = {"operation": operation, over[0]: across, over[1]: down}
            cell = sweep.cells.sel(levels).squeeze(drop=True)
            median, low, high, n = (float(cell[name]) for name in ("estimate", "low", "high", "n"))
            for text in axes.texts:
                if text.get_position() == (column + 0.5, row + 0.5):
                    shown = show_number(median / divisor)
                    text.set_text(f"({shown})" if sweep.has_two_modes(levels) else shown)
            if (page := sweep.page({**_single(sweep), **levels})) is not None:
                says = say_case(levels, median, low, high, int(n), sweep.unit)
                link_points(axes, [column + 0.5], [row + 0.5], [say(page, says)])


def _single(sweep: Estimates) -> dict[str, Any]:
    """Return the level of each dim that has one alone."""
    return {
        str(dim): sweep.cells[dim].item() for dim in sweep.cells.estimate.dims
        if dim != "operation" and sweep.cells.sizes[dim] == 1
    }  # fmt: skip


def _label(factor: str) -> str:
    return FACTORS[factor].label if factor in FACTORS else factor.replace("_", " ")
