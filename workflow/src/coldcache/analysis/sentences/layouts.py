"""A sentence on what one shared file costs against one file per thread."""

from collections.abc import Iterable
from typing import Any

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import explain_no_interval, format_factor, format_level
from coldcache.analysis.sentences.subjects import list_measured, name_operation
from coldcache.core.units import show_span
from coldcache.core.vocabulary import FACTORS, LEARNT_FACTORS
from coldcache.statistics.intervals import Interval
from coldcache.statistics.ratios import paired_ratio

#: Factors in which layouts differ as such: a shared file holds what the files of all threads do.
_OF_LAYOUT = ("file_layout", "file_size")


def compare_layouts(one: Estimates, many: Estimates) -> str | None:
    """Return the ratio of one shared file to one file per thread over threads; None where no operation has both.

    Where a ratio would mean nothing, as of different tools or sizes of transfers, the sentence says why.
    """
    if reason := why_no_ratio(one, many):
        return f"One shared file and one file per thread are not compared: {reason}."
    same, few, parts = [], [], []
    for name in list_measured(one):
        if name not in many.cells.operation.values:
            continue
        ratios = layout_ratios(one, many, name)
        if ratios:
            span = show_span(ratio.estimate for _, ratio in ratios)
            fewest = min((ratio for _, ratio in ratios), key=lambda ratio: ratio.n)
            if fewest.low != fewest.low:
                why = explain_no_interval(fewest.n, fewest.rounds)
                pairs_each = "; ".join(filter(None, (f"{fewest.n} pairs each", why)))
                few.append(f"{name_operation(one, name)} {span} times ({pairs_each})")
                continue
            if all(ratio.low <= 1 <= ratio.high for _, ratio in ratios):
                same.append(name_operation(one, name))
                continue
            parts.append(f"{name_operation(one, name)} are {span} times as fast")
    if same:
        parts.insert(0, f"no measurable difference to {' and '.join(same)}")
    shared = [f"Sharing one file: {'; '.join(parts)}."] if parts else []
    if few:
        shared.append(
            f"Medians of one shared file over those of one file per thread: {', '.join(few)}; too few to compare."
        )
    return " ".join(shared) or None


def why_no_ratio(one: Estimates, other: Estimates) -> str | None:
    """Return why a ratio of the figures of two sweeps means nothing; None where it means something."""
    tools = [sweep.cube.attrs.get("tool", "") for sweep in (one, other)]
    if tools[0] != tools[1]:
        return f"{tools[0]} measured the former, {tools[1]} the latter"
    definitions = [sweep.runs.attrs.get("definition", "") for sweep in (one, other)]
    if definitions[0] != definitions[1]:
        return f"the former is defined as {definitions[0]}, the latter as {definitions[1]}"
    differing = [
        f"{format_factor(factor, level)} in the former, {format_level(factor, other_level)} in the latter"
        for factor, (level, other_level) in list_differences(one, other).items()
    ]
    return "; ".join(differing) or None


def list_differences(one: Estimates, other: Estimates) -> dict[str, tuple[Any, Any]]:
    """Return the factors of which two sweeps have a single level each that differs, with both levels.

    The layout of the files and their size, which follows from it, are none of them.
    """
    levels = [sweep.cube.attrs for sweep in (one, other)]
    return {
        factor: (levels[0][factor], levels[1][factor])
        for factor in (*FACTORS, *LEARNT_FACTORS)
        if factor not in _OF_LAYOUT and all(factor in known for known in levels)
        if levels[0][factor] != levels[1][factor]
    }


def pair_layouts(shared: Iterable[Estimates], own: Iterable[Estimates]) -> list[tuple[Estimates, Estimates]]:
    """Return each sweep of one shared file with one of a file per thread, the pairs that have a ratio first.

    Parameters
    ----------
    shared, own : iterable of Estimates
        The sweeps of each layout. A shared one is paired with the first that it has a ratio to, else with the first.
    """
    others = list(own)
    pairs = [
        (one, next((other for other in others if not why_no_ratio(one, other)), others[0]))
        for one in shared if others
    ]  # fmt: skip
    return sorted(pairs, key=lambda pair: why_no_ratio(*pair) is not None)


def layout_ratios(one: Estimates, many: Estimates, operation: str) -> list[tuple[int, Interval]]:
    """Return the ratio of two layouts at each number of threads that both have, paired by repetition.

    None where it would mean nothing.
    """
    if why_no_ratio(one, many):
        return []
    found = []
    for threads in sorted(set(one.cells.threads.values.tolist()) & set(many.cells.threads.values.tolist())):
        at = {"operation": operation, "threads": threads}
        above, below = (layout.runs.sel(at) for layout in (one, many))
        ratio = paired_ratio(above, below)
        if ratio.n:
            found.append((int(threads), ratio))
    return found
