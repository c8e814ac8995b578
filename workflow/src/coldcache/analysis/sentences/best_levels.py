"""Sentences and titles on the levels with the highest median."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_factor
from coldcache.analysis.sentences.subjects import list_measured, name_operation
from coldcache.core.units import show_rate


def best_combinations(estimates: Estimates, factors: Sequence[str]) -> list[dict[str, Any]]:
    """Return the combination of levels with the highest estimate, for each operation and number of threads."""
    rows = []
    for name in list_measured(estimates):
        for threads in estimates.cells.threads.values.tolist():
            cells = estimates.cells.estimate.sel(operation=name, threads=threads)
            if not bool(cells.notnull().any()):
                continue
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
        cells = estimates.cells.estimate.sel(operation=name).squeeze()
        best = cells[factor].values[int(cells.fillna(-1).argmax(factor))]
        parts.append(f"{name_operation(estimates, name)} with {format_factor(factor, best.item())}")
    return f"The highest medians: {', '.join(parts)}"


def describe_best(estimates: Estimates, factor: str) -> str:
    """Return which level of a factor has the highest estimate of each operation, as a sentence."""
    parts = []
    for name in list_measured(estimates):
        cells = estimates.cells.sel(operation=name).squeeze()
        best = cells.isel({factor: int(cells.estimate.fillna(-1).argmax(factor))})
        shown, least = (show_rate(float(found), estimates.unit) for found in (best.estimate, cells.estimate.min()))
        parts.append(
            f"the highest median of {name_operation(estimates, name)} is that of "
            f"{format_factor(factor, best[factor].item())}: {shown}, the lowest {least}"
        )
    return f"{estimates.question.title}: {'; '.join(parts)}."
