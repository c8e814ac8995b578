"""Figures of the study: drawn from estimates, never from numbers typed in."""

import io
import re
from html import escape
from pathlib import Path
from textwrap import fill
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from coldcache.estimates import Estimates
from coldcache.statistics import Interval
from coldcache.style import INK, MARKS, Mark, house_style

_SCALES = {"B/s": (1e9, "GB/s"), "1/s": (1e3, "thousand per second")}


class Picture:
    """A figure with its caption and a text that tells what it shows; notebooks and pages display it as it is.

    Parameters
    ----------
    figure : Figure
        Drawn; it is closed once it is rendered.
    alternative : str
        What the figure shows, in words, for those who cannot see it.
    caption : str
        How to read it.
    """

    def __init__(self, figure: Figure, alternative: str, caption: str):
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
        plt.close(figure)
        drawn = buffer.getvalue()
        self.svg = drawn[drawn.index("<svg") :]
        self.alternative, self.caption = alternative, caption

    def save(self, dataset: str | Path, name: str) -> "Picture":
        """Write the figure beside the dataset as `figures/<name>.svg`, and return it."""
        path = Path(dataset).parent / "figures" / f"{name}.svg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(self.svg, encoding="utf-8")
        return self

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        # Ids must differ between the pictures of one page.
        stem = re.sub(r"\W+", "-", self.alternative)[:40].strip("-").lower()
        svg = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{stem}-", self.svg)
        label = escape(self.alternative, quote=True)
        svg = svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
        caption = f"<figcaption>{escape(self.caption)}</figcaption>"
        return {
            "text/plain": f"{self.alternative} {self.caption}",
            "text/html": f'<figure class="coldcache-figure">{svg}{caption}</figure>',
        }


def draw_over_threads(estimates: Estimates, finding: str, ylabel: str, log: bool = False) -> Picture:
    """Draw a metric over threads, one line per operation.

    Parameters
    ----------
    estimates : Estimates
        Dims must include ``operation`` and ``threads``.
    finding : str
        What the figure shows; its title and text alternative.
    ylabel : str
        The quantity; the unit is added.
    log : bool
        Whether the rate is drawn on a log10 axis, which its label says; else from zero.
    """
    with house_style():
        figure, axes = plt.subplots()
        divisor, unit = (1, "per second") if log else _SCALES[estimates.unit]
        for operation in estimates.operations():
            _draw_series(axes, estimates, operation, divisor)
        _set_threads(axes, estimates.values.threads.values)
        if log:
            axes.set_yscale("log")
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            axes.yaxis.set_major_formatter(FuncFormatter(_short))
            axes.yaxis.set_minor_formatter(NullFormatter())
        else:
            axes.set_ylim(bottom=0)
        axes.set_ylabel(f"{ylabel}, {unit}{' (log10)' if log else ''}")
        _label_ends(axes)
        _set_title(figure, finding)
        return Picture(figure, finding, estimates.caption())


def _draw_series(axes: Axes, estimates: Estimates, operation: str, divisor: float) -> None:
    mark = MARKS[operation]
    cells = estimates.cells.sel(operation=operation)
    threads = cells.threads.values
    axes.fill_between(threads, cells.low / divisor, cells.high / divisor, color=mark.colour, alpha=0.18, linewidth=0)
    axes.plot(
        threads, cells.estimate / divisor, color=mark.colour, marker=mark.marker, markeredgecolor="white",
        label=operation.removeprefix("file-"),
    )  # fmt: skip
    values = estimates.values.sel(operation=operation)
    verdicts = estimates.cube.verdict.sel(operation=operation)
    _draw_trials(axes, threads, values / divisor, verdicts, mark)


def _draw_trials(axes: Axes, places: Any, values: Any, verdicts: Any, mark: Mark) -> None:
    """Draw every trial as a dot: hollow where it is suspect, and hollow on the axis where it is void or missing."""
    for place, row, judged in zip(places, values.values, verdicts.values, strict=True):
        for value, verdict in ((value, verdict) for value, verdict in zip(row, judged, strict=True) if verdict):
            lost = not np.isfinite(value)
            axes.plot(
                [place], [0 if lost else value], linestyle="none", marker="X" if lost else "o",
                markersize=8 if lost else 3.5,
                markerfacecolor=mark.colour if verdict == "valid" else "white", markeredgecolor=mark.colour,
                markeredgewidth=0.8, alpha=0.75, zorder=3, clip_on=False,
                transform=axes.get_xaxis_transform() if lost else axes.transData,
            )  # fmt: skip


