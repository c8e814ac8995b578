"""What a document states at the left and what is measured here at the right, on axes that can be compared.

Rates of systems of other sizes are compared by their shape: each operation as a share of its own highest rate, over the
same numbers of threads.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.axes import name_lines, set_x, set_y
from coldcache.analysis.figures.knees import draw_knees
from coldcache.analysis.figures.published import draw_rug, draw_stars
from coldcache.analysis.figures.style import FAINT, darken, mark_level
from coldcache.analysis.sentences import PLURALS
from coldcache.core.units import show_rate
from coldcache.dataset.published import PublishedValue, operation_of

#: Doublings of the threads between two ticks, wherever the names of neighbours would collide.
_ROOM = 1.5

#: Statistics that are a number of threads, at which a curve becomes level.
_KNEES = ("rises up to", "plateau from")

#: Statistics that are no rate at a number of threads.
_OTHERS = (*_KNEES, "drop from plateau")

#: Relations of a stated value that is a bound; "slightly" above or below is no bound.
_ABOVE, _BELOW = ("above", "at least"), ("below", "at most")

#: Letters of a line of a panel's title.
_PANEL_WIDTH = 28

#: Operations that a title compares.
_MOST_TITLED = 2


def list_stated(sweep: Estimates) -> pd.DataFrame:
    """Return the rates that documents state: ``operation threads relation value share``.

    The share is that of the highest rate that they state of the operation. A rate without a number of threads, such as
    a peak, has NaN threads. The relation is that of `PublishedValue`, such as ``above``.
    """
    rates = [(operation_of(value) or "", value) for value in sweep.published if _is_rate(value, sweep)]
    highest: dict[str, float] = {}
    for operation, value in rates:
        highest[operation] = max(value.high, highest.get(operation, 0.0))
    rows = [
        {"operation": operation, "threads": value.threads or np.nan, "relation": value.relation, "value": value.high,
         "share": value.high / highest[operation]}
        for operation, value in rates
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["operation", "threads", "relation", "value", "share"])


def tabulate_sides(sweep: Estimates, shares: xr.Dataset) -> pd.DataFrame:
    """Return the numbers of both sides of a figure: those of `list_stated`, and the shares here with their intervals.

    Parameters
    ----------
    sweep : Estimates
        The sweep, over ``operation`` and ``threads``.
    shares : Dataset
        As `share_of_peak` returns them.
    """
    here = shares[["estimate", "low", "high"]].to_dataframe()[["estimate", "low", "high"]].reset_index()
    here = here[here.estimate.notna()].rename(columns={"estimate": "share"})
    sides = list_stated(sweep).assign(whose="document"), here.assign(whose="measured here")
    columns = ["whose", "operation", "threads", "relation", "value", "share", "low", "high"]
    return pd.concat(sides, ignore_index=True).reindex(columns=columns)


def _is_rate(value: PublishedValue, sweep: Estimates) -> bool:
    is_same = value.unit == sweep.unit and operation_of(value) in sweep.cells.operation
    return is_same and value.statistic not in _OTHERS and "theoretical" not in value.statistic


def can_compare(sweep: Estimates) -> bool:
    """Return whether documents state rates at numbers of threads, which is all that a sweep varies."""
    return bool(list_stated(sweep).threads.notna().any()) and set(sweep.cells.estimate.dims) == {"operation", "threads"}


def share_of_peak(cells: xr.Dataset) -> xr.Dataset:
    """Return estimates and intervals over threads as shares of the highest estimate of their operation."""
    return (cells[["estimate", "low", "high"]] / cells.estimate.max("threads")).assign(n=cells.n)


def open_side_by_side() -> tuple[Figure, Axes, Axes]:
    """Return a figure with the axes of the document and those of the campaign, which share both scales."""
    figure, (document, ours) = plt.subplots(1, 2, figsize=(6.6, 3.8), sharey=True, sharex=True)
    return figure, document, ours


def set_side_by_side(document: Axes, ours: Axes, sweep: Estimates, shares: xr.Dataset) -> str:
    """Draw what documents state, set the scales once everything is drawn, name the lines, and return the caption.

    Parameters
    ----------
    document, ours : Axes
        As `open_side_by_side` returns them; the shares are drawn on `ours`.
    sweep : Estimates
        The sweep, over ``operation`` and ``threads``.
    shares : Dataset
        As `share_of_peak` returns them.
    """
    stated, levels = list_stated(sweep), shares.operation.values.tolist()
    for operation, rows in stated.groupby("operation"):
        colour = darken(mark_level(operation, levels).colour)
        rising = rows.dropna().sort_values("threads")
        draw_stars(document, rising.threads, rising.share, colour)
        draw_rug(document, rows.share[rows.threads.isna()], colour)
    knees = _list_knees(sweep)
    for operation, threads in knees:
        document.axvline(threads, color=mark_level(operation, levels).colour, linestyle=":", linewidth=1.4, zorder=1)
    rings = draw_knees(ours, sweep, shares)
    peaks = {name: float(sweep.cells.estimate.sel(operation=name).max()) for name in levels}
    document.set_title(
        _name_panel("document", stated.groupby("operation").value.max().to_dict(), sweep.unit), fontsize=11
    )
    ours.set_title(_name_panel("measured here", peaks, sweep.unit), fontsize=11)
    measured = shares.threads.values.tolist()
    every = sorted({*stated.threads.dropna().astype(int), *measured, *(threads for _, threads in knees)})
    for axes in (document, ours):
        set_x(axes, "threads", log=2, ticks=_space_out(every))
        axes.set_xlim(every[0] / 1.4, every[-1] * 1.4)
    set_y(document, "share of the highest rate", unit="%", start=0)
    document.set_ylim(0, max(1.12, float(np.nanmax(shares.high.fillna(shares.estimate)))))
    ours.axhline(1, color=FAINT, linewidth=0.6, zorder=0.5)
    name_lines(ours, shares, by="operation")
    dotted = "Dotted: where the document's line becomes level." if knees else None
    return " ".join(filter(None, ["Stars, and ticks at the right edge: the document's rates.", dotted, rings]))


def _list_knees(sweep: Estimates) -> list[tuple[str, int]]:
    """Return where documents say that an operation becomes level, in threads."""
    stated = [value for value in sweep.published if value.statistic in _KNEES and value.threads]
    return [(operation_of(value) or "", value.threads) for value in stated if value.threads]


def _name_panel(whose: str, highest: dict[str, float], unit: str) -> str:
    """Return the title of a panel: whose rates they are, and what their highest are."""
    rates = [f"{show_rate(rate, unit)} {_word(name)}" for name, rate in highest.items() if rate == rate]
    pairs = [", ".join(rates[place : place + 2]) for place in range(0, len(rates), 2)]
    lines = pairs if max(map(len, pairs), default=0) <= _PANEL_WIDTH else rates
    return f"{whose}; 100 % is\n" + ",\n".join(lines)


def _word(operation: str) -> str:
    return operation.replace("file-", "").replace("directory-", "").replace("-", " ")


def _space_out(places: Sequence[int]) -> list[int]:
    """Return the rising places whose ticks have names that do not collide, from the first on."""
    room = max(2**_ROOM, (places[-1] / places[0]) ** (1 / 6))
    ticks = list(places[:1])
    for place in places[1:]:
        ticks += [place] if place >= room * ticks[-1] else []
    return ticks


def title_side_by_side(sweep: Estimates) -> str:
    """Return how far rates rise from the fewest threads that the document states to the peak, there and here.

    Rates that a document bounds from one side give a least ratio, or none.
    """
    parts, begins = [], set()
    for operation, rows in list_stated(sweep).groupby("operation", sort=False):
        known, ours = rows.dropna().sort_values("threads"), sweep.cells.estimate.sel(operation=operation)
        if known.empty or not bool(ours.notnull().any()):
            continue
        first, highest = known.iloc[0], rows.loc[rows.value.idxmax()]
        bound = _bound_of_ratio(highest.relation, first.relation)
        if int(first.threads) not in ours.threads.values or highest.value <= first.value or bound is None:
            continue
        peak = {"operation": operation, "threads": int(ours.fillna(-1).idxmax("threads"))}
        here = sweep.ratio(peak, {"operation": operation, "threads": int(first.threads)}).estimate
        if here == here:
            begins.add(int(first.threads))
            there = f"{bound}{_round(highest.value / first.value)}"
            parts.append(f"{PLURALS.get(str(operation), str(operation))} rise {there} times, here {_round(here)}")
    if not parts or len(begins) > 1:
        return _title_peaks(sweep)
    (begin,) = begins
    return (
        f"From {begin} thread{'s' if begin != 1 else ''} to the peak, the document's {'; '.join(parts[:_MOST_TITLED])}"
    )


def _bound_of_ratio(above: str, below: str) -> str | None:
    """Return what precedes a ratio of two stated values with these relations; None where nothing bounds it."""
    if above in _BELOW or below in _ABOVE:
        return None
    return "at least " if above in _ABOVE or below in _BELOW else ""


def _round(ratio: float) -> str:
    """Return a ratio with two digits that count: ``1.3``, ``250``."""
    return f"{float(f'{ratio:.2g}'):,g}"


def _title_peaks(sweep: Estimates) -> str:
    """Return at how many threads each operation is highest in the document, and here."""
    parts = []
    for operation, rows in list_stated(sweep).dropna().groupby("operation", sort=False):
        ours = sweep.cells.estimate.sel(operation=operation)
        if bool(ours.notnull().any()):
            there = int(rows.threads[rows.share.idxmax()])
            here = int(ours.threads[int(ours.fillna(-1).values.argmax())])
            parts.append(f"{PLURALS.get(str(operation), str(operation))} at {there:,} threads, here at {here:,}")
    return f"The document's highest {'; '.join(parts[:_MOST_TITLED])}"
