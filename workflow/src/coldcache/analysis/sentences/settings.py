"""Sentences and titles on what a setting of the system changes, by pairs of trials."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_factor, format_level, format_ratio
from coldcache.analysis.paired_ratios import Pair, pairs, reference_level
from coldcache.analysis.sentences.subjects import PLURALS, capitalise
from coldcache.statistics.stopping import LEAST_REPETITIONS

#: How a metric compares: at twice the throughput something is twice as fast, at twice the time it takes twice as long.
COMPARED = {"elapsed": "as long", "latency": "as long", "count": "as many"}


#: Levels of a setting that a sentence lists; more have a range.
_FEW_LEVELS = 2


def describe_pairs(estimates: Estimates, factor: str) -> str:
    """Return how each level of a setting compares with the reference level, as a sentence.

    Several numbers of threads or other levels have a range, from the least estimate to the greatest. Ratios of too few
    pairs for an interval are listed, and nothing is called faster.
    """
    found = pairs(estimates, factor)
    how = COMPARED.get(estimates.metric, "as fast")
    reference = format_factor(factor, reference_level(estimates, factor))
    parts = [_describe_part(part, how) for part in _parts_of_pairs(found, factor)]
    if not parts:
        return f"{estimates.question.title}: no pair has trials that count on both sides."
    return f"{estimates.question.title}, against {reference}: {'; '.join(parts)}."


def title_pairs(estimates: Estimates, factor: str) -> str:
    """Return the same as a title, with estimates only; operations that show no difference share a part."""
    found = _parts_of_pairs(pairs(estimates, factor), factor, most=3)
    parts = [f"{_name(part)} {_shorten(part)} with {part.levels}" for part in found if part.shows != "none"]
    if alike := [part for part in found if part.shows == "none"]:
        operations = " and ".join(dict.fromkeys(_name(part) for part in alike))
        levels = " or ".join(dict.fromkeys(part.levels for part in alike))
        parts.append(f"no measurable difference to {operations} with {levels}")
    if not parts:
        return "No pair has trials that count on both sides"
    return capitalise(f"{'; '.join(parts)}, against {format_level(factor, reference_level(estimates, factor))}")


def shows_difference(pair: Pair) -> bool:
    """Return whether the interval of a ratio leaves out 1; too few pairs show nothing."""
    return pair.ratio.n >= LEAST_REPETITIONS and not pair.ratio.low <= 1 <= pair.ratio.high


@dataclass(frozen=True, slots=True)
class _PairPart:
    """A part of a sentence about pairs.

    ``shows`` is ``difference``, ``none``, or ``too few`` pairs to show either.
    """

    operation: str
    span: str
    levels: str
    shows: str = "difference"


def _describe_part(part: _PairPart, how: str) -> str:
    """Return a part of a sentence about pairs; too few of them only have a ratio."""
    name = _name(part)
    if part.shows == "too few":
        return f"{name} with {part.levels}: {part.span}, too few pairs to show a difference"
    doubt = ", which shows no difference" if part.shows == "none" else ""
    return f"{name} are {part.span} {how} with {part.levels}{doubt}"


def _name(part: _PairPart) -> str:
    return PLURALS.get(part.operation, part.operation)


def _shorten(part: _PairPart) -> str:
    shown = part.span.partition(" (")[0]
    return f"({shown}, too few pairs)" if part.shows == "too few" else shown


def _parts_of_pairs(found: list[Pair], factor: str, most: int = 99) -> list[_PairPart]:
    """Return each part of a sentence about pairs, in ranges where there are too many."""
    groups = _grouped(found)
    few = _FEW_LEVELS if len(groups) <= most else 1
    parts: list[_PairPart] = []
    for name in dict.fromkeys(name for name, _, _ in groups):
        mine = [(level, group) for operation, level, group in groups if operation == name]
        if len(mine) > few:
            every = [pair for _, group in mine for pair in group]
            few_pairs = min(pair.ratio.n for pair in every) < LEAST_REPETITIONS
            parts.append(_PairPart(name, _estimates(every), "other levels", "too few" if few_pairs else "difference"))
        else:
            parts += [
                _PairPart(name, _span(group), format_level(factor, level), _shows(group)) for level, group in mine
            ]
    return parts


def _shows(group: list[Pair]) -> str:
    """Return what some ratios show; a range of several ratios of enough pairs claims nothing more."""
    if min(pair.ratio.n for pair in group) < LEAST_REPETITIONS:
        return "too few"
    if len(group) > 1:
        return "difference"
    ratio = group[0].ratio
    return "none" if ratio.low <= 1 <= ratio.high else "difference"


def _grouped(found: Iterable[Pair]) -> list[tuple[str, Any, list[Pair]]]:
    groups: dict[tuple[str, Any], list[Pair]] = {}
    for pair in found:
        groups.setdefault((str(pair.place.get("operation", "")), pair.level), []).append(pair)
    return [(name, level, group) for (name, level), group in groups.items()]


def _span(group: list[Pair]) -> str:
    return format_ratio(group[0].ratio) if len(group) == 1 else _estimates(group)


def _estimates(group: list[Pair]) -> str:
    ratios = [pair.ratio.estimate for pair in group]
    low, high = f"{min(ratios):.3g}", f"{max(ratios):.3g}"
    return f"{low} times" if low == high else f"{low} to {high} times"
