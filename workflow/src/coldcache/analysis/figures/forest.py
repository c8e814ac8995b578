"""A forest: one row per ratio of a setting, with its interval, on one logarithmic axis with a line at 1."""

from itertools import pairwise
from textwrap import fill

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter

from coldcache.analysis.estimates import LEVEL
from coldcache.analysis.figures.marks import say
from coldcache.analysis.figures.picture import Picture
from coldcache.analysis.figures.runs import link_points
from coldcache.analysis.figures.style import COLOURS, FAINT, INK
from coldcache.analysis.format import show_end, show_level
from coldcache.core.units import show_number

#: Letters of a line of a row's name.
_WIDTH = 48

#: Inches of the lowest row, of a line of a name, and of what surrounds the rows.
_ROW, _LINE, _AROUND = 0.27, 0.2, 1.3

#: How a claimed side is shaded.
_CLAIMED = "#dfe9e2"

#: Places of ticks: a forest of small effects needs those near 1.
_TICKS = (0.001, 0.01, 0.1, 0.2, 0.5, 0.8, 1, 1.25, 2, 5, 10, 100, 1000)

#: Ends of the narrowest axis.
_NARROW = (0.45, 2.2)


def open_forest(ratios: pd.DataFrame) -> tuple[Figure, Axes]:
    """Return a figure with a row per ratio, named at the left.

    Parameters
    ----------
    ratios : DataFrame
        As `coldcache.analysis.setting_ratios.tabulate_ratios` returns them.
    """
    names = [fill(name, _WIDTH) for name in ratios.case]
    lines = [name.count("\n") + 1 for name in names]
    most = max((sum(pair) / 2 for pair in pairwise(lines)), default=1)  # between the middles of neighbours
    figure, axes = plt.subplots(figsize=(6.6, _AROUND + max(_ROW, _LINE * most) * len(ratios)))
    axes.set_yticks(range(len(ratios)), names, fontsize=10.5)
    axes.set_ylim(len(ratios) - 0.5, -0.5)
    axes.grid(axis="y", visible=False)
    axes.axvline(1, color=INK, linewidth=1.2, zorder=1)
    return figure, axes


def draw_forest(axes: Axes, ratios: pd.DataFrame) -> None:
    """Draw each ratio with its interval, or the ratios of too few pairs; shade the side that a claim names.

    A ratio whose interval leaves out 1 is a filled dot; one that shows no difference is hollow.
    """
    _set_scale(axes, ratios)
    low, high = axes.get_xlim()
    for row, one in enumerate(ratios.itertuples()):
        if one.claim:
            left, right = max(one.claimed_low, low), min(one.claimed_high, high)
            axes.fill_between([left, right], row - 0.45, row + 0.45, color=_CLAIMED, linewidth=0, zorder=0.5)
        has_interval = one.low == one.low
        if has_interval:
            axes.plot([one.low, one.high], [row, row], color=COLOURS["first"], linewidth=1.8, zorder=2)
        elif one.runs:
            axes.plot(one.runs, [row] * len(one.runs), ".", color=FAINT, markersize=5, alpha=0.8, zorder=2)
        shows = has_interval and not one.low <= 1 <= one.high
        face = COLOURS["first"] if shows else "white"
        axes.plot([one.ratio], [row], "o", color=COLOURS["first"], markerfacecolor=face, markersize=7, zorder=3)
        axes.annotate(
            f"n={one.n}", (1, row), xycoords=("axes fraction", "data"), xytext=(6, 0), textcoords="offset points",
            va="center", fontsize=10.5, color=FAINT, annotation_clip=False,
        )  # fmt: skip
    pages = [say(one.page, f"{one.case}: {_say(one)}") for one in ratios.itertuples()]
    link_points(axes, ratios.ratio.to_numpy(), np.arange(len(ratios)), pages)
    axes.set_xlabel("ratio (log10)")


def picture_of_forest(figure: Figure, ratios: pd.DataFrame, title: str) -> Picture:
    """Return a drawn forest with its title and how to read it."""
    return Picture(figure, title, caption_forest(ratios), ratios.sweep, numbers=ratios.drop(columns="page"))


def caption_forest(ratios: pd.DataFrame) -> str:
    """Return how to read a forest."""
    has_interval = ratios.low.notna()
    parts = []
    if has_interval.any():
        parts.append(f"Bars: {show_level(LEVEL)} intervals of n pairs; hollow: the interval includes 1.")
    if (~has_interval).any():
        parts.append("Small dots: single pairs, fewer than five; hollow, their typical ratio.")
    if (ratios.claim != "").any():
        parts.append("Shaded: where the document says that the ratio lies.")
    return " ".join(parts)


def _say(one: tuple) -> str:  # type: ignore[type-arg]
    ratio, low, high, n = (getattr(one, name) for name in ("ratio", "low", "high", "n"))
    interval = f" ({show_level(LEVEL)}: {show_end(low)} to {show_end(high)})" if low == low else ""
    return f"{show_number(ratio)} times{interval}, {n} pair{'s' if n != 1 else ''}"


def _set_scale(axes: Axes, ratios: pd.DataFrame) -> None:
    values = np.array(
        [
            *ratios[["ratio", "low", "high"]].to_numpy(dtype=float).ravel(),
            *(run for runs in ratios.runs for run in runs),
        ]
    )
    values = values[np.isfinite(values) & (values > 0)]
    low, high = (min(_NARROW[0], *(values / 1.15)), max(_NARROW[1], *(values * 1.15))) if values.size else _NARROW
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    is_wide = high / low > 12
    ticks = [tick for tick in _TICKS if low <= tick <= high and not (is_wide and tick in (0.8, 1.25))]
    if high / low > 400:
        ticks = [tick for tick in ticks if np.log10(tick) % 1 == 0]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xticks([], minor=True)
