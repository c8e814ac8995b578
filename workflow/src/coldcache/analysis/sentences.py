"""Findings as sentences and titles: every number in them is computed."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import (
    format_factor,
    format_growth,
    format_interval,
    format_level,
    format_ratio,
    format_suspect,
)
from coldcache.analysis.paired_ratios import Pair, pairs, reference_level
from coldcache.core.units import show_rate
from coldcache.core.vocabulary import SET_FACTORS
from coldcache.statistics.intervals import Interval
from coldcache.statistics.ratios import paired_ratio
from coldcache.statistics.scaling.describe import describe_scaling
from coldcache.statistics.stopping import LEAST_REPETITIONS

#: Operations in the plural, as the subject of a title.
PLURALS = {
    "write": "writes", "read": "reads", "random-write": "random writes", "random-read": "random reads",
    "file-create": "creations", "file-stat": "look-ups", "file-read": "reads of files", "file-remove": "removals",
    "directory-create": "creations", "directory-stat": "look-ups", "directory-remove": "removals",
}  # fmt: skip

#: The reason for no plateau where rates are known at few numbers of threads only.
TOO_FEW = "too few numbers of threads to tell a plateau"

#: How a metric compares: at twice the throughput something is twice as fast, at twice the time it takes twice as long.
_COMPARED = {"elapsed": "as long", "latency": "as long", "count": "as many"}


def _measured(estimates: Estimates) -> list[str]:
    """Return the operations that have an estimate, the fastest first."""
    cells = estimates.cells.estimate
    return [name for name in estimates.operations() if bool(cells.sel(operation=name).notnull().any())]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _title_with_scale(estimates: Estimates) -> str:
    question = estimates.question
    return f"{question.title} ({question.why})" if question.why else question.title


def describe_peaks(estimates: Estimates) -> str:
    """Return the highest estimate of each operation over threads, and the scale, as a sentence."""
    found = [(name, estimates.peak(name)) for name in _measured(estimates)]
    parts = [f"{PLURALS.get(name, name)} peak at {estimates.format_peak(peak)} with {peak.at}" for name, peak in found]
    return f"{_title_with_scale(estimates)}: {', '.join(parts)}."


def describe_extremes(estimates: Estimates) -> str:
    """Return the lowest and the highest estimate of each operation over all factors, with their levels."""
    parts = []
    for name in _measured(estimates):
        highest, *others = (_with_levels(estimates, place, estimates.format_cell) for place in _ends(estimates, name))
        span = f"range from {others[0]} to {highest}" if others else f"{_verb(estimates)} {highest}"
        parts.append(f"{PLURALS.get(name, name)} {span}")
    return f"{_title_with_scale(estimates)}: {'; '.join(parts)}."


def title_extremes(estimates: Estimates, most: int | None = None) -> str:
    """Return the highest estimate of each operation, or of the `most` fastest, with its levels, as a title."""

    def show(place: dict[str, Any]) -> str:
        return show_rate(float(estimates.cells.estimate.sel(place)), estimates.unit)

    parts = [
        f"{PLURALS.get(name, name)} {_verb(estimates)} {_with_levels(estimates, _ends(estimates, name)[0], show)}"
        for name in _measured(estimates)[:most]
    ]
    return _capital("; ".join(parts))


def _verb(estimates: Estimates) -> str:
    return "take up to" if estimates.metric in ("elapsed", "latency") else "reach"


def _ends(estimates: Estimates, operation: str) -> list[dict[str, Any]]:
    """Return the levels of the cases with the highest and the lowest estimate of an operation, or of its only case."""
    cells = estimates.cells.estimate.sel(operation=operation)
    every = [cells.isel(dict(zip(cells.dims, index, strict=True))) for index in np.ndindex(cells.shape)]
    known = [cell for cell in every if bool(cell.notnull())]
    ends = [max(known, key=float), *([min(known, key=float)] if len(known) > 1 else [])]
    return [{"operation": operation, **{str(dim): cell[dim].item() for dim in cells.dims}} for cell in ends]


def _with_levels(estimates: Estimates, place: dict[str, Any], show: Callable[[dict[str, Any]], str]) -> str:
    """Return an estimate with the levels of its case: ``1.2 GB/s with 4 threads, transfer size 1 MiB``."""
    varied = [name for name in place if name != "operation" and estimates.cells.sizes[name] > 1]
    levels = ", ".join(name_level(name, place[name]) for name in varied)
    return f"{show(place)} with {levels}" if levels else show(place)


def name_level(factor: str, level: Any) -> str:
    """Return a level as a sentence names it: ``4 threads``, ``transfer size 1 MiB``."""
    if factor == "threads":
        return f"{level:,.0f} thread{'s' if level != 1 else ''}"
    return format_factor(factor, level)


def title_headlines(best: Iterable[tuple[Estimates, Mapping[str, Any]]]) -> str | None:
    """Return the figures of some cases as a title: ``1.17 GB/s write, 22.9 k/s random read``; None without any.

    A figure of which every run is flagged says so.
    """
    parts = []
    for sweep, levels in best:
        cell = sweep.cells.sel(levels)
        doubt = " (flagged)" if sweep.count_suspect(levels) == int(cell.n) else ""
        operation = str(levels["operation"]).replace("-", " ")
        parts.append(f"{show_rate(float(cell.estimate), sweep.unit)} {operation}{doubt}")
    return ", ".join(parts) or None


def describe_meaning(sweeps: Iterable[Estimates]) -> list[str]:
    """Return what sweeps mean for those who use the storage, as up to three sentences.

    The first says how rates grow with threads, the second what one shared file costs, the third what a setting changes;
    each is left out where no sweep answers it.
    """
    found = list(sweeps)
    growing = [sweep for sweep in found if set(_varied(sweep)) == {"threads"}]
    transfers = [sweep for sweep in growing if sweep.metric == "throughput"]
    layouts = {sweep.question.file_layout: sweep for sweep in reversed(transfers)}
    shared, own = layouts.get("shared-file"), layouts.get("file-per-thread")
    settings = [(sweep, factor) for sweep in found for factor in _varied(sweep)[:1] if factor in SET_FACTORS]
    sentences = [
        f"{describe_growth(growing[0])}." if growing else None,
        compare_layouts(shared, own) if shared and own else None,
        describe_pairs(*settings[0]) if settings else None,
    ]
    return [sentence for sentence in sentences if sentence]


def title_overview(sweep: Estimates) -> str:
    """Return what a sweep shows as a title: how the levels of a setting compare, else up to three highest estimates."""
    factors = [factor for factor in _varied(sweep) if factor in SET_FACTORS]
    return title_pairs(sweep, factors[0]) if factors else title_extremes(sweep, most=3)


def _varied(sweep: Estimates) -> list[str]:
    return [str(dim) for dim in sweep.cells.estimate.dims if dim != "operation" and sweep.cells.sizes[dim] > 1]


def describe_growth(estimates: Estimates) -> str:
    """Return how each operation grows from the fewest threads to the most, as a title."""
    threads = estimates.cells.threads
    growths = {name: estimates.growth(name) for name in _measured(estimates)}
    ends = f"from {int(threads.min()):,} to {int(threads.max()):,} threads"
    if len(growths) > 1 and all(format_growth(ratio) == "show no growth" for ratio in growths.values()):
        runs = sorted({ratio.n for ratio in growths.values()})
        counted = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        named = _capital(" and ".join(PLURALS.get(name, name) for name in growths))
        return f"{named} do not speed up measurably {ends} ({counted} runs each)"
    parts = [f"{PLURALS.get(name, name)} {format_growth(ratio)}" for name, ratio in growths.items()]
    return _capital(f"{', '.join(parts)} {ends}")


def describe_latencies(estimates: Estimates) -> str | None:
    """Return the mean latency of each operation at the fewest threads and at the most; None where nothing counts."""
    threads = estimates.cells.threads
    first, last = int(threads.min()), int(threads.max())
    parts = []
    for name in _measured(estimates):
        ratio, cells = estimates.growth(name), estimates.cells.estimate.sel(operation=name)
        if ratio.n < LEAST_REPETITIONS:
            parts.append(f"multiplies the mean latency of {PLURALS.get(name, name)} by {format_ratio(ratio)}")
            continue
        if ratio.low <= 1 <= ratio.high:
            parts.append(f"makes no measurable difference to {PLURALS.get(name, name)}")
            continue
        ends = [show_rate(float(cells.sel(threads=count)), estimates.unit) for count in (first, last)]
        verb = "raises" if ratio.estimate > 1 else "lowers"
        change = f"{verb} the mean latency of {PLURALS.get(name, name)} from {ends[0]} to {ends[1]}"
        parts.append(f"{change}, {format_ratio(ratio)}")
    return f"Going from {first:,} to {last:,} threads {'; '.join(parts)}." if parts else None


def describe_order(estimates: Estimates) -> str:
    """Return how much faster the fastest operation of a sweep is than each other at its peak, as a title."""
    first, *others = _measured(estimates)
    top = estimates.peak(first).estimate
    parts = [f"{top / estimates.peak(name).estimate:.3g} times that of {PLURALS.get(name, name)}" for name in others]
    rate = show_rate(top, estimates.unit)
    return _capital(f"{PLURALS.get(first, first)} peak at {rate}" + (f": {', '.join(parts)}" if parts else ""))


def describe_plateaus(estimates: Estimates) -> str | None:
    """Return where each operation levels off, or that it still rises, as a sentence.

    Operations with rates at too few numbers of threads are left out; None where all are.
    """
    described = describe_scaling(estimates.runs)
    said: dict[str, list[str]] = {}
    for name in _measured(estimates):
        row = described.sel(operation=name)
        plateau, why = float(row.plateau_from), shorten_reason(str(row["why"].values))
        if why == TOO_FEW:
            continue
        from_where = f"{plateau:,.0f} thread{'s' if plateau != 1 else ''}"
        level = f"level from {from_where} on, at {show_rate(float(row.sustained), estimates.unit)} or more"
        said.setdefault(why or level, []).append(PLURALS.get(name, name))
    parts = "; ".join(f"{' and '.join(names)}: {what}" for what, names in said.items())
    return f"{_capital(parts)}." if parts else None


def shorten_reason(why: str) -> str | None:
    """Return in a few words why a curve has no plateau; None where it has one."""
    if "still rises" in why:
        return why.partition(": measure")[0]
    return TOO_FEW if why else None


def describe_pairs(estimates: Estimates, factor: str) -> str:
    """Return how each level of a setting compares with the reference level, as a sentence.

    Several numbers of threads or other levels have a range, from the least estimate to the greatest. Ratios of too few
    pairs for an interval are listed, and nothing is called faster.
    """
    found = pairs(estimates, factor)
    how = _COMPARED.get(estimates.metric, "as fast")
    reference = format_factor(factor, reference_level(estimates, factor))
    parts = [_describe_part(part, how) for part in _parts_of_pairs(found, factor)]
    if not parts:
        return f"{estimates.question.title}: no pair has trials that count on both sides."
    return f"{estimates.question.title}, against {reference}: {'; '.join(parts)}."


def title_pairs(estimates: Estimates, factor: str) -> str:
    """Return the same as a title, with estimates only."""
    parts = [
        f"{PLURALS.get(part.operation, part.operation)} {_shorten(part)} with {part.levels}"
        for part in _parts_of_pairs(pairs(estimates, factor), factor, most=3)
    ]
    reference = format_level(factor, reference_level(estimates, factor))
    return (
        _capital(f"{'; '.join(parts)}, against {reference}") if parts else "No pair has trials that count on both sides"
    )


#: Levels of a setting that a sentence lists; more have a range.
_FEW_LEVELS = 2


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
    name = PLURALS.get(part.operation, part.operation)
    if part.shows == "too few":
        return f"{name} with {part.levels}: {part.span}, too few pairs to show a difference"
    doubt = ", which shows no difference" if part.shows == "none" else ""
    return f"{name} are {part.span} {how} with {part.levels}{doubt}"


def _shorten(part: _PairPart) -> str:
    shown = part.span.partition(" (")[0]
    return {"none": "show no difference", "too few": f"({shown}, too few pairs)"}.get(part.shows, shown)


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


def compare_layouts(one: Estimates, many: Estimates) -> str | None:
    """Return the ratio of one shared file to one file per thread over threads; None where no operation has both."""
    same, few, parts = [], [], []
    for name in _measured(one):
        if name not in many.cells.operation.values:
            continue
        ratios = layout_ratios(one, many, name)
        if ratios:
            low, high = min(ratio.estimate for _, ratio in ratios), max(ratio.estimate for _, ratio in ratios)
            span = f"{low:.3g} to {high:.3g}" if f"{low:.3g}" != f"{high:.3g}" else f"{low:.3g}"
            if (pairs_each := min(ratio.n for _, ratio in ratios)) < LEAST_REPETITIONS:
                few.append(f"{PLURALS.get(name, name)} {span} times ({pairs_each} pairs each)")
                continue
            if all(ratio.low <= 1 <= ratio.high for _, ratio in ratios):
                same.append(PLURALS.get(name, name))
                continue
            parts.append(f"{PLURALS.get(name, name)} of one shared file are {span} times as fast")
    alike = [f"Sharing one file makes no measurable difference to {' and '.join(same)}."] if same else []
    if few:
        alike.append(
            f"Medians of one shared file over those of one file per thread: {', '.join(few)}; too few to compare."
        )
    return " ".join([*alike, *([f"Against one file per thread, {', '.join(parts)}."] if parts else [])]) or None


def layout_ratios(one: Estimates, many: Estimates, operation: str) -> list[tuple[int, Interval]]:
    """Return the ratio of two layouts at each number of threads that both have, paired by repetition."""
    found = []
    for threads in sorted(set(one.cells.threads.values.tolist()) & set(many.cells.threads.values.tolist())):
        at = {"operation": operation, "threads": threads}
        above, below = (layout.runs.sel(at) for layout in (one, many))
        ratio = paired_ratio(above, below)
        if ratio.n:
            found.append((int(threads), ratio))
    return found


def describe_rates(estimates: Estimates) -> str:
    """Return the highest estimate of each operation, the fastest first, and at which scale, as a sentence."""
    parts = []
    for name in _measured(estimates):
        cells = estimates.cells.sel(operation=name)
        best = cells.where(cells.estimate == cells.estimate.max(), drop=True).squeeze()
        levels = {str(dim): best[dim].item() for dim in cells.dims}
        doubt = format_suspect(estimates.count_suspect({"operation": name, **levels}), int(best.n))
        shown = format_interval(
            float(best.estimate), float(best.low), float(best.high), estimates.unit, int(best.n), doubt=doubt,
            runs=estimates.runs_of({"operation": name, **levels}), correlation=estimates.correlation,
        )  # fmt: skip
        parts.append(f"{PLURALS.get(name, name)} {shown}")
    return f"{_title_with_scale(estimates)}: {', '.join(parts)}."


def best_combinations(estimates: Estimates, factors: Sequence[str]) -> list[dict[str, Any]]:
    """Return the combination of levels with the highest estimate, for each operation and number of threads."""
    rows = []
    for name in _measured(estimates):
        for threads in estimates.cells.threads.values.tolist():
            cells = estimates.cells.estimate.sel(operation=name, threads=threads)
            if not bool(cells.notnull().any()):
                continue
            place = cells.argmax(list(factors))
            best = cells.isel(place)
            levels = {factor: best[factor].item() for factor in factors}
            worst = float(best) / float(cells.min())
            rows.append(
                {"operation": name, "threads": int(threads), **levels, "median": float(best), "over worst": worst}
            )
    return rows


def describe_best_combination(estimates: Estimates, factors: Sequence[str]) -> str | None:
    """Return which combination of levels is the fastest most often, as a sentence; None where nothing counts."""
    rows = best_combinations(estimates, factors)
    if not rows:
        return None
    counts = Counter(tuple(row[factor] for factor in factors) for row in rows)
    levels, times = counts.most_common(1)[0]
    named = " and ".join(format_factor(factor, level) for factor, level in zip(factors, levels, strict=True))
    return (
        f"{estimates.question.title}: {named} has the highest median in {times} of {len(rows)} places (operation and "
        "threads); medians alone, no test."
    )


def title_best(estimates: Estimates, factor: str) -> str:
    """Return which level of a factor has the highest estimate of each operation, as a title."""
    parts = []
    for name in _measured(estimates):
        cells = estimates.cells.estimate.sel(operation=name).squeeze()
        best = cells[factor].values[int(cells.fillna(-1).argmax(factor))]
        parts.append(f"{PLURALS.get(name, name)} with {format_factor(factor, best.item())}")
    return f"The highest medians: {', '.join(parts)}"


def describe_best(estimates: Estimates, factor: str) -> str:
    """Return which level of a factor has the highest estimate of each operation, as a sentence."""
    parts = []
    for name in _measured(estimates):
        cells = estimates.cells.sel(operation=name).squeeze()
        best = cells.isel({factor: int(cells.estimate.fillna(-1).argmax(factor))})
        least = float(cells.estimate.min())
        more = f", {float(best.estimate) / least:.3g} times the least" if least > 0 else ""
        shown = show_rate(float(best.estimate), estimates.unit)
        parts.append(
            f"the highest median of {PLURALS.get(name, name)} is that of {format_factor(factor, best[factor].item())}: "
            f"{shown}{more}"
        )
    return f"{estimates.question.title}: {'; '.join(parts)}."
