"""Numbers in words: levels, ratios, intervals."""

from typing import Any, Protocol

from coldcache.analysis.report_links import lead
from coldcache.core.units import show_bytes, show_range, show_rate
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS


class AnyRatio(Protocol):
    """A ratio with its interval: an `Interval`, or a `Ratio` with a page."""

    @property
    def estimate(self) -> float:
        """The typical ratio."""

    @property
    def low(self) -> float:
        """The lower end of its interval; NaN from one pair."""

    @property
    def high(self) -> float:
        """The upper end of its interval; NaN from one pair."""

    @property
    def n(self) -> int:
        """The pairs that count."""


def format_level(factor: str, level: Any) -> str:
    """Return a level of a factor in words: ``1 MiB``, ``12,000``, ``writeback``."""
    known = {**FACTORS, **LEARNT_FACTORS}.get(factor)
    if isinstance(level, str):
        return level
    if level != level:
        return "not stated"
    if known and known.unit == "B":
        return show_bytes(float(level))
    if known and known.unit == "B/s":
        return show_rate(float(level), "B/s")
    if known and known.unit == "s":
        return f"{level * 1000:g} ms"
    return f"{level:,.0f}" if level == int(level) else f"{level:g}"


def format_factor(factor: str, level: Any) -> str:
    """Return a level with the label of its factor: ``stripe count 8``."""
    known = {**FACTORS, **LEARNT_FACTORS}.get(factor)
    return f"{known.label if known else factor.replace('_', ' ')} {format_level(factor, level)}"


def format_ratio(ratio: AnyRatio) -> str:
    """Return a ratio with its interval: ``2.04 times (1.98 to 2.11)``; ``not known`` without a pair.

    A ratio that has a page is an HTML link to its trials.
    """
    if ratio.n == 0:
        return "not known"
    shown = str(lead(f"{ratio.estimate:.3g} times", getattr(ratio, "page", None)))
    return f"{shown} ({ratio.low:.3g} to {ratio.high:.3g})" if ratio.low == ratio.low else shown


def format_growth(ratio: AnyRatio) -> str:
    """Return the growth from few threads to many as the end of a sentence: ``grow 2.04 times``.

    An interval that holds 1 shows no growth; ``fall to 0.5 times`` is a ratio below 1. One repetition has no interval
    and shows neither.
    """
    if ratio.n < 2:
        return "may or may not grow"
    if ratio.low > 1:
        return f"grow {ratio.estimate:.3g} times"
    return f"fall to {ratio.estimate:.3g} times" if ratio.high < 1 else "show no growth"


def format_suspect(suspect: int, trials: int) -> str | None:
    """Return how many of some trials are suspect, ``2 of 5 trials suspect``; None where none is."""
    return f"{suspect} of {trials} trial{'s' if trials != 1 else ''} suspect" if suspect else None


def format_interval(
    estimate: float, low: float, high: float, unit: str, page: str | None = None, doubt: str | None = None
) -> str:
    """Return an estimate with its interval, ``1.17 GB/s (1.12 to 1.20 GB/s)``; without one where its ends are NaN.

    Parameters
    ----------
    estimate, low, high : float
        In `unit`.
    unit : {"B/s", "1/s", "s", "1"}
        The stored unit.
    page : str, optional
        Where the estimate, as an HTML link, leads.
    doubt : str, optional
        A remark in the same brackets.
    """
    shown = str(lead(show_rate(estimate, unit), page))
    within = "; ".join(part for part in (show_range(low, high, unit) if low == low else None, doubt) if part)
    return f"{shown} ({within})" if within else shown
