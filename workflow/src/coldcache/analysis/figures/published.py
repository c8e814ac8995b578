"""Values that documents state, as marks of their own beside the measured ones."""

import numpy as np
from matplotlib.axes import Axes

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.figures.style import MARKS
from coldcache.dataset.published import PublishedValue, operation_of

#: The mark of every published value: hollow, so that nobody takes it for a measured one.
MARKER, SIZE = "*", 15

#: A value further from the measured ones would press them together; it stands in the table only.
_FARTHEST, _FARTHEST_LOG = 2.5, 100.0

#: Levels of one operation that are this near each other carry one name.
_SAME = 0.5

#: Statistics that are drawn as a line over all threads where the document names no number of threads.
_LEVELS = ("peak", "sustained")


def draw_published(axes: Axes, estimates: Estimates, divisor: float, log: bool) -> str:
    """Draw the published values of a sweep that the scale allows; return what the caption says of them."""
    threads = estimates.values.threads.values
    drawn = left = 0
    named: list[tuple[str, float]] = []
    for value in estimates.published:
        operation = operation_of(value)
        if value.unit != estimates.unit or operation not in estimates.values.operation:
            continue
        if not _fits(value, estimates, log) or (value.threads and not threads.min() <= value.threads <= threads.max()):
            left += 1
            continue
        colour = MARKS[operation].colour
        if value.threads:
            axes.plot(
                [value.threads], [value.high / divisor], linestyle="none", marker=MARKER, markersize=SIZE,
                markerfacecolor="white", markeredgecolor=colour, markeredgewidth=1.4, zorder=4,
            )  # fmt: skip
        else:
            axes.axhline(value.high / divisor, color=colour, linestyle=(0, (1, 3)), linewidth=1.6, zorder=1)
            # Peak and sustained of one operation may be the same: two names would cover each other.
            is_named = any(of == operation and abs(value.high / rate - 1) < _SAME for of, rate in named)
            named.append((operation, value.high))
            name = "" if is_named else f"published {value.statistic} ({value.grade})"
            axes.annotate(
                name, (0.99, value.high / divisor), xytext=(0, 3), ha="right", xycoords=("axes fraction", "data"),
                textcoords="offset points", fontsize=9, color=colour,
            )  # fmt: skip
        drawn += 1
    parts = ["Stars and dotted levels: published values."] if drawn else []
    if left:
        parts.append(f"{left} published value{'s' if left > 1 else ''} beyond this scale: see the table.")
    return " ".join(parts)


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
