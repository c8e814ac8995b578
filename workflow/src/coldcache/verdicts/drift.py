"""Measure how a system drifts through a campaign, by a sentinel: a case that is repeated between all others."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from statistics import median
from typing import NamedTuple


class Moment(NamedTuple):
    """One trial of the sentinel: its start, as ISO 8601 in UTC, and its figure in B/s or 1/s."""

    start: str
    figure: float


class Drift:
    """The distance of a study's sentinel from its median, at any moment.

    Parameters
    ----------
    moments : iterable of Moment
        The sentinel's trials, in any order.
    """

    def __init__(self, moments: Iterable[Moment]):
        self._moments = sorted(moments)
        self._starts = [moment.start for moment in self._moments]
        self.median = median(moment.figure for moment in self._moments) if self._moments else None

    def of(self, figure: float) -> float | None:
        """Return the distance of a figure from the median, as a share of the median; None without a median."""
        return figure / self.median - 1 if self.median else None

    def around(self, start: str) -> float | None:
        """Return the sentinel's distance from its median before or after a moment, whichever is smaller.

        A trial becomes suspect only if the sentinel was off on both sides of it. At either end of the campaign there
        is one side. None without a sentinel.
        """
        before, after = bisect_right(self._starts, start) - 1, bisect_left(self._starts, start)
        near = [self._moments[index] for index in (before, after) if 0 <= index < len(self._moments)]
        drifts = [drift for moment in near if (drift := self.of(moment.figure)) is not None]
        return min(drifts, key=abs) if drifts else None
