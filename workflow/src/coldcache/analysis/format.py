"""Numbers in words: levels, ratios, intervals."""

from typing import Any

from coldcache.analysis.report_links import lead
from coldcache.core.units import show_bytes, show_range, show_rate
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS
from coldcache.statistics.intervals import Interval


def show_level(factor: str, level: Any) -> str:
    """Return a level of a factor in words: ``1 MiB``, ``12,000``, ``writeback``."""
    known = {**FACTORS, **LEARNT_FACTORS}.get(factor)
    if isinstance(level, str):
        return level
    if known and known.unit == "B":
        return show_bytes(float(level))
    if known and known.unit == "B/s":
        return show_rate(float(level), "B/s")
    if known and known.unit == "s":
        return f"{level * 1000:g} ms"
    return f"{level:,.0f}" if level == int(level) else f"{level:g}"


def show_factor(factor: str, level: Any) -> str:
    """Return a level with the label of its factor: ``stripe count 8``."""
    known = {**FACTORS, **LEARNT_FACTORS}.get(factor)
    return f"{known.label if known else factor.replace('_', ' ')} {show_level(factor, level)}"


def show_ratio(ratio: Interval) -> str:
    """Return a ratio with its interval in words: ``2.04 times (1.98 to 2.11)``; ``not known`` without a pair.

    The words of a `Ratio` are HTML that leads to its trials.
    """
    if ratio.n == 0:
        return "not known"
    shown = str(lead(f"{ratio.estimate:.3g} times", getattr(ratio, "page", "")))
    return f"{shown} ({ratio.low:.3g} to {ratio.high:.3g})" if ratio.low == ratio.low else shown


def tell_growth(ratio: Interval) -> str:
    """Return what a ratio of many threads to few says, as the end of a sentence: ``grow 2.04 times``.

    An interval that holds 1 shows no growth; ``fall to 0.5 times`` is a ratio below 1. One repetition has no interval
    and says neither.
    """
    if ratio.n < 2:
        return "may or may not grow"
    if ratio.low > 1:
        return f"grow {ratio.estimate:.3g} times"
    return f"fall to {ratio.estimate:.3g} times" if ratio.high < 1 else "show no growth"


def tell_suspect(suspect: int, trials: int) -> str:
    """Return how many of some trials are suspect, ``2 of 5 trials suspect``; nothing where none is."""
    return f"{suspect} of {trials} trial{'s' if trials != 1 else ''} suspect" if suspect else ""


def show_interval(estimate: float, low: float, high: float, unit: str, page: str = "", doubt: str = "") -> str:
    """Return an estimate with its interval in words, without the interval where there is none.

    The estimate is HTML that leads to a page where one is given; a doubt stands in the same brackets.
    """
    shown = str(lead(show_rate(estimate, unit), page))
    within = "; ".join(part for part in (show_range(low, high, unit) if low == low else "", doubt) if part)
    return f"{shown} ({within})" if within else shown
