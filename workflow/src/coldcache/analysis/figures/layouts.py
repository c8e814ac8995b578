"""One file per thread and one shared file in one panel: the same colour, and broken lines for the shared file."""

from collections.abc import Iterable
from typing import Any

import xarray as xr
from matplotlib.axes import Axes

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.runs import draw_runs
from coldcache.analysis.format import format_factor, list_words
from coldcache.analysis.sentences import list_differences, pair_layouts

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
    """Return a caption for broken lines, with what else they differ in from the solid lines: the tool, and levels."""
    tool = str(one.cube.attrs.get("tool", ""))
    by = f", measured by {tool}" if tool != own.cube.attrs.get("tool", "") else ""
    levels = list_words(format_factor(factor, level) for factor, (level, _) in list_differences(one, own).items())
    return f"Broken lines: all threads share one file{by}{f', with {levels}' if levels else ''}."


def find_shared(own: Estimates, shared: Iterable[Estimates]) -> Estimates | None:
    """Return the sweep of the other layout of files that a sweep can share a panel with, one with a ratio to it first.

    None unless both vary the threads alone.

    Parameters
    ----------
    own : Estimates
        The sweep, of one file per thread or of one shared file.
    shared : iterable of Estimates
        The sweeps of the other layout.
    """
    dims = {"operation", "threads"}
    fitting = [one for one in shared if set(one.cells.estimate.dims) == dims and one.unit == own.unit]
    pairs = pair_layouts(fitting, [own]) if set(own.cells.estimate.dims) == dims else []
    return pairs[0][0] if pairs else None
