"""Values that documents state, with a mark that no measured value has."""

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.style import COLOURS, MARKS
from coldcache.dataset.published import PublishedValue, level_of, operation_of

#: The mark of every published value: hollow, to differ from measured ones.
MARKER, SIZE = "*", 15

#: A value further from the measured ones would press them together: only the table has it.
_FARTHEST, _FARTHEST_LOG = 2.5, 100.0

#: Where a tick of the rug begins, as a share of the width of the axes.
_RUG = 0.95

#: Statistics that are a line over all threads where the document names no number of threads.
_LEVELS = ("peak", "sustained")


def draw_published(axes: Axes, estimates: Estimates, log: bool = False) -> str | None:
    """Draw the published values of a sweep over threads that the scale allows.

    Parameters
    ----------
    axes : Axes
        Threads along x, the metric in its stored unit along y.
    estimates : Estimates
        Of the sweep.
    log : bool
        Whether y is to be logarithmic, which leaves room for values that are further away.

    Returns
    -------
    str or None
        A sentence for the caption; None where no document states a value.
    """
    threads = estimates.runs.threads.values
    drawn = left = 0
    for value in estimates.published:
        operation = operation_of(value)
        if value.unit != estimates.unit or operation is None or operation not in estimates.runs.operation:
            continue
        if not _fits(value, estimates, log) or (value.threads and not threads.min() <= value.threads <= threads.max()):
            left += 1
            continue
        colour = MARKS[operation].colour
        if value.threads:
            draw_stars(axes, [value.threads], [value.high], colour)
        else:
            draw_rug(axes, [value.high], colour)
        drawn += 1
    return _say_drawn("Stars and ticks at the right edge", drawn, left)


def draw_published_rows(axes: Axes, estimates: Estimates, rows: pd.DataFrame, factor: str) -> str | None:
    """Draw the published values of cases that lie in rows, as far as a scale from zero allows.

    Parameters
    ----------
    axes : Axes
        The metric in its stored unit along x.
    estimates : Estimates
        Of the sweep.
    rows : DataFrame
        Columns ``row``, ``estimate``, ``operation`` and `factor`, as `list_cases` returns them.
    factor : str
        As for `published_by_case`.

    Returns
    -------
    str or None
        A sentence for the caption; None where no document states a value.
    """
    values = published_by_case(estimates, rows, factor)
    fits = values <= _FARTHEST * rows.estimate.max()
    draw_stars(axes, values[fits], rows.row[fits])
    return _say_drawn("Stars", int(fits.sum()), int((values.notna() & ~fits).sum()))


def _say_drawn(marks: str, drawn: int, left: int) -> str | None:
    """Return what marks show, and how many values have none, for a caption."""
    parts = [f"{marks}: published values."] if drawn else []
    if left:
        parts.append(f"{left} published value{'s' if left > 1 else ''} beyond this scale: see the table.")
    return " ".join(parts) or None


def draw_stars(axes: Axes, x: Any, y: Any, colour: str = COLOURS["second"]) -> None:
    """Draw published values as hollow stars."""
    axes.plot(
        x, y, linestyle="none", marker=MARKER, markersize=SIZE, markerfacecolor="white", markeredgecolor=colour,
        markeredgewidth=1.4, zorder=4,
    )  # fmt: skip


def draw_rug(axes: Axes, y: Any, colour: str) -> None:
    """Draw published values that are of no number of threads as thick ticks at the right edge."""
    for value in y:
        axes.plot(
            [_RUG, 1], [value, value], color=colour, linewidth=3, solid_capstyle="butt", zorder=1.6,
            transform=axes.get_yaxis_transform(),
        )  # fmt: skip


def published_by_case(estimates: Estimates, rows: pd.DataFrame, factor: str) -> pd.Series:
    """Return the published value of each case of a table, in the unit of the estimates; NaN where there is none.

    Parameters
    ----------
    estimates : Estimates
        Of the sweep.
    rows : DataFrame
        Columns ``operation`` and `factor`, as `list_cases` returns them. Where they have ``threads``, a value that is
        stated for a number of threads is that of no other.
    factor : str
        Documents state a value at some of its levels.
    """
    stated = {
        (operation_of(value), level_of(value).get(factor), value.threads): value.high
        for value in estimates.published
        if value.unit == estimates.unit
    }
    # Of a row that has no number of threads, a value may have any.
    of_any = {(operation, level): high for (operation, level, _), high in stated.items()}

    def find(row: dict[Hashable, Any]) -> float:
        place = row["operation"], row[factor]
        if "threads" not in row:
            return of_any.get(place, np.nan)
        return stated.get((*place, row["threads"]), stated.get((*place, None), np.nan))

    return pd.Series([find(row) for row in rows.to_dict("records")])


def _fits(value: PublishedValue, estimates: Estimates, log: bool) -> bool:
    measured = estimates.cells.estimate.values
    measured = measured[np.isfinite(measured) & (measured > 0)]
    if not measured.size or (
        not value.threads and value.statistic not in _LEVELS and "theoretical" not in value.statistic
    ):
        return False
    if log:
        return bool(measured.min() / _FARTHEST_LOG <= value.low and value.high <= measured.max() * _FARTHEST_LOG)
    return bool(value.high <= _FARTHEST * measured.max())
