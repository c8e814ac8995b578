"""One file per thread and one shared file in one panel: the same colour, and broken lines for the shared file."""

from typing import Any

import xarray as xr
from matplotlib.axes import Axes

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.runs import draw_runs

#: What follows an operation in the name of its line.
ONE_FILE = ", one file"


def join_layouts(own: xr.Dataset | None, shared: xr.Dataset | None) -> xr.Dataset:
    """Return estimates of both layouts, those of the shared file as further operations; of one where that is all.

    Parameters
    ----------
    own, shared : Dataset
        ``estimate``, ``low``, ``high`` and ``n`` over ``operation`` and ``threads``.
    """
    if own is None or shared is None:
        found = shared if own is None else own
        assert found is not None, "one of the layouts has estimates"
        return found
    names = [f"{name}{ONE_FILE}" for name in shared.operation.values]
    both = xr.concat([own, shared.assign_coords(operation=names)], "operation", join="outer", coords="minimal")
    return both.assign(n=both.n.fillna(0))


def draw_layouts(
    axes: Axes, own: Estimates | None, one: Estimates | None, cells: xr.Dataset | None = None, **how: Any
) -> str:
    """Draw the runs of both layouts, as `draw_runs`, and return a caption for the broken lines of the shared file.

    Parameters
    ----------
    axes : Axes
        Where the estimates are drawn, in their stored unit.
    own, one : Estimates
        The sweeps of one file per thread and of the shared file; of one of them alone nothing is broken.
    cells : Dataset, optional
        The cases of `own` that are drawn; all by default.
    **how
        As `draw_runs` takes them for `own`.
    """
    if own:
        draw_runs(axes, own, own.cells if cells is None else cells, **how)
    if one:
        draw_runs(axes, one, one.cells, of=ONE_FILE if own else "")
    if not own or not one:
        return ""
    return say_shared(one, own)


def say_shared(one: Estimates, own: Estimates) -> str:
    """Return a caption for broken lines, with their tool if the solid lines have another."""
    tool = str(one.cube.attrs.get("tool", ""))
    by = f", measured by {tool}" if tool != own.cube.attrs.get("tool", "") else ""
    return f"Broken lines: all threads share one file{by}."


def find_shared(own: Estimates, shared: list[Estimates]) -> Estimates | None:
    """Return the sweep into one shared file that a sweep of one file per thread can share a panel with.

    None unless both vary the threads alone.
    """
    dims = {"operation", "threads"}
    fitting = [one for one in shared if set(one.cells.estimate.dims) == dims and one.unit == own.unit]
    return fitting[0] if fitting and set(own.cells.estimate.dims) == dims else None
