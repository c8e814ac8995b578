"""What the axes of every figure have in common: scales, ticks, names at the ends of lines, titles, single trials."""

from collections.abc import Iterable
from textwrap import fill
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from coldcache.analysis.estimates import NOT_PROVED, Estimates
from coldcache.analysis.figures.style import Mark
from coldcache.analysis.report_links import page_of_trial, without_links

#: Letters of a title's line at the width of a figure.
_TITLE = 50

#: Ticks of an axis of levels that have room beside each other.
_MOST_TICKS = 11

#: Height in points of a name at the end of a line.
_LABEL = 15.0


def shorten(value: float, _position: Any = None) -> str:
    """Return a number of a tick in few letters: ``20 k``, ``1.5 M``."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g} {letter}"
    return f"{value:g}"


def scale_for(unit: str, values: Any) -> tuple[float, str]:
    """Return what to divide values by for an axis that starts at zero, and the unit that its label names."""
    finite = np.asarray(values, dtype=float)
    highest = float(np.nanmax(finite)) if np.isfinite(finite).any() else 0.0
    if unit == "B/s":
        return (1e9, "GB/s") if highest >= 1e9 else (1e6, "MB/s")
    if unit == "1/s":
        return (
            (1e6, "million per second")
            if highest >= 1e7
            else (1e3, "thousand per second")
            if highest >= 1e4
            else (1.0, "per second")
        )
    if unit == "s":
        return (1.0, "s") if highest >= 1 else (1e-3, "ms") if highest >= 1e-3 else (1e-6, "µs")
    return 1.0, ""


def set_threads(axes: Axes, threads: Iterable[int], label: str = "threads") -> None:
    """Give an axis the scale of thread counts, log2."""
    counts = sorted(int(count) for count in threads)
    axes.set_xscale("log", base=2)
    ticks = counts if len(counts) <= _MOST_TICKS else [count for count in counts if count & (count - 1) == 0]
    axes.set_xticks(ticks, [f"{count:,}" for count in ticks])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.minorticks_off()
    axes.margins(x=0.06)
    axes.set_xlabel(f"{label} (log2)")


def set_log(axes: Axes, which: str = "y") -> None:
    """Give an axis the scale log10 with ticks at 1, 2 and 5, fewer of them over many decades."""
    (axes.set_yscale if which == "y" else axes.set_xscale)("log")
    axis = axes.yaxis if which == "y" else axes.xaxis
    low, high = axis.get_view_interval()
    decades = np.log10(high / low) if low > 0 else 9
    axis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < 1.7 else (1, 3) if decades < 2.5 else (1,)))
    axis.set_major_formatter(FuncFormatter(shorten))
    axis.set_minor_formatter(NullFormatter())


def set_linear(axes: Axes, ticks: int = 6) -> None:
    """Let a linear y axis start at zero."""
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_locator(MaxNLocator(ticks))


def label_ends(axes: Axes) -> None:
    """Write each line's name at its end, moved apart where two would overlap."""
    axes.figure.canvas.draw()
    ends = []
    for line in axes.lines:
        xs, ys = (np.asarray(values, dtype=float) for values in line.get_data())
        there = np.flatnonzero(np.isfinite(ys))
        if not str(line.get_label()).startswith("_") and there.size:
            x, y = xs[there[-1]], ys[there[-1]]
            ends.append((axes.transData.transform((x, y))[1], x, y, line))
    last = -np.inf
    for pixel, x, y, line in sorted(ends, key=lambda end: end[0]):
        placed = max(pixel, last + _LABEL)
        axes.annotate(
            str(line.get_label()), (x, y), xytext=(12, (placed - pixel) * 0.75),
            textcoords="offset points", va="center", color=line.get_color(), fontweight="bold", annotation_clip=False,
        )  # fmt: skip
        last = placed


def link_points(axes: Axes, x: Any, y: Any, pages: list[str]) -> None:
    """Let points lead to the trials behind them, from a spot that a finger can hit; NaN leads nowhere."""
    drawn = np.isfinite(np.asarray(x, dtype=float)) & np.isfinite(np.asarray(y, dtype=float))
    # What is wholly transparent is not drawn, and cannot be hit.
    spots = axes.scatter(
        np.asarray(x)[drawn], np.asarray(y)[drawn], s=300, color="white", alpha=0.01, linewidths=0, zorder=2.5
    )
    spots.set_urls([page for page, shown in zip(pages, drawn, strict=True) if shown])


def draw_trials(
    axes: Axes, estimates: Estimates, at: dict[str, Any], place: float, divisor: float, mark: Mark, along: str = "y"
) -> None:
    """Draw every trial of a case: hollow where it is suspect, on the axis where it does not count.

    A read that is not proved cold is a diamond, every other trial a dot.

    Parameters
    ----------
    axes : Axes
        Where they are drawn.
    estimates : Estimates
        Of the sweep.
    at : dict
        Levels that choose the case.
    place : float
        Where the case stands on the other axis.
    divisor : float
        By what values are divided.
    mark : Mark
        The colour of the case.
    along : {"y", "x"}
        The axis of the values.
    """
    chosen = estimates.cube[[estimates.metric, "verdict", "cold"]].sel(at)
    case_page, _, figure = estimates.page(at).partition("#")
    values, verdicts, colds = (chosen[name].values for name in (estimates.metric, "verdict", "cold"))
    edge = axes.get_xaxis_transform() if along == "y" else axes.get_yaxis_transform()
    for repetition, (value, verdict, cold) in enumerate(zip(values, verdicts, colds, strict=True)):
        if not verdict:
            continue
        lost = not np.isfinite(value)
        point = (place, 0 if lost else value / divisor)
        x, y = point if along == "y" else point[::-1]
        url = page_of_trial(case_page, repetition)
        axes.plot(
            [x], [y], linestyle="none", marker="X" if lost else "d" if cold in NOT_PROVED else "o",
            markersize=8 if lost else 5 if cold in NOT_PROVED else 3.5, markeredgewidth=0.8, alpha=0.75,
            markerfacecolor=mark.colour if verdict == "valid" else "white", markeredgecolor=mark.colour,
            zorder=3, clip_on=False, transform=edge if lost else axes.transData,
            url=url if lost else f"{url}#{figure}",
        )  # fmt: skip


def set_title(figure: Figure, finding: str) -> None:
    """Write what a figure shows above it."""
    width = round(_TITLE * figure.get_figwidth() / 6)
    figure.suptitle(fill(without_links(finding), width), x=0.01, ha="left", fontweight="bold", fontsize=13)


def sweep_of(estimates: Estimates) -> str:
    """Return the sweep of estimates as a page knows it, ``study/sweep``."""
    return f"{estimates.cube.attrs['study']}/{estimates.cube.attrs['sweep']}"
