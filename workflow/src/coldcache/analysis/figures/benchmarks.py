"""Figures of the program itself beside their goals, and over commits."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt

from coldcache.analysis.figures.axes import set_title
from coldcache.analysis.figures.picture import Picture
from coldcache.analysis.figures.style import FAINT, INK, SERIES, house_style

#: Shares of a goal below which all are drawn at the edge.
_LEAST = 0.01

#: Panels beside each other.
_COLUMNS = 2


def draw_goals(shares: Mapping[str, float], finding: str) -> Picture:
    """Draw how much of its goal each figure takes, on a logarithmic axis.

    Parameters
    ----------
    shares : mapping of str to float
        By what is measured: 1 is the goal, more misses it.
    finding : str
        What the figure shows; its title and text alternative.
    """
    with house_style():
        figure, axes = plt.subplots(figsize=(6, 1.2 + 0.42 * len(shares)))
        for place, (what, share) in enumerate(shares.items()):
            mark = SERIES[1] if share > 1 else SERIES[0]
            axes.plot([_LEAST, max(share, _LEAST)], [place, place], color=mark.colour, linewidth=2, alpha=0.4)
            axes.plot([max(share, _LEAST)], [place], marker=mark.marker, color=mark.colour, clip_on=False, zorder=3)
            axes.annotate(what, (_LEAST, place), xytext=(2, 5), textcoords="offset points", fontsize=9)
        axes.axvline(1, color=INK, linewidth=1.4, linestyle="--")
        axes.annotate("goal", (1, -0.9), xytext=(4, 0), textcoords="offset points", fontsize=10.5)
        axes.set_xscale("log")
        axes.set_xlim(_LEAST, 2 * max(2.0, *shares.values()))
        axes.set_ylim(len(shares) - 0.5, -1)
        axes.set_yticks([])
        axes.set_xlabel("share of the goal that is used (logarithmic)")
        set_title(figure, finding)
        caption = (
            "Each mark is the newest figure over its goal; of a rate, its goal over the figure; of a range, the "
            "distance from its middle. Left of the dashed line the goal is kept; squares miss it."
        )
        return Picture(figure, finding, caption)


def draw_trend(values: pd.DataFrame, panels: Mapping[str, tuple[str, str, float | None]], finding: str) -> Picture:
    """Draw each figure over commits, one panel each.

    Parameters
    ----------
    values : DataFrame
        A row per commit, in their order, and a column per figure; NaN where it was not measured.
    panels : mapping of str to tuple
        Of each figure what it is, its unit, and the most that it may be, where it has an upper bound.
    finding : str
        What the figure shows; its title and text alternative.
    """
    rows = -(-len(panels) // _COLUMNS)
    with house_style():
        figure, grid = plt.subplots(rows, _COLUMNS, figsize=(6, 0.8 + 1.9 * rows), squeeze=False, sharex=True)
        for axes in grid.flat[len(panels) :]:
            axes.set_axis_off()
        for axes, (name, (what, unit, most)) in zip(grid.flat, panels.items(), strict=False):
            there = values[name].notna().to_numpy()
            axes.plot(np.flatnonzero(there), values[name][there], color=SERIES[0].colour, marker=SERIES[0].marker)
            if most:
                axes.axhline(most, color=FAINT, linestyle="--", linewidth=1.2)
            axes.set_ylim(bottom=0)
            axes.set_ylabel(unit or "1", fontsize=9)
            axes.set_title(_wrap(what), fontsize=8.5, fontweight="normal")
            axes.tick_params(labelsize=8)
            axes.set_xticks(range(len(values)), [str(commit)[:7] for commit in values.index], rotation=40, ha="right")
        set_title(figure, finding)
        return Picture(figure, finding, "Each dot is one stored run of the bench at a commit. Dashed: the goal.")


def _wrap(text: str) -> str:
    """Return a text in lines that fit a panel."""
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + len(word) > 42:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines)
