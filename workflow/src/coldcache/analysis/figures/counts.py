"""Counts as bars, with what a model expects of each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import pyplot as plt

from coldcache.analysis.figures.axes import set_title, shorten
from coldcache.analysis.figures.picture import Picture
from coldcache.analysis.figures.published import MARKER, SIZE
from coldcache.analysis.figures.style import INK, SERIES, house_style

#: Nearer to the end of its bar, as a share of the longest one, a published value would cover the bar's count.
_STAR = 0.03


def draw_counts(
    names: Sequence[str], counts: Sequence[float], finding: str, xlabel: str, caption: str,
    expected: Sequence[float] = (), published: Sequence[float] = (), sweeps: Sequence[str] = (),
) -> Picture:  # fmt: skip
    """Draw counts as one bar per case.

    Parameters
    ----------
    names : sequence of str
        One per bar.
    counts : sequence of float
        The counts; NaN draws no bar.
    finding : str
        What the figure shows; its title and text alternative.
    xlabel : str
        What is counted.
    caption : str
        How to read it.
    expected, published : sequence of float
        What a model or a document states of each; NaN where it states nothing.
    sweeps : sequence of str
        Those that were counted, as ``study/sweep``.
    """
    places, values = np.arange(len(names)), np.asarray(counts, dtype=float)
    with house_style():
        figure, axes = plt.subplots(figsize=(6, 1.4 + 0.45 * len(names)))
        axes.barh(places, np.nan_to_num(values), height=0.62, color=SERIES[0].colour, alpha=0.85)
        if len(expected):
            _draw_marks(axes, expected, places, "|", 22, INK)
        if len(published):
            _draw_marks(axes, published, places, MARKER, SIZE, SERIES[1].colour)
        for place, value in zip(places, values, strict=True):
            text = "no data" if np.isnan(value) else f"{value:,.0f}"
            covered = len(published) and abs(published[int(place)] - value) < _STAR * np.nanmax(values)
            axes.annotate(text, (0 if np.isnan(value) else value, place), xytext=(16 if covered else 8, 0),
                          textcoords="offset points", va="center", fontsize=10.5)  # fmt: skip
        axes.set_yticks(places, names)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.margins(x=0.22)
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter(plt.FuncFormatter(shorten))
        axes.grid(axis="y", visible=False)
        axes.set_xlabel(xlabel)
        set_title(figure, finding.removesuffix("."))
        return Picture(figure, finding, caption, sweeps)


def _draw_marks(axes: Any, values: Sequence[float], places: Any, marker: str, size: float, colour: str) -> None:
    axes.plot(
        np.asarray(values, dtype=float), places, linestyle="none", marker=marker, markersize=size,
        markerfacecolor="white", markeredgecolor=colour, markeredgewidth=1.8, zorder=4,
    )  # fmt: skip
