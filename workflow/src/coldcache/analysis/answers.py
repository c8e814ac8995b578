"""What estimates answer: the highest of an operation, and the ratio of two."""

from dataclasses import dataclass


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
    edge : str
        What is said where these threads are an end of the range that was tried, so that the highest may lie beyond;
        empty elsewhere.
    """

    threads: int
    estimate: float
    low: float
    high: float
    n: int
    page: str | None = None
    suspect: int = 0
    runs: tuple[float, ...] = ()
    edge: str = ""

    @property
    def at(self) -> str:
        """The number of threads in words: ``1 thread``, ``4 threads``, ``64 threads (the most tried)``."""
        words = f"{self.threads:,} thread{'s' if self.threads != 1 else ''}"
        return f"{words} ({self.edge})" if self.edge else words

    @property
    def verb(self) -> str:
        """What the operation does there: at the edge of what was tried it reaches a rate, which need be no peak."""
        return "reach" if self.edge else "peak at"


@dataclass(frozen=True, slots=True)
class Ratio:
    """The typical ratio of two cases with its interval, from `n` pairs, and the page that leads to their trials.

    `runs` are the ratios of the pairs where they are too few for an interval; `correlation` is that of neighbours.
    """

    estimate: float
    low: float
    high: float
    n: int
    page: str | None = None
    runs: tuple[float, ...] = ()
    correlation: float = 0.0
