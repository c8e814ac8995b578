"""Results of estimates: the peak of an operation, and the ratio of two cases."""

from dataclasses import dataclass

from coldcache.statistics.dependence import INDEPENDENT, Rounds


@dataclass(frozen=True, slots=True)
class Peak:
    """The highest estimate of an operation over threads.

    Attributes
    ----------
    threads : int
        The number of threads of the highest estimate.
    estimate, low, high : float
        The median and its interval, in the unit of the estimates.
    n, suspect : int
        Trials that count, and how many of them are suspect.
    page : str or None
        The page of the case in the report.
    runs : tuple of float
        The trials themselves.
    edge : str or None
        Which end of the range that was tried these threads are: the highest may lie beyond it.
    """

    threads: int
    estimate: float
    low: float
    high: float
    n: int
    page: str | None = None
    suspect: int = 0
    runs: tuple[float, ...] = ()
    edge: str | None = None

    @property
    def at(self) -> str:
        """The number of threads in words: ``1 thread``, ``4 threads``, ``64 threads (the most tried)``."""
        words = f"{self.threads:,} thread{'s' if self.threads != 1 else ''}"
        return f"{words} ({self.edge})" if self.edge else words

    @property
    def verb(self) -> str:
        """The verb for the highest rate: at the edge of the tested levels it need not be a peak."""
        return "reach" if self.edge else "peak at"


@dataclass(frozen=True, slots=True)
class Ratio:
    """The typical ratio of two cases with its interval, from `n` pairs, and the page that leads to their trials.

    `runs` are the ratios of the pairs where they are too few for an interval; `rounds` are those of the sweep.
    """

    estimate: float
    low: float
    high: float
    n: int
    page: str | None = None
    runs: tuple[float, ...] = ()
    rounds: Rounds = INDEPENDENT
