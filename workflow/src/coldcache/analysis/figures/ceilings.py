"""Limits of a system, and rates that are asked of it, as dashed lines."""

from collections.abc import Collection, Mapping

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.free_name import FreeName
from coldcache.analysis.figures.style import FAINT
from coldcache.core.units import show_rate

#: A ceiling that is further above the highest value would press the data to the floor of the figure.
_FARTHEST = 2.0

#: Letters that fit beside each other within the axes.
_LETTERS = 45

#: Two names need this share of the highest value between them.
_ROOM = 0.1


def draw_ceilings(
    axes: Axes, estimates: Estimates, cells: xr.Dataset | None = None, along: str = "y", named: bool = True
) -> str | None:  # fmt: skip
    """Draw the limits of a sweep that the scale allows.

    Parameters
    ----------
    axes : Axes
        Where its values are drawn.
    estimates : Estimates
        The sweep.
    cells : Dataset, optional
        The estimates that are drawn; all of the sweep when not given. Where only writes are drawn, limits of reads are
        not.
    along : {"y", "x"}
        The axis of the values.
    named : bool
        Whether each line has its name beside it; a small figure has room in its caption only.

    Returns
    -------
    str or None
        A sentence for the caption with all limits; None where none is known.
    """
    drawn_cells = estimates.cells if cells is None else cells
    shown = [str(name) for name in np.atleast_1d(drawn_cells.operation.values)]
    highest = np.nanmax(np.append(estimates.runs.sel(operation=shown).values, 0))
    ceilings = {name: rate for name, rate in estimates.ceilings.items() if _bounds(name, shown)}
    drawn = sorted((rate, name) for name, rate in ceilings.items() if rate <= _FARTHEST * highest)
    names: list[str] = []
    for place, (rate, name) in enumerate(drawn):
        draw = axes.axhline if along == "y" else axes.axvline
        draw(rate, color=FAINT, linestyle="--", linewidth=1.3, zorder=1)
        if not named or along == "x":
            continue
        names.append(f"{name}, {show_rate(rate, estimates.unit)}")
        above = drawn[place + 1][0] if place + 1 < len(drawn) else np.inf
        # Lines that are near each other are named together, above the highest or below the lowest of them.
        if above - rate > _ROOM * highest:
            # Names that do not fit in one line have one each, in the order of their lines.
            joined = "; ".join(names)
            joined = joined if len(joined) <= _LETTERS else "\n".join(reversed(names))
            FreeName(axes, joined, drawn[place + 1 - len(names)][0], rate, fontsize=11, color=FAINT)
            names = []
    limits = "; ".join(f"{name} {show_rate(rate, estimates.unit)}" for name, rate in estimates.ceilings.items())
    return f"Dashed where the scale allows: {limits}." if limits else None


def _bounds(name: str, operations: Collection[str]) -> bool:
    """Return whether a limit bounds any of some operations, by its name, such as ``stated limit of reads``."""
    sides = {f" of {side}s": any(one.endswith(side) for one in operations) for side in ("read", "write")}
    return all(is_drawn for side, is_drawn in sides.items() if name.endswith(side))


def draw_thresholds(axes: Axes, thresholds: Mapping[str, float]) -> None:
    """Draw rates that are asked for across a figure of rows, as dashed lines with their names above the axes."""
    for place, (name, rate) in enumerate(sorted(thresholds.items(), key=lambda found: found[1])):
        axes.axvline(rate, color=FAINT, linestyle="--", linewidth=1.3, zorder=1)
        axes.annotate(
            name, (rate, 1), xycoords=("data", "axes fraction"), xytext=(3 if place else -3, 2),
            ha="left" if place else "right", textcoords="offset points", fontsize=11, color=FAINT,
        )  # fmt: skip
