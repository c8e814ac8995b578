"""A rate over time, with its 99.9th percentile."""

from collections.abc import Mapping
from textwrap import shorten
from typing import Any

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.ticker import MaxNLocator

from coldcache.analysis.figures.axes import scale_for, set_title
from coldcache.analysis.figures.picture import Picture
from coldcache.analysis.figures.style import FAINT, SERIES, house_style
from coldcache.core.units import show_rate
from coldcache.statistics.percentiles import percentile

#: Series in one figure; more would hide each other.
MOST_SERIES = 6

#: Points from which markers would run into each other.
_MOST_MARKED = 80


def draw_series(series: Mapping[str, tuple[Any, Any]], unit: str, finding: str, ylabel: str) -> Picture:
    """Draw rates over time, each with its p99.9 as a dashed line.

    Parameters
    ----------
    series : mapping of str to (array, array)
        Times in s and values in `unit`, by name.
    unit : {"B/s", "1/s", "s", "1"}
        The stored unit.
    finding : str
        What the figure shows; its title and text alternative.
    ylabel : str
        The quantity; the unit is added.
    """
    shown = dict(list(series.items())[:MOST_SERIES])
    divisor, name_of_unit = scale_for(unit, np.concatenate([values for _, values in shown.values()]))
    longest = max(float(times.max() - times.min()) for times, _ in shown.values())
    step, unit_of_time = (3600.0, "h") if longest > 7200 else (60.0, "min") if longest > 120 else (1.0, "s")
    with house_style():
        figure, axes = plt.subplots()
        for (name, (times, values)), mark in zip(shown.items(), SERIES, strict=False):
            order = np.argsort(times)
            axes.plot(
                (times[order] - times.min()) / step, values[order] / divisor, color=mark.colour, linewidth=1.2,
                marker=mark.marker if len(values) <= _MOST_MARKED else "", markersize=4,
                label=shorten(name, 60, placeholder=" …"),
            )  # fmt: skip
            peak = percentile(values).estimate
            axes.axhline(peak / divisor, color=mark.colour, linestyle="--", linewidth=1.2)
            if len(shown) == 1:
                axes.annotate(
                    f"p99.9, {show_rate(peak, unit)}", (0.99, peak / divisor), xytext=(0, 4), ha="right",
                    xycoords=("axes fraction", "data"), textcoords="offset points", color=FAINT, fontsize=10,
                )  # fmt: skip
        axes.set_ylim(bottom=0)
        axes.margins(x=0.02)
        axes.yaxis.set_major_locator(MaxNLocator(6))
        axes.set_xlabel(f"time, {unit_of_time}")
        axes.set_ylabel(f"{ylabel}, {name_of_unit}".removesuffix(", "))
        if len(shown) > 1:
            figure.legend(frameon=False, ncols=1, loc="outside lower left", fontsize=10)
        set_title(figure, finding)
        counts = ", ".join(str(len(values)) for _, values in shown.values())
        left = len(series) - len(shown)
        more = f" {left} more series: see the table." if left else ""
        return Picture(figure, finding, f"Points: {counts}. Dashed: the 99.9th percentile of the points.{more}")
