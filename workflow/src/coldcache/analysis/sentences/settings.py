"""Sentences and titles on what a setting of the system changes, by pairs of trials."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import (
    explain_no_interval,
    format_factor,
    format_ratio,
    list_words,
    name_setting_level,
    show_estimate,
)
from coldcache.analysis.paired_ratios import Pair, pairs, reference_level
from coldcache.analysis.report_links import lead
from coldcache.analysis.sentences.subjects import PLURALS, capitalise, name_level
from coldcache.core.units import show_number, show_rate, show_span
from coldcache.statistics.stopping import LEAST_REPETITIONS

#: How a metric compares: at twice the throughput something is twice as fast, at twice the time it takes twice as long.
COMPARED = {
    "elapsed": "take {} times as long",
    "latency": "take {} times as long",
    "count": "take {} times as many calls",
}

#: The factor that is on or off.
_CACHE = "write_cache"

#: How a difference of the write cache begins.
_MAKES = "the write cache makes "

#: What few intervals show together.
_INCLUDE = {1: "The interval of the ratio includes 1", 2: "Both intervals include 1"}

#: Parts of a title, and levels that a sentence lists; more have a range.
_MOST_PARTS, _FEW_LEVELS = 2, 2


@dataclass(frozen=True, slots=True)
class Comparison:
    """An operation at a level of a factor, or at all of many levels, against the reference level.

    Attributes
    ----------
    operation, factor, metric : str
        What is compared.
    level, reference : str
        The levels in words.
    pairs : tuple of Pair
        One per combination of the other levels.
    ends : tuple of str or None
        The medians at the reference level and at the level, where there is one pair.
    in_memory : bool
        Whether the work at the level did not reach the storage.
    """

    operation: str
    factor: str
    level: str
    reference: str
    metric: str
    pairs: tuple[Pair, ...]
    ends: tuple[str, str] | None = None
    in_memory: bool = False

    @property
    def name(self) -> str:
        """The operation in the plural."""
        return PLURALS.get(self.operation, self.operation)

    @property
    def shows(self) -> str:
        """What the pairs show: a ``difference``, ``none``, or ``too few`` pairs for an interval to show either."""
        if any(pair.ratio.low != pair.ratio.low for pair in self.pairs):
            return "too few"
        return "difference" if any(map(shows_difference, self.pairs)) else "none"

    @property
    def size(self) -> float:
        """The greatest ratio as a factor above 1, of those that show a difference, else of all."""
        return max(_size(pair.ratio.estimate) for pair in list(filter(shows_difference, self.pairs)) or self.pairs)

    @property
    def cases(self) -> str:
        """The end of a sentence on several pairs."""
        return f" in any of {len(self.pairs)} cases" if len(self.pairs) > 1 else ""

    def span(self) -> str:
        """Return the ratio, or the range of several, without the word for times."""
        return _span_of([self])

    def with_levels(self) -> str:
        """Return the levels as the end of a sentence."""
        return self._name_levels("as with")

    def against_levels(self) -> str:
        """Return the levels where no word says which is more."""
        return self._name_levels("against")

    def _name_levels(self, between: str) -> str:
        place = " (in memory)" if self.in_memory else ""
        if self.factor == _CACHE and self.level == "on":
            return f"with the write cache on{place}"
        reference = f"the cache {self.reference}" if self.factor == _CACHE else self.reference
        return f"with {self.level}{place} {between} {reference}"


def describe_pairs(estimates: Estimates, factor: str) -> str:
    """Return how each level of a setting compares with the reference level, as a sentence.

    Several numbers of threads or other levels have a range, from the least estimate to the greatest. Ratios of too few
    pairs for an interval are listed, and nothing is called faster.
    """
    found = compare_levels(estimates, factor)
    if not found:
        return f"{estimates.question.title}: no pair has trials that count on both sides."
    if all(one.shows == "too few" for one in found):
        return f"{estimates.question.title}: {_describe_few(found)}."
    if all(one.shows == "none" for one in found):
        names = list_words(dict.fromkeys(one.name for one in found))
        counted = sum(len(one.pairs) for one in found)
        spans = f"; {counted} ratios from {_span_of(found)}" if counted > 1 else f": {_ratio(found[0])}"
        return f"{estimates.question.title}: no measurable difference to {names}{spans}."
    order = sorted(found, key=lambda one: (one.shows != "difference", -one.size))
    return f"{estimates.question.title}: {join_differences(map(_describe, order))}."


def title_pairs(estimates: Estimates, factor: str) -> str:
    """Return the same as a title: the greatest differences, with estimates alone."""
    found = compare_levels(estimates, factor)
    if not found:
        return "No pair has trials that count on both sides"
    shown = sorted((one for one in found if one.shows == "difference"), key=lambda one: -one.size)
    if shown:
        return capitalise(join_differences(map(_shorten_differing, shown[:_MOST_PARTS])))
    if few := [one for one in found if one.shows == "too few"]:
        return capitalise("; ".join(map(_shorten_few, few[:1])))
    names = list_words(dict.fromkeys(one.name for one in found))
    return f"{capitalise(names)} show no measurable difference by {format_factor(factor, '').strip()}"


def title_ratios(ratios: pd.DataFrame) -> str:
    """Return what a forest of ratios shows, as a title.

    Parameters
    ----------
    ratios : DataFrame
        As `coldcache.analysis.setting_ratios.tabulate_ratios` returns them.
    """
    known = ratios[ratios.low.notna()]
    if known.empty:
        few = "Fewer than five pairs each: no" if ratios.n.max() < LEAST_REPETITIONS else "No"
        return f"{few} ratio has an interval"
    shows = known[(known.low > 1) | (known.high < 1)]
    if shows.empty:
        return _INCLUDE.get(len(known), f"All {len(known)} intervals include 1")
    most = shows.loc[shows.ratio.map(_size).idxmax()]
    rest = len(known) - len(shows)
    less = f"; {rest} of {len(known)} intervals {'includes' if rest == 1 else 'include'} 1" if rest else ""
    return f"The largest effect is {show_number(most.ratio)} times ({most.case}){less}"


def rank_pairs(estimates: Estimates, factor: str) -> float:
    """Return the rank of a sweep by what a setting changes: the greatest difference has the lowest, and none is 0."""
    return -max((one.size for one in compare_levels(estimates, factor) if one.shows == "difference"), default=0.0)


def join_differences(parts: Iterable[str]) -> str:
    """Return the parts of a sentence on the effect of a setting, with its name once."""
    return "; ".join(parts).replace(f"; {_MAKES}", ", ")


def shows_difference(pair: Pair) -> bool:
    """Return whether the interval of a ratio leaves out 1; a ratio without an interval shows nothing."""
    return pair.ratio.low > 1 or pair.ratio.high < 1


def compare_levels(estimates: Estimates, factor: str) -> list[Comparison]:
    """Return what pairs show: a comparison per operation and level, or one per operation for many levels."""
    groups: dict[str, dict[Any, list[Pair]]] = {}
    for pair in pairs(estimates, factor):
        groups.setdefault(str(pair.place.get("operation", "")), {}).setdefault(pair.level, []).append(pair)
    reference = reference_level(estimates, factor)
    base = name_setting_level(factor, reference)
    found = []
    for operation, levels in groups.items():
        every = [pair for group in levels.values() for pair in group]
        merged = {"other levels": every} if len(levels) > _FEW_LEVELS else levels
        for level, group in merged.items():
            name = "other levels" if merged is not levels else _name_level(factor, level)
            ends = _find_ends(estimates, factor, group[0], reference) if len(group) == 1 else None
            in_memory = [estimates.is_in_memory({**pair.place, factor: pair.level}) for pair in group]
            found.append(
                Comparison(
                    operation, factor, name, base, estimates.metric, tuple(group), ends,
                    2 * sum(in_memory) >= len(group),
                )
            )  # fmt: skip
    return found


def _name_level(factor: str, level: Any) -> str:
    name = name_setting_level(factor, level)
    if factor == _CACHE:
        return name.removeprefix("on, ")
    is_number = not isinstance(level, str) or level.replace(".", "", 1).isdigit()
    return format_factor(factor, level) if is_number else name


def _find_ends(estimates: Estimates, factor: str, pair: Pair, reference: Any) -> tuple[str, str] | None:
    """Return the medians at the reference level and at the level of a pair; None where a pair is of several cases."""
    cells = [estimates.cells.estimate.sel({**pair.place, factor: level}) for level in (reference, pair.level)]
    if any(cell.size != 1 for cell in cells):
        return None
    first, last = (show_rate(float(cell), estimates.unit) for cell in cells)
    return first, last


def _describe_few(found: Sequence[Comparison]) -> str:
    """Return too few pairs of each operation with the range of their ratios."""
    most = max(pair.ratio.n for one in found for pair in one.pairs)
    parts = []
    for operation in dict.fromkeys(one.operation for one in found):
        mine = [one for one in found if one.operation == operation]
        label = format_factor(mine[0].factor, "").strip()
        first, *others = dict.fromkeys(one.level for one in mine)
        levels = list_words([first, *(level.removeprefix(label).strip() for level in others)])
        shown = _ratio(mine[0]) if len(mine) == 1 and most > 1 else f"{_span_of(mine)} times"
        parts.append(f"{mine[0].name} {shown} with {levels} over {mine[0].reference}")
    said, why = list_words(parts), _why_open(pair for one in found for pair in one.pairs)
    return said if why in said else f"{said}; {most} pair{'s' if most != 1 else ''} each, {why}"


def _why_open(pairs: Iterable[Pair]) -> str:
    """Return why pairs have no interval, by the ratio of the most pairs."""
    most = max((pair.ratio for pair in pairs), key=lambda ratio: ratio.n)
    return explain_no_interval(most.n, most.rounds) or "too few for an interval"


def _describe(one: Comparison) -> str:
    if one.shows == "too few":
        said, why = f"{one.name} {one.against_levels()}: {_ratio(one)}", _why_open(one.pairs)
        return said if why in said else f"{said}, {why}"
    if one.shows == "none":
        return f"no measurable difference to {one.name} {one.against_levels()}{one.cases}: {_ratio(one)}"
    if len(one.pairs) > 1:
        differing = sum(map(shows_difference, one.pairs))
        counted = f"({differing} of {len(one.pairs)} ratios differ from 1)"
        return f"{one.name} {_times(one, one.span())} {one.with_levels()} {counted}"
    return describe_difference(one)


def describe_difference(one: Comparison) -> str:
    """Return a difference with its interval and its ends, without a full stop.

    Of several cases it is the one that differs the most, with its levels.
    """
    if len(one.pairs) > 1:
        pair = max(filter(shows_difference, one.pairs), key=lambda pair: _size(pair.ratio.estimate))
        return f"{describe_difference(replace(one, pairs=(pair,)))}, with {_name_place(pair, one.pairs)}"
    ratio = one.pairs[0].ratio
    times = str(lead(f"{show_estimate(ratio)} times", ratio.page)).replace(" times", "", 1)
    change = f"{one.ends[0]} → {one.ends[1]}; " if one.ends else ""
    interval = format_ratio(ratio).partition(" (")[2]
    return f"{_shorten(one).replace(one.span(), times, 1)} ({change}{interval}"


def _name_place(pair: Pair, pairs: Sequence[Pair]) -> str:
    """Return the levels of a pair by which it differs from others."""
    varied = [name for name, level in pair.place.items() if any(other.place[name] != level for other in pairs)]
    return list_words(name_level(name, pair.place[name]) for name in varied)


def _size(ratio: float) -> float:
    """Return a ratio as a factor above 1."""
    return max(ratio, 1 / ratio)


def _ratio(one: Comparison) -> str:
    if len(one.pairs) == 1:
        return format_ratio(one.pairs[0].ratio)
    return f"{one.span()} times"


def _span_of(found: Sequence[Comparison]) -> str:
    return show_span(pair.ratio.estimate for one in found for pair in one.pairs)


def _times(one: Comparison, span: str) -> str:
    return COMPARED.get(one.metric, "are {} times as fast").format(span)


def _shorten(one: Comparison) -> str:
    """Return a difference in few words."""
    if one.factor == _CACHE and one.level == "on" and len(one.pairs) == 1 and one.metric not in COMPARED:
        return f"{_MAKES}{one.name} {one.span()} times as fast{' (in memory)' if one.in_memory else ''}"
    return f"{one.name} {_times(one, one.span())} {one.with_levels()}"


def _shorten_differing(one: Comparison) -> str:
    """Return the pairs that show a difference in few words, and of how many they are."""
    differing = tuple(filter(shows_difference, one.pairs))
    said = _shorten(replace(one, pairs=differing))
    return said if len(differing) == len(one.pairs) else f"{said} in {len(differing)} of {len(one.pairs)} cases"


def _shorten_few(one: Comparison) -> str:
    """Return too few pairs in few words: the medians, or the ratios."""
    most = max(pair.ratio.n for pair in one.pairs)
    counted = f"{most} pair{'s' if most != 1 else ''}"
    change = f"{one.ends[0]} → {one.ends[1]}" if one.ends else f"{one.span()} times"
    return f"{one.name} {one.against_levels()}: {change} ({counted}, {_why_open(one.pairs)})"