def _set_threads(axes: Axes, threads: Any) -> None:
    axes.set_xscale("log", base=2)
    axes.set_xticks(threads, [f"{count:,}" for count in threads])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.minorticks_off()
    axes.margins(x=0.06)
    axes.set_xlabel("threads (log2)")


def _label_ends(axes: Axes) -> None:
    """Write each line's name at its end, moved apart where two would overlap."""
    axes.figure.canvas.draw()
    height = 15.0
    ends = []
    for line in axes.lines:
        x, y = (np.asarray(values, dtype=float)[-1] for values in line.get_data())
        if not str(line.get_label()).startswith("_") and np.isfinite(y):
            ends.append((axes.transData.transform((x, y))[1], x, y, line))
    last = -np.inf
    for pixel, x, y, line in sorted(ends, key=lambda end: end[0]):
        placed = max(pixel, last + height)
        axes.annotate(
            str(line.get_label()), (x, y), xytext=(12, (placed - pixel) * 0.75),
            textcoords="offset points", va="center", color=line.get_color(), fontweight="bold", annotation_clip=False,
        )  # fmt: skip
        last = placed


def draw_paired(
    workloads: dict[str, Estimates], ratios: dict[str, dict[str, Interval]], reference: str, finding: str
) -> Picture:
    """Draw levels of the write cache against each other, one row per workload, with a panel of their ratios.

    Parameters
    ----------
    workloads : dict of str to Estimates
        By name; in B/s, dims must include ``write_cache``.
    ratios : dict of str to dict of str to Interval
        The ratio of each other level to `reference`, by workload and level.
    reference : str
        The level that the others are divided by.
    finding : str
        What the figure shows; its title and text alternative.
    """
    with house_style():
        figure, (left, right) = plt.subplots(1, 2, sharey=True, figsize=(6.4, 4.2), width_ratios=(3, 2))
        for row, (name, estimates) in enumerate(workloads.items()):
            for shift, level in enumerate([reference, *ratios[name]]):
                height = row + 0.24 * (shift - 1)
                _draw_level(left, estimates, level, height)
                if level in ratios[name]:
                    _draw_ratio(right, ratios[name][level], MARKS[level], height)
        left.set_yticks(range(len(workloads)), [name.replace(", ", "\n") for name in workloads])
        left.set_ylim(len(workloads) - 0.5, -0.6)
        for axes, label in ((left, "throughput, B/s (log10)"), (right, "ratio (log10)")):
            axes.set_xscale("log")
            axes.margins(x=0.2)
            axes.xaxis.set_major_formatter(FuncFormatter(_short))
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.set_xlabel(label)
        right.axvline(1, color=INK, linewidth=1.2)
        _set_title(figure, finding)
        return Picture(figure, finding, next(iter(workloads.values())).caption())


def _draw_level(axes: Axes, estimates: Estimates, level: str, height: float) -> None:
    mark = MARKS[level]
    cell = estimates.cells.sel(write_cache=level).squeeze()
    axes.plot([cell.low, cell.high], [height, height], color=mark.colour, linewidth=3, alpha=0.4)
    axes.plot([cell.estimate], [height], color=mark.colour, marker=mark.marker, markersize=8, markeredgecolor="white")
    trials = estimates.values.sel(write_cache=level).squeeze().values
    axes.plot(trials, np.full(len(trials), height), ".", color=mark.colour, markersize=4, alpha=0.6)
    axes.annotate(
        level, (float(cell.estimate), height), xytext=(0, 8), textcoords="offset points", ha="center",
        color=mark.colour, fontsize=10.5, fontweight="bold",
    )  # fmt: skip


def _draw_ratio(axes: Axes, ratio: Interval, mark: Mark, height: float) -> None:
    axes.plot([ratio.low, ratio.high], [height, height], color=mark.colour, linewidth=2)
    axes.plot([ratio.estimate], [height], color=mark.colour, marker=mark.marker, markersize=7)
    axes.annotate(
        f"{ratio.estimate:.3g}×", (ratio.estimate, height), xytext=(3, 7), textcoords="offset points", ha="left",
        color=mark.colour, fontsize=10.5, fontweight="bold",
    )  # fmt: skip


def _short(value: float, _position: Any = None) -> str:
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g} {letter}"
    return f"{value:g}"


def _set_title(figure: Figure, finding: str) -> None:
    figure.suptitle(fill(finding, 52), x=0.01, ha="left", fontweight="bold", fontsize=13)
