"""Figures so small that four fit in a row: quantity above the axes, few ticks, no room between panels."""

import pandas as pd
import seaborn as sns
import xarray as xr
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.axes import set_x, set_y
from coldcache.analysis.figures.panels import Roles, set_panels
from coldcache.analysis.figures.style import INK, lines_by
from coldcache.core.vocabulary import METADATA_OPERATIONS

#: Ticks of values, and of those in half a figure.
_TICKS, _FEW_TICKS = 4, 3


def open_small(rows: pd.DataFrame | None = None) -> tuple[Figure, Axes]:
    """Return a small figure with its axes; draw it in the small style of `set_house_style`.

    Parameters
    ----------
    rows : DataFrame, optional
        One row per case, as `list_cases` returns them: the axes have a row for each, named at the left.
    """
    figure, axes = plt.subplots()
    if rows is not None:
        axes.set_yticks(rows.row, rows.case)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.grid(axis="y", visible=False)
    return figure, axes


def open_halves() -> tuple[Figure, Axes, Axes]:
    """Return a small figure with axes for rates, and below them axes for latencies."""
    figure, (rates, latencies) = plt.subplots(2, 1, sharex=True, height_ratios=(5, 4))
    return figure, rates, latencies


def set_small(axes: Axes, sweep: Estimates, cells: xr.Dataset, roles: Roles) -> None:
    """Set the scales of a small figure once everything is drawn, and name its lines.

    The quantity and its unit are above the axes. Values start at zero, or have a logarithmic axis where they span
    decades or are rates of operations on names.
    """
    if roles.x:
        is_log = set(sweep.operations()) <= set(METADATA_OPERATIONS)
        set_panels([({}, axes)], sweep, cells, roles, is_log)
        if axes.get_yscale() == "linear":
            axes.yaxis.set_major_locator(MaxNLocator(_TICKS))
        axes.set_title(axes.get_ylabel().replace("\n", " "))
        axes.set_ylabel("")
        return
    set_x(axes, sweep.quantity, unit=sweep.unit, start=0)
    axes.xaxis.set_major_locator(MaxNLocator(_TICKS))
    axes.set_title(axes.get_xlabel())
    axes.set_xlabel("")


def set_small_pairs(axes: Axes) -> None:
    """Set the quantity of drawn pairs above their axes."""
    axes.yaxis.set_major_locator(MaxNLocator(_TICKS))
    axes.set_title(axes.get_ylabel().replace("\n", " "))
    axes.set_ylabel("")


def draw_latencies(rates: Axes, latencies: Axes | None, micros: xr.Dataset | None) -> None:
    """Draw the percentiles of latencies below the rates, and set their scale; nothing where there are none.

    Parameters
    ----------
    rates, latencies : Axes
        As `open_halves` returns them; the rates are drawn.
    micros : Dataset, optional
        As `set_halves` takes it.
    """
    if micros is None or latencies is None:
        return
    lines = lines_by(micros, "line")
    sns.lineplot(micros.to_dataframe(), x="threads", y="estimate", ax=latencies, **lines)
    set_halves(rates, latencies, micros)


def set_halves(rates: Axes, latencies: Axes, micros: xr.Dataset) -> None:
    """Set the scale of latencies once everything is drawn; each percentile has its name once.

    Parameters
    ----------
    rates, latencies : Axes
        As `open_halves` returns them; the rates have their scale.
    micros : Dataset
        ``estimate`` in µs by ``line``, operation and percentile, and ``threads``.
    """
    rates.yaxis.set_major_locator(MaxNLocator(_FEW_TICKS))
    latencies.set_xlabel(rates.get_xlabel() or "threads (log2)")
    rates.set_xlabel("")
    rates.tick_params(axis="x", labelbottom=False)
    set_y(latencies, "latency, µs", log=10)
    latencies.yaxis.set_major_locator(LogLocator(numticks=_FEW_TICKS))
    latencies.set_title(latencies.get_ylabel())
    latencies.set_ylabel("")
    at_most_threads = micros.estimate.sel(threads=micros.threads.max())
    ends = at_most_threads.fillna(micros.estimate.max("threads"))
    for percentile in ("p50", "p99"):
        values = [float(ends.sel(line=line)) for line in micros.line.values if str(line).endswith(percentile)]
        known = [value for value in values if value == value]
        if known:
            latencies.annotate(
                percentile, (1, max(known)), xycoords=("axes fraction", "data"), xytext=(6, 0),
                textcoords="offset points", va="center", color=INK, annotation_clip=False,
            )  # fmt: skip
