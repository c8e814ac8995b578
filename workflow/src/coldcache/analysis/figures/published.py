"""Values that documents state, with a mark that no measured value has."""

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.style import COLOURS, MARKS, darken
from coldcache.dataset.published import PublishedValue, level_of, operation_of

#: The mark of every published value: hollow, to differ from measured ones.
MARKER, SIZE = "*", 15

#: A value further from the measured ones would press them together: only the table has it.
_FARTHEST, _FARTHEST_LOG = 2.5, 100.0

#: Two names need this share of the height of the axes between them.
_ROOM = 0.08

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
    named: list[float] = []
    for value in estimates.published:
        operation = operation_of(value)
        if value.unit != estimates.unit or operation not in estimates.runs.operation:
            continue
        if not _fits(value, estimates, log) or (value.threads and not threads.min() <= value.threads <= threads.max()):
            left += 1
            continue
        colour = MARKS[operation].colour
        if value.threads:
            draw_stars(axes, [value.threads], [value.high], colour)
        else:
            axes.axhline(value.high, color=colour, linestyle=(0, (1, 3)), linewidth=1.6, zorder=1)
            height = _height(value.high, estimates, log)
            is_free = all(abs(height - other) > _ROOM for other in named)
            named += [height] if is_free else []
            name = f"published {value.statistic} ({value.grade})" if is_free else ""
            axes.annotate(
                name, (0.99, value.high), xytext=(0, 3), ha="right", xycoords=("axes fraction", "data"),
                textcoords="offset points", fontsize=9, color=darken(colour),
            )  # fmt: skip
        drawn += 1
    parts = ["Stars and dotted levels: published values."] if drawn else []
    if left:
        parts.append(f"{left} published value{'s' if left > 1 else ''} beyond this scale: see the table.")
    return " ".join(parts) or None


def draw_stars(axes: Axes, x: Any, y: Any, colour: str = COLOURS["second"]) -> None:
    """Draw published values as hollow stars."""
    axes.plot(
        x, y, linestyle="none", marker=MARKER, markersize=SIZE, markerfacecolor="white", markeredgecolor=colour,
        markeredgewidth=1.4, zorder=4,
    )  # fmt: skip


def find_published(estimates: Estimates, rows: pd.DataFrame, factor: str) -> pd.Series:
    """Return the published value of each case of a table, in the unit of the estimates; NaN where there is none.

    Parameters
    ----------
    estimates : Estimates
        Of the sweep.
    rows : DataFrame
        Columns ``operation`` and `factor`, as `list_cases` returns them.
    factor : str
        Documents state a value at some of its levels.
    """
    stated = {
        (operation_of(value), level_of(value).get(factor)): value.high
        for value in estimates.published
        if value.unit == estimates.unit
    }
    return pd.Series([stated.get((row["operation"], row[factor]), np.nan) for row in rows.to_dict("records")])


def _height(value: float, estimates: Estimates, log: bool) -> float:
    """Return about how high a value is drawn, as a share of the height of the axes."""
    drawn = [*estimates.cells.estimate.values.ravel(), *(stated.high for stated in estimates.published)]
    known = [each for each in drawn if each > 0 and each == each]
    if log:
        return float(np.log(value / min(known)) / np.log(max(known) / min(known)))
    return float(value / max(known))


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
