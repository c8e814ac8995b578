"""What a document states at the left and what is measured here at the right, on axes that can be compared.

Rates of systems of other sizes are compared by their shape: each operation as a share of its own highest rate.
"""

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.axes import name_lines, set_x, set_y
from coldcache.analysis.figures.published import draw_stars
from coldcache.analysis.figures.style import darken, mark_level
from coldcache.dataset.published import operation_of

#: Doublings of the threads between two ticks, wherever the names of neighbours would collide.
_ROOM = 1.5

#: Numbers of threads that were measured and have a tick each.
_MOST_TICKS = 7

#: Statistics that are no rate at a number of threads.
_OTHERS = ("rises up to", "plateau from", "drop from plateau")


def list_stated(sweep: Estimates) -> pd.DataFrame:
    """Return the rates that documents state at a number of threads: ``operation threads value share``.

    The share is that of the highest rate that they state of the operation, at any number of threads.
    """
    rates = [
        (operation_of(value), value)
        for value in sweep.published
        if value.unit == sweep.unit and value.statistic not in _OTHERS and operation_of(value) in sweep.cells.operation
    ]
    highest: dict[str, float] = {}
    for operation, value in rates:
        highest[operation] = max(value.high, highest.get(operation, 0.0))
    rows = [
        {"operation": operation, "threads": value.threads, "value": value.high,
         "share": value.high / highest[operation]}
        for operation, value in rates if value.threads
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["operation", "threads", "value", "share"])


def share_of_peak(cells: xr.Dataset) -> xr.Dataset:
    """Return estimates and intervals over threads as shares of the highest estimate of their operation."""
    return cells[["estimate", "low", "high"]] / cells.estimate.max("threads")


def open_beside() -> tuple[Figure, Axes, Axes]:
    """Return a figure with the axes of the document and those of the campaign, which share their heights."""
    figure, (document, ours) = plt.subplots(1, 2, figsize=(7.2, 3.8), sharey=True)
    return figure, document, ours


def set_beside(document: Axes, ours: Axes, sweep: Estimates, shares: xr.Dataset) -> None:
    """Draw what documents state, set the scales once everything is drawn, and name the lines.

    Parameters
    ----------
    document, ours : Axes
        As `open_beside` returns them; the shares are drawn on `ours`.
    sweep : Estimates
        The sweep, over ``operation`` and ``threads``.
    shares : Dataset
        As `share_of_peak` returns them.
    """
    stated, levels = list_stated(sweep), shares.operation.values.tolist()
    for operation, rows in stated.groupby("operation"):
        colour = mark_level(operation, levels).colour
        rising = rows.sort_values("threads")
        draw_stars(document, rising.threads, rising.share, darken(colour))
    document.set_title("document, full scale", fontsize=11)
    ours.set_title("measured here", fontsize=11)
    at = sorted(set(stated.threads))
    set_x(document, "threads", log=2, ticks=_space_out(at))
    threads = shares.threads.values.tolist()
    set_x(ours, "threads", log=2, ticks=_space_out(threads) if len(threads) > _MOST_TICKS else threads)
    set_y(document, "share of the highest rate", unit="%", start=0)
    document.set_xlim(at[0] / 2, at[-1] * 2)
    document.set_ylim(0, max(1.12, float(np.nanmax(shares.high.fillna(shares.estimate)))))
    name_lines(ours, shares, by="operation")


def _space_out(places: list[int]) -> list[int]:
    """Return the rising places whose ticks have names that do not collide, from the first on."""
    ticks = places[:1]
    for place in places[1:]:
        ticks += [place] if place >= 2**_ROOM * ticks[-1] else []
    return ticks


def title_beside(sweep: Estimates) -> str:
    """Return which numbers of threads the document and the campaign span, as a title."""
    stated, ours = list_stated(sweep).threads, sweep.cells.threads.values
    spans = [f"{span.min():,} to {span.max():,}".removeprefix(f"{span.max():,} to ") for span in (stated, ours)]
    return f"The document states rates at {spans[0]} threads; this campaign measured {spans[1]}"
