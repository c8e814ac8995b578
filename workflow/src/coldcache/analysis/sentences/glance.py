"""What a study says at a glance: its headline, the titles of its small figures, and what they mean."""

from collections.abc import Iterable, Mapping
from typing import Any

from coldcache.analysis.estimates import LEVEL, Estimates
from coldcache.analysis.format import format_factor, format_level, show_level
from coldcache.analysis.paired_ratios import Pair, pairs, reference_level
from coldcache.analysis.report_links import lead
from coldcache.analysis.sentences.growth import describe_growth
from coldcache.analysis.sentences.layouts import compare_layouts
from coldcache.analysis.sentences.peaks import title_extremes
from coldcache.analysis.sentences.settings import COMPARED, shows_difference, title_pairs
from coldcache.analysis.sentences.subjects import PLURALS, list_varied
from coldcache.core.units import show_rate
from coldcache.core.vocabulary import SET_FACTORS
from coldcache.statistics.stopping import LEAST_REPETITIONS

#: The factor of which a headline names the gain.
_CACHE = "write_cache"


def title_headlines(
    best: Iterable[tuple[Estimates, Mapping[str, Any]]], sweeps: Iterable[Estimates] = ()
) -> str | None:
    """Return the figures of some cases as a title: ``1.17 GB/s write, 22.9 k/s random read``; None without any.

    A figure of which every run is flagged says so; where all are, this is said once. What the write cache gains comes
    last, where `sweeps` show a gain.
    """
    shown, flagged = [], []
    for sweep, levels in best:
        cell = sweep.cells.sel(levels)
        operation = str(levels["operation"]).replace("-", " ")
        shown.append(f"{show_rate(float(cell.estimate), sweep.unit)} {operation}")
        flagged.append(sweep.count_suspect(levels) == int(cell.n))
    if len(shown) > 1 and all(flagged):
        parts = [*shown, "all flagged"]
    else:
        parts = [f"{said} (flagged)" if doubt else said for said, doubt in zip(shown, flagged, strict=True)]
    found = [sweep for sweep in sweeps if _setting_of(sweep) == _CACHE and sweep.metric not in COMPARED]
    gains = [pair.ratio.estimate for sweep in found for pair in pairs(sweep, _CACHE) if shows_difference(pair)]
    if parts and gains and max(gains) > 1:
        parts.append(f"the write cache gains {max(gains):.3g} times")
    return ", ".join(parts) or None


def title_overview(sweep: Estimates) -> str:
    """Return what a sweep shows as a title: how the levels of a setting compare, else the highest estimate."""
    factor = next((factor for factor in list_varied(sweep) if factor in SET_FACTORS), None)
    return title_pairs(sweep, factor) if factor else title_extremes(sweep, most=1)


def describe_meaning(sweeps: Iterable[Estimates]) -> list[str]:
    """Return what sweeps mean for those who use the storage, as up to three sentences.

    The first says how rates grow with threads, the second what one shared file costs, the third what a setting changes;
    each is left out where no sweep answers it.
    """
    found = list(sweeps)
    growing = [sweep for sweep in found if set(list_varied(sweep)) == {"threads"}]
    transfers = [sweep for sweep in growing if sweep.metric == "throughput"]
    layouts = {sweep.question.file_layout: sweep for sweep in reversed(transfers)}
    shared, own = layouts.get("shared-file"), layouts.get("file-per-thread")
    sentences = [
        f"{describe_growth(growing[0])}." if growing else None,
        compare_layouts(shared, own) if shared and own else None,
        describe_setting(found),
    ]
    return [sentence for sentence in sentences if sentence]


def describe_setting(sweeps: Iterable[Estimates]) -> str | None:
    """Return what the first setting among some sweeps changes most, per operation, as a sentence.

    Only differences that their interval shows have a ratio; None where no sweep varies a setting with enough pairs.
    """
    found = [sweep for sweep in sweeps if _setting_of(sweep)]
    factor = _setting_of(found[0]) if found else ""
    parts = []
    for sweep in found:
        if _setting_of(sweep) == factor:
            parts += [_describe_most(sweep, factor, group) for group in _by_operation(pairs(sweep, factor))]
    if all(size == 0 for size, _ in parts):
        return None
    name = format_factor(factor, "").strip()
    reference = format_level(factor, reference_level(found[0], factor))
    ordered = sorted(dict.fromkeys(parts), reverse=True)
    return f"Against {name} {reference}: {'; '.join(said for _, said in ordered)}."


def _describe_most(sweep: Estimates, factor: str, group: list[Pair]) -> tuple[float, str]:
    """Return the greatest change of an operation as a factor above 1, and in words."""
    name = PLURALS.get(str(group[0].place.get("operation", "")), "operations")
    shown = [pair for pair in group if shows_difference(pair)]
    if not shown:
        few = min(pair.ratio.n for pair in group) < LEAST_REPETITIONS
        return (0.0, f"too few pairs of {name}") if few else (1.0, f"no measurable difference to {name}")
    most = max(shown, key=_size)
    with_level = f"with {format_level(factor, most.level)}"
    how = COMPARED.get(sweep.metric, "as fast")
    return _size(most), f"{name} are {_say(most)} {how} {with_level}"


def _say(pair: Pair) -> str:
    ratio = pair.ratio
    times = lead(f"{ratio.estimate:.3g} times", ratio.page)
    return f"{times} ({show_level(LEVEL)}: {ratio.low:.3g} to {ratio.high:.3g})"


def _size(pair: Pair) -> float:
    return max(pair.ratio.estimate, 1 / pair.ratio.estimate)


def _by_operation(found: Iterable[Pair]) -> list[list[Pair]]:
    groups: dict[str, list[Pair]] = {}
    for pair in found:
        groups.setdefault(str(pair.place.get("operation", "")), []).append(pair)
    return list(groups.values())


def _setting_of(sweep: Estimates) -> str:
    """Return the setting of the system that a sweep varies; empty where it varies none."""
    return next((factor for factor in list_varied(sweep) if factor in SET_FACTORS), "")
