"""Numbers in words: levels, ratios, intervals."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from coldcache.analysis.report_links import lead
from coldcache.core.units import show_bytes, show_number, show_range, show_rate
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS
from coldcache.statistics.dependence import INDEPENDENT, Rounds, effective_repetitions
from coldcache.statistics.intervals import reached_level
from coldcache.statistics.stopping import LEAST_REPETITIONS
from coldcache.statistics.widening import refuse

#: Correlations of neighbours from which a figure says what its runs are worth.
_WORTH_SAYING = 0.2


#: High end of an interval over the low one above which its width is named in place of its ends.
_WIDEST = 10

#: What levels of the write cache do; a figure shows them in this order.
LEVEL_MEANINGS = {"writethrough": "off", "writeback": "on", "unsafe": "on, flushes ignored"}


class AnyRatio(Protocol):
    """A ratio with its interval: an `Interval`, or a `Ratio` with a page."""

    @property
    def estimate(self) -> float:
        """The typical ratio."""

    @property
    def low(self) -> float:
        """The lower end of its interval; NaN from fewer than five pairs."""

    @property
    def high(self) -> float:
        """The upper end of its interval; NaN from fewer than five pairs."""

    @property
    def n(self) -> int:
        """The pairs that count."""

    @property
    def runs(self) -> tuple[float, ...]:
        """The ratio of each pair, if they are too few for an interval."""

    @property
    def rounds(self) -> Rounds:
        """Those of the sweep."""


def format_level(factor: str, level: Any) -> str:
    """Return a level of a factor in words: ``1 MiB``, ``12,000``, ``writeback``, ``yes``."""
    known = {**FACTORS, **LEARNT_FACTORS}.get(factor)
    if isinstance(level, str):
        return {"true": "yes", "false": "no"}.get(level, level)
    if level != level:
        return "not stated"
    if known and known.unit == "B":
        return show_bytes(float(level))
    if known and known.unit == "B/s":
        return show_rate(float(level), "B/s")
    if known and known.unit == "s":
        return f"{level:g} s" if level >= 1 else f"{level * 1000:g} ms"
    return f"{level:,.0f}" if level == int(level) else f"{level:g}"


def format_factor(factor: str, level: Any) -> str:
    """Return a level with the label of its factor: ``stripe count 8``."""
    known = {**FACTORS, **LEARNT_FACTORS}.get(factor)
    return f"{known.label if known else factor.replace('_', ' ')} {format_level(factor, level)}"


def name_setting_level(factor: str, level: Any) -> str:
    """Return a level of a setting by what it does where its own name says it to few: ``on`` for ``writeback``."""
    name = format_level(factor, level)
    return LEVEL_MEANINGS.get(name, name)


def show_level(level: float) -> str:
    """Return the coverage of an interval: ``95 %``, ``93.8 %``."""
    return f"{100 * level:.3g} %"


def show_change(change: float) -> str:
    """Return a relative change in per cent: ``+139 %``, ``−4.2 %``."""
    share = 100 * change
    shown = f"{share:+,.0f}" if abs(share) >= 10 else f"{share:+.2g}"
    return f"{shown} %".replace("-", "\N{MINUS SIGN}")


def show_worth(n: int, correlation: float) -> str | None:
    """Return how many independent runs correlated ones are worth; None if they are about independent."""
    if correlation < _WORTH_SAYING:
        return None
    return f"{n} runs count as {effective_repetitions(n, correlation):.2g}"


def explain_no_interval(n: int, rounds: Rounds) -> str | None:
    """Return why runs that are many enough elsewhere have no interval; None where they have one or are too few."""
    return refuse(n, rounds) if n >= LEAST_REPETITIONS else None


def format_ratio(ratio: AnyRatio, level: float = 0.95) -> str:
    """Return a ratio with its interval and level: ``2.04 times (95 %: 1.98 to 2.11)``; ``not known`` without a pair.

    Too few pairs for an interval are listed: ``2 times (2 pairs: 1.9, 2.1)``. A ratio that has a page is an HTML link
    to its trials.
    """
    if ratio.n == 0:
        return "not known"
    shown = str(lead(f"{show_estimate(ratio)} times", getattr(ratio, "page", None)))
    if ratio.low != ratio.low:
        each = f": {', '.join(map(show_number, ratio.runs))}" if ratio.n > 1 and ratio.runs else ""
        listed = f"{ratio.n} pair{'s' if ratio.n != 1 else ''}{each}"
        return f"{shown} ({'; '.join(filter(None, (listed, explain_no_interval(ratio.n, ratio.rounds))))})"
    interval = f"{show_level(level)}: {show_end(ratio.low)} to {show_end(ratio.high)}"
    return f"{shown} ({'; '.join(filter(None, (interval, show_worth(ratio.n, ratio.rounds.of_logarithms))))})"


def show_end(end: float) -> str:
    """Return an end of the interval of a ratio with three digits, or as many as tell it from 1: ``1.02``, ``1.001``."""
    shown = [show_number(end), *(f"{end:.{digits}g}" for digits in range(4, 7))]
    return next((text for text in shown if text != "1"), shown[0])


def show_estimate(ratio: AnyRatio) -> str:
    """Return a ratio with three digits; as many as tell it from 1 where its interval leaves 1 out."""
    return show_end(ratio.estimate) if ratio.low > 1 or ratio.high < 1 else show_number(ratio.estimate)


def format_growth(ratio: AnyRatio, ends: tuple[str, str] | None = None) -> str:
    """Return the growth from few threads to many as the end of a sentence: ``grow 2.04 times``.

    An interval that includes 1 shows no growth; ``fall to 0.5 times`` is a ratio below 1. Too few pairs for an interval
    show neither: they have their medians alone.

    Parameters
    ----------
    ratio : AnyRatio
        That of the most threads to the fewest.
    ends : tuple of str, optional
        The medians at both.
    """
    if ratio.low != ratio.low:
        change = f"go from {ends[0]} to {ends[1]}" if ends else "lack a rate at one end"
        change = f"stay at {ends[0]}" if ends and ends[0] == ends[1] else change
        runs = f"{ratio.n} run{'s' if ratio.n != 1 else ''}"
        why = explain_no_interval(ratio.n, ratio.rounds) or "too few for an interval"
        return f"{change} ({runs}, {why})" if ends and ratio.n else change
    if ratio.low > 1:
        return f"grow {show_estimate(ratio)} times"
    return f"fall to {show_estimate(ratio)} times" if ratio.high < 1 else "show no growth"


def format_suspect(suspect: int, trials: int) -> str | None:
    """Return how many of some trials are suspect, ``2 of 5 flagged``; None where none is."""
    if not suspect:
        return None
    return f"{suspect} of {trials} flagged" if trials > 1 else "flagged"


def describe_width(low: float, high: float) -> str | None:
    """Return ``spans a factor of 34`` for an interval so wide that its figure is hardly known; None for others."""
    if not (low > 0 and high > _WIDEST * low):
        return None
    return f"spans a factor of {float(f'{high / low:.2g}'):,.0f}"


def show_interval(low: float, high: float, unit: str) -> str:
    """Return an interval: ``1.12 to 1.20 GB/s``, or its width where that is great, as `describe_width` names it."""
    return describe_width(low, high) or show_range(low, high, unit)


def format_interval(
    estimate: float, low: float, high: float, unit: str, n: int, page: str | None = None, flag: str | None = None,
    runs: Sequence[float] = (), rounds: Rounds = INDEPENDENT,
) -> str:  # fmt: skip
    """Return an estimate with its interval and level: ``1.17 GB/s (95 %: 1.12 to 1.20 GB/s)``.

    Of an interval wider than a factor of ten only the width is named; the page where the estimate leads has its ends.
    Too few runs for an interval are listed: ``1.17 GB/s (2 runs: 1.12, 1.20 GB/s)``.

    Parameters
    ----------
    estimate, low, high : float
        In `unit`; NaN ends are no interval.
    unit : {"B/s", "1/s", "s", "1"}
        The stored unit.
    n : int
        The runs that count.
    page : str, optional
        Where the estimate, as an HTML link, leads.
    flag : str, optional
        How many runs are suspect, in the same brackets.
    runs : sequence of float
        The runs, in `unit`; they are listed where there is no interval.
    rounds : Rounds
        Those of the sweep.
    """
    shown = str(lead(show_rate(estimate, unit), page))
    if low == low:
        interval = f"{show_level(reached_level(n))}: {show_interval(low, high, unit)}"
        parts = [interval, show_worth(n, rounds.correlation), flag]
    else:
        listed = list_runs(runs, unit) if len(runs) > 1 else "1 run" if n == 1 else None
        parts = [listed, explain_no_interval(n, rounds), flag]
    within = "; ".join(part for part in parts if part)
    return f"{shown} ({within})" if within else shown


def format_figure(estimate: float, low: float, high: float, unit: str, level: float) -> str:
    """Return the figure that decides a claim, with its interval and level: ``16 threads (95 %: 8 to 32)``.

    Parameters
    ----------
    estimate, low, high : float
        In `unit`; NaN is a figure, or an interval, that is not there.
    unit : {"B/s", "1/s", "s", "1", "threads"}
        The stored unit.
    level : float
        The level of the interval.
    """
    if estimate != estimate:
        return ""
    stored = "1" if unit == "threads" else unit
    shown, interval = show_rate(estimate, stored), show_range(low, high, stored)
    shown += " threads" if unit == "threads" else ""
    return f"{shown} ({show_level(level)}: {interval})" if low < high else shown


def list_runs(runs: Sequence[float], unit: str) -> str:
    """Return the runs themselves: ``2 runs: 1.12, 1.20 GB/s``."""
    words = [show_rate(run, unit) for run in runs]
    last = words[-1].partition(" ")[2]
    named = [word.removesuffix(f" {last}") if last else word for word in words[:-1]]
    return f"{len(runs)} run{'s' if len(runs) != 1 else ''}: {', '.join([*named, words[-1]])}"


def list_words(words: Iterable[str]) -> str:
    """Return words one after the other: ``a``, ``a and b``, ``a, b and c``."""
    *others, last = [*words] or [""]
    return f"{', '.join(others)} and {last}" if others else last
