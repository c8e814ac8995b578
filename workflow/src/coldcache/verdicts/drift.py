"""How a system drifts through a campaign, as a case that is repeated between all others shows it."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from statistics import median
from typing import NamedTuple


class Moment(NamedTuple):
    """One trial of the sentinel: when it started, as ISO 8601 in UTC, and its figure in B/s or 1/s."""

    start: str
    figure: float


class Drift:
    """How far the sentinel of a study was off its median, at any moment.

    Parameters
    ----------
    moments : iterable of Moment
        Its trials, in any order.
    """

    def __init__(self, moments: Iterable[Moment]):
        self._moments = sorted(moments)
        self._starts = [moment.start for moment in self._moments]
        self.median = median(moment.figure for moment in self._moments) if self._moments else None

    def of(self, figure: float) -> float | None:
        """Return how far a figure is off the median, as a share of it; None without a median."""
        return figure / self.median - 1 if self.median else None

    def around(self, start: str) -> float | None:
        """Return how far the sentinel was off its median before and after a moment: the smaller of the two.

        A trial is doubted where the sentinel was off on both sides of it; at either end of the campaign one counts.
        """
        before, after = bisect_right(self._starts, start) - 1, bisect_left(self._starts, start)
        near = [self._moments[index] for index in (before, after) if 0 <= index < len(self._moments)]
        drifts = [drift for moment in near if (drift := self.of(moment.figure)) is not None]
        return min(drifts, key=abs) if drifts else None
