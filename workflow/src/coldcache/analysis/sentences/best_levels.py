"""Sentences and titles on the levels with the highest median.

Medians in memory, or of two modes, count only where all are.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_factor
from coldcache.analysis.sentences.peaks import list_higher
from coldcache.analysis.sentences.subjects import list_measured, name_operation
from coldcache.core.units import show_rate


def best_combinations(estimates: Estimates, factors: Sequence[str]) -> list[dict[str, Any]]:
    """Return the combination of levels with the highest estimate, for each operation and number of threads."""
    rows, telling = [], estimates.telling
    for name in list_measured(estimates):
        for threads in estimates.cells.threads.values.tolist():
            every, cells = (found.sel(operation=name, threads=threads) for found in (estimates.cells.estimate, telling))
            if not bool(every.notnull().any()):
                continue
            cells = cells if bool(cells.notnull().any()) else every
            place = cells.argmax(list(factors))
            best = cells.isel(place)
            levels = {factor: best[factor].item() for factor in factors}
            found = {"median": float(best), "lowest": float(cells.min())}
            rows.append({"operation": name, "threads": int(threads), **levels, **found})
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
    for name in list_measured(estimates):
        best, _, _ = _find_best(estimates, name, factor)
        higher = "".join(f" ({where})" for where in list_higher(estimates, name))
        named = name_operation(estimates, name, {factor: best})
        parts.append(f"{named} with {format_factor(factor, best)}{higher}")
    return f"The highest medians: {', '.join(parts)}"


def describe_best(estimates: Estimates, factor: str) -> str:
    """Return which level of a factor has the highest estimate of each operation, as a sentence."""
    parts = []
    for name in list_measured(estimates):
        best, *ends = _find_best(estimates, name, factor)
        shown, least = (show_rate(end, estimates.unit) for end in ends)
        named = name_operation(estimates, name, {factor: best})
        said = ", ".join([f"{shown}, the lowest {least}", *list_higher(estimates, name)])
        parts.append(f"the highest median of {named} is that of {format_factor(factor, best)}: {said}")
    return f"{estimates.question.title}: {'; '.join(parts)}."


def _find_best(estimates: Estimates, operation: str, factor: str) -> tuple[Any, float, float]:
    """Return the level of a factor with the highest estimate of an operation, that estimate, and the lowest."""
    cells = estimates.telling.sel(operation=operation).squeeze()
    best = cells.isel({factor: int(cells.fillna(-1).argmax(factor))})
    return best[factor].item(), float(best), float(cells.min())
