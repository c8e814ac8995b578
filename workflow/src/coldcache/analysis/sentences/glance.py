"""What a study says at a glance: its headline, the titles of its small figures, and what they mean."""

from collections.abc import Iterable, Mapping
from typing import Any

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import describe_width, format_factor, list_words
from coldcache.analysis.paired_ratios import Pair, pairs, reference_level
from coldcache.analysis.sentences.growth import describe_growth
from coldcache.analysis.sentences.layouts import compare_layouts, pair_layouts
from coldcache.analysis.sentences.peaks import title_extremes
from coldcache.analysis.sentences.settings import (
    COMPARED,
    Comparison,
    compare_levels,
    describe_difference,
    join_differences,
    shows_difference,
    title_pairs,
)
from coldcache.analysis.sentences.subjects import IN_FLIGHT, capitalise, list_measured, list_varied
from coldcache.core.units import show_number, show_rate
from coldcache.core.vocabulary import IGNORES_FLUSHES, SET_FACTORS

#: The factor of which a headline names the gain.
_CACHE = "write_cache"


def title_headlines(
    best: Iterable[tuple[Estimates, Mapping[str, Any]]], sweeps: Iterable[Estimates] = ()
) -> str | None:
    """Return the figures of some cases as a title: ``1.17 GB/s write, 22.9 k/s random read``; None without any.

    A figure of which every run is flagged says so; where all are, this is said once. So does one whose interval is too
    wide to know it. What the write cache gains comes last, where `sweeps` show a gain; what a level that ignores
    flushes gains is none of it.
    """
    shown, flagged, widths = [], [], []
    for sweep, levels in best:
        cell = sweep.cells.sel(levels)
        operation = str(levels["operation"]).replace("-", " ")
        place = " in memory" if sweep.is_in_memory(levels) else ""
        shown.append(f"{show_rate(float(cell.estimate), sweep.unit)} {operation}{place}{_say_latency(sweep, levels)}")
        flagged.append(sweep.count_suspect(levels) == int(cell.n))
        width = describe_width(float(cell.low), float(cell.high))
        widths.append(f"interval {width}" if width else "")
    at_once = len(shown) > 1 and all(flagged)
    parts = [
        _add_doubts(said, "flagged" if is_flagged and not at_once else "", width)
        for said, is_flagged, width in zip(shown, flagged, widths, strict=True)
    ] + ["all flagged"] * at_once
    found = [sweep for sweep in sweeps if _setting_of(sweep) == _CACHE and sweep.metric not in COMPARED]
    gains = [
        (pair.ratio.estimate, " in memory" if sweep.is_in_memory({**pair.place, _CACHE: pair.level}) else "")
        for sweep in found for pair in _list_cache_pairs(sweep) if shows_difference(pair)
    ]  # fmt: skip
    if parts and gains and max(gains)[0] > 1:
        gain, where = max(gains)
        parts.append(f"the write cache gains {show_number(gain)} times{where}")
    return ", ".join(parts) or None


def _list_cache_pairs(sweep: Estimates) -> list[Pair]:
    """Return the ratios to the cache off of levels that obey flushes; ignoring them is no gain of the cache."""
    if reference_level(sweep, _CACHE) == IGNORES_FLUSHES:
        return []
    return [pair for pair in pairs(sweep, _CACHE) if pair.level != IGNORES_FLUSHES]


def _add_doubts(said: str, *doubts: str) -> str:
    """Return a figure with what is doubtful about it in brackets."""
    named = "; ".join(filter(None, doubts))
    return f"{said} ({named})" if named else said


def _say_latency(sweep: Estimates, levels: Mapping[str, Any]) -> str:
    """Return the mean latency of random transfers at the same levels: `` at 97 µs``; empty for other operations."""
    if not str(levels["operation"]).startswith("random") or "latency" not in sweep.cube:
        return ""
    latency = float(sweep.cube.latency.sel(levels).median())
    return f" at {show_rate(latency, 's')}" if latency == latency else ""


def title_overview(sweep: Estimates) -> str:
    """Return what a sweep shows as a title: how the levels of a setting compare, else the highest estimate."""
    factor = _setting_of(sweep)
    return title_pairs(sweep, factor) if factor else title_extremes(sweep, most=1)


def describe_meaning(sweeps: Iterable[Estimates]) -> list[str]:
    """Return what sweeps mean for those who use the storage, as up to three sentences.

    The first says how rates grow with threads, the second what one shared file costs, the third what a setting changes;
    each is left out where no sweep answers it.
    """
    found = list(sweeps)
    rates = [sweep for sweep in found if sweep.metric in ("throughput", "rate")]
    growing = [sweep for sweep in rates if set(list_varied(sweep)) == {"threads"}]
    # Rates in memory say nothing of the storage.
    stored = [
        sweep for sweep in growing
        if not all(sweep.is_in_memory({"operation": name}) for name in list_measured(sweep))
    ]  # fmt: skip
    transfers = [sweep for sweep in growing if sweep.metric == "throughput"]
    shared, own = (
        [sweep for sweep in transfers if sweep.question.file_layout == layout]
        for layout in ("shared-file", "file-per-thread")
    )
    sentences = [
        f"{describe_growth(stored[0])}." if stored else None,
        *(compare_layouts(one, many) for one, many in pair_layouts(shared, own)[:1]),
        describe_setting(found),
    ]
    return [sentence for sentence in sentences if sentence]


def describe_setting(sweeps: Iterable[Estimates]) -> str | None:
    """Return what the write cache, else the first setting of some sweeps, changes most, per operation, as a sentence.

    Only differences that their interval shows have a ratio; None where no sweep varies a setting with enough pairs.
    Times and calls are told only where the setting has no rates.
    """
    found = [sweep for sweep in sweeps if _setting_of(sweep)]
    varied = [_setting_of(sweep) or "" for sweep in found]
    factor = _CACHE if _CACHE in varied else varied[0] if varied else ""
    mine = [sweep for sweep in found if _setting_of(sweep) == factor]
    rates = [sweep for sweep in mine if sweep.metric not in COMPARED]
    compared = [one for sweep in rates or mine for one in compare_levels(sweep, factor) if one.operation != IN_FLIGHT]
    if all(one.shows == "too few" for one in compared):
        return None
    operations = dict.fromkeys(one.operation for one in compared)
    groups = [[one for one in compared if one.operation == operation] for operation in operations]
    shown = [max(differing, key=lambda one: one.size) for group in groups if (differing := _differing(group))]
    alike = [group[0].name for group in groups if not _differing(group) and any(one.shows == "none" for one in group)]
    parts = [describe_difference(one) for one in sorted(shown, key=lambda one: -one.size)]
    if alike:
        parts.append(f"{list_words(alike)} show no measurable difference by {format_factor(factor, '').strip()}")
    return f"{capitalise(join_differences(parts))}."


def _differing(group: Iterable[Comparison]) -> list[Comparison]:
    return [one for one in group if one.shows == "difference"]


def _setting_of(sweep: Estimates) -> str | None:
    """Return the setting of the system that a sweep varies; None if it varies none."""
    return next((factor for factor in list_varied(sweep) if factor in SET_FACTORS), None)
