"""Sentences and titles on the levels with the highest median.

Medians in memory, or of two modes, count only where all are.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_factor
from coldcache.analysis.sentences.peaks import list_higher
from coldcache.analysis.sentences.subjects import list_measured, list_varied, name_level, name_operation
from coldcache.core.units import show_rate


def best_combinations(estimates: Estimates, factors: Sequence[str]) -> list[dict[str, Any]]:
    """Return the combination of levels with the highest estimate, for each operation and number of threads.

    It has the levels of those factors that the sweep varies.
    """
    rows, telling, varied = [], estimates.telling, _list_dims(estimates, factors)
    for name in list_measured(estimates):
        for threads in estimates.cells.threads.values.tolist():
            every, cells = (found.sel(operation=name, threads=threads) for found in (estimates.cells.estimate, telling))
            if not bool(every.notnull().any()):
                continue
            cells = cells if bool(cells.notnull().any()) else every
            best = cells.isel(cells.fillna(-1).argmax(...))
            levels = {factor: best[factor].item() for factor in varied}
            found = {"median": float(best), "lowest": float(cells.min())}
            rows.append({"operation": name, "threads": int(threads), **levels, **found})
    return rows


def describe_best_combination(estimates: Estimates, factors: Sequence[str]) -> str | None:
    """Return which combination of levels is the fastest most often, as a sentence; None where nothing counts."""
    rows, varied = best_combinations(estimates, factors), _list_dims(estimates, factors)
    if not rows:
        return None
    counts = Counter(tuple(row[factor] for factor in varied) for row in rows)
    levels, times = counts.most_common(1)[0]
    named = " and ".join(format_factor(factor, level) for factor, level in zip(varied, levels, strict=True))
    return (
        f"{estimates.question.title}: {named} has the highest median in {times} of {len(rows)} places (operation and "
        "threads); medians alone, no test."
    )


def _list_dims(estimates: Estimates, factors: Sequence[str]) -> list[str]:
    return [factor for factor in factors if factor in estimates.cells.estimate.dims]


def title_best(estimates: Estimates, factor: str) -> str:
    """Return which level of a factor has the highest estimate of each operation, as a title.

    The levels of other factors that vary are named after it.
    """
    parts = []
    for name in list_measured(estimates):
        place, _, _ = _find_best(estimates, name)
        higher = "".join(f" ({where})" for where in list_higher(estimates, name))
        parts.append(f"{name_operation(estimates, name, place)} with {_name_best(estimates, factor, place)}{higher}")
    return f"The highest medians: {', '.join(parts)}"


def describe_best(estimates: Estimates, factor: str) -> str:
    """Return which level of a factor has the highest estimate of each operation, as a sentence.

    The levels of other factors that vary are named after it.
    """
    parts = []
    for name in list_measured(estimates):
        place, *ends = _find_best(estimates, name)
        shown, least = (show_rate(end, estimates.unit) for end in ends)
        named = name_operation(estimates, name, place)
        said = ", ".join([f"{shown}, the lowest {least}", *list_higher(estimates, name)])
        parts.append(f"the highest median of {named} is that of {_name_best(estimates, factor, place)}: {said}")
    return f"{estimates.question.title}: {'; '.join(parts)}."


def _find_best(estimates: Estimates, operation: str) -> tuple[dict[str, Any], float, float]:
    """Return the levels of the case with the highest estimate of an operation, that estimate, and the lowest."""
    cells = estimates.telling.sel(operation=operation)
    best = cells.isel(cells.fillna(-1).argmax(...))
    return {str(dim): best[dim].item() for dim in cells.dims}, float(best), float(cells.min())


def _name_best(estimates: Estimates, factor: str, place: Mapping[str, Any]) -> str:
    """Return the level of a factor at a place and those of others that vary: ``stripe count 2 and 4 threads``."""
    others = [name_level(name, place[name]) for name in list_varied(estimates) if name != factor]
    return " and ".join([format_factor(factor, place[factor]), *others])
