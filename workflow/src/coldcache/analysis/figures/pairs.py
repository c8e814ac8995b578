"""The levels of a setting side by side: each round's runs joined by a line, and the median of each level."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.axes import set_y
from coldcache.analysis.figures.marks import say, say_case, say_levels
from coldcache.analysis.figures.runs import draw_points, link_points, list_run_marks, list_run_pages
from coldcache.analysis.figures.style import COLOURS
from coldcache.analysis.format import LEVEL_MEANINGS, format_level
from coldcache.analysis.paired_ratios import reference_level
from coldcache.core.vocabulary import SET_FACTORS

#: Levels of a setting that a small figure shows side by side.
_FEW = 4

#: Inches of the name of a level.
_LEVEL = 1.5


def open_pairs(sweep: Estimates, factor: str) -> tuple[Figure, dict[tuple[Any, ...], Axes]]:
    """Return a figure with a panel per case without the factor: its axes by the levels of the other dims."""
    others = [str(dim) for dim in sweep.cells.estimate.dims if dim != factor]
    stacked = sweep.cells.estimate.stack(place=others).dropna("place", how="all")
    places = [place if isinstance(place, tuple) else (place,) for place in stacked.place.values.tolist()]
    width = max(3.2, _LEVEL * sweep.cells.sizes[factor])
    figure, grid = plt.subplots(1, len(places), squeeze=False, figsize=(max(6.0, width * len(places)), 4.0))
    return figure, dict(zip(places, grid[0], strict=True))


def find_paired(sweep: Estimates) -> str | None:
    """Return the setting that a sweep compares at few levels of one operation; None for any other sweep."""
    varied = [str(dim) for dim in sweep.cells.estimate.dims if sweep.cells.sizes[dim] > 1]
    if len(varied) != 1 or varied[0] not in SET_FACTORS or sweep.cells.sizes[varied[0]] > _FEW:
        return None
    return varied[0]


def tabulate_rounds(sweep: Estimates, factor: str, place: tuple[Any, ...] = ()) -> pd.DataFrame:
    """Return the runs of one case at each level of a factor.

    Returns
    -------
    DataFrame
        Columns ``x``, the place of the level in the order of `draw_pairs`; ``run``, in the sweep's unit; ``round``.
    """
    levels = _order_levels(sweep, factor)
    runs = sweep.runs.sel(_fix(sweep, place, factor)).sel({factor: levels}).transpose(factor, "repetition")
    return pd.DataFrame(
        [
            {"x": x, "run": float(run), "round": number}
            for x, values in enumerate(runs.values)
            for number, run in enumerate(values)
        ]
    )


def _fix(sweep: Estimates, place: tuple[Any, ...], factor: str) -> dict[str, Any]:
    """Return the levels of the dims but the factor; without a place each has one level."""
    others = [str(dim) for dim in sweep.cells.estimate.dims if dim != factor]
    return dict(zip(others, place or [sweep.cells[dim].item() for dim in others], strict=True))


def _order_levels(sweep: Estimates, factor: str) -> list[Any]:
    """Return the levels of a factor, the reference level first."""
    reference = reference_level(sweep, factor)
    return sorted(sweep.cells[factor].values.tolist(), key=lambda level: (level != reference, _rank(level)))


def draw_pairs(
    axes: Axes, sweep: Estimates, factor: str, place: tuple[Any, ...] = (), is_small: bool = False
) -> None:  # fmt: skip
    """Draw the runs of one case at each level of a factor, and the medians with intervals.

    Parameters
    ----------
    axes : Axes
        One of those of `open_pairs`.
    sweep : Estimates
        The sweep.
    factor : str
        The setting; its reference level comes first.
    place : tuple
        The levels of the other dims, in their order.
    is_small : bool
        Whether a level has the name of what it does alone.
    """
    fixed, levels = _fix(sweep, place, factor), _order_levels(sweep, factor)
    for x, level in enumerate(levels):
        _draw_level(axes, sweep, {**fixed, factor: level}, x)
    axes.set_xticks(range(len(levels)), [_name_level(factor, level, is_small) for level in levels])
    axes.set_xlim(-0.4, len(levels) - 0.6)
    axes.set_xlabel("")
    axes.grid(axis="x", visible=False)
    set_y(axes, sweep.quantity, unit=sweep.unit, start=0)
    named = {name: level for name, level in fixed.items() if sweep.cells.sizes[name] > 1}
    axes.set_title(say_levels(named), fontsize=11)


def _draw_level(axes: Axes, sweep: Estimates, levels: dict[str, Any], x: int) -> None:
    cell, page = sweep.cells.sel(levels), sweep.page(levels)
    if page is None:
        return
    values, marks = list_run_marks(sweep, levels)
    pages = list_run_pages(page, say_levels(levels), marks)
    draw_points(axes, np.full(len(values), float(x)), values, marks, pages, COLOURS["first"], unit=sweep.unit)
    median, low, high = (float(cell[name]) for name in ("estimate", "low", "high"))
    bars = np.array([[median - low], [high - median]]) if low == low else None
    axes.errorbar([x + 0.14], [median], yerr=bars, fmt="o", color=COLOURS["first"], markersize=7)
    says = say_case(levels, median, low, high, int(np.isfinite(values).sum()), sweep.unit)
    link_points(axes, [x + 0.14], [median], [say(page, says)])


def _rank(level: Any) -> int:
    """Return the position of a level in the known order; unknown levels follow all known ones."""
    return list(LEVEL_MEANINGS).index(level) if level in LEVEL_MEANINGS else len(LEVEL_MEANINGS)


def _name_level(factor: str, level: Any, is_small: bool) -> str:
    name = format_level(factor, level)
    if is_small:
        return LEVEL_MEANINGS.get(name, name).replace(", ", ",\n")
    return f"{LEVEL_MEANINGS[name]}\n({name})".replace(", ", ",\n") if name in LEVEL_MEANINGS else name
