"""What a study shows at a glance: its most telling sweeps, and the best figure of each operation."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import xarray as xr

from coldcache.analysis.estimates import Estimates, median_interval
from coldcache.analysis.figures.panels import assign_roles
from coldcache.analysis.format import format_factor
from coldcache.analysis.questions.select import SweepSelection
from coldcache.analysis.questions.sweep_parts import drop_levels
from coldcache.analysis.sentences.subjects import OF_ONE_TREE
from coldcache.core.vocabulary import DATA_OPERATIONS, METADATA_OPERATIONS, OPERATIONS, SET_FACTORS

#: Figures and numbers of an overview.
MOST_FIGURES, MOST_NUMBERS = 4, 8

#: Metrics of which the highest figure is the best, and those of which the lowest is.
_RATES = ("throughput", "rate")
_TIMES = ("elapsed", "latency")


def choose_overview(every: SweepSelection) -> SweepSelection:
    """Return up to four sweeps of a study that show it at a glance.

    The first are one each about throughput, random requests, metadata and a setting of the system (the one that changes
    most), as far as the study has them; others follow in the order of the study. Sweeps of rates go before sweeps of
    times and counts. Each sweep keeps a factor along x and one with a line per level. Further factors are at the level
    of the best figure, and the sweep's title says so.

    Parameters
    ----------
    every : SweepSelection
        All sweeps of the study, as `choose_all` returns them.
    """
    rates = [sweep for sweep in every.found if sweep.metric in _RATES]
    found = [sweep for sweep in rates if _varies(sweep)] or rates or every.found
    rising = sorted(reversed(found), key=_effect)  # noqa: C414 -- of equal ones the first is to come last
    kinds = {kind: sweep for sweep in rising if (kind := _kind(sweep))}
    first = [kinds[kind] for kind in _KINDS if kind in kinds]
    chosen = [*first, *(sweep for sweep in found if sweep not in first)][:MOST_FIGURES]
    return SweepSelection(every.study, [_cut(sweep) for sweep in chosen], every.absent if not found else [])


#: Kinds of sweeps in the order in which an overview shows them.
_KINDS = ("throughput", "random", "metadata", "setting")


def _kind(sweep: Estimates) -> str | None:
    operations = set(sweep.operations())
    if any(sweep.cells.sizes.get(factor, 1) > 1 for factor in SET_FACTORS):
        return "setting"
    if operations <= set(METADATA_OPERATIONS):
        return "metadata"
    if operations <= set(DATA_OPERATIONS):
        return "throughput" if sweep.metric == "throughput" else "random" if sweep.metric == "rate" else None
    return None


def _effect(sweep: Estimates) -> float:
    """Return how many times the greatest figure is the least over the levels of a setting; 1 without a setting."""
    factors = [factor for factor in SET_FACTORS if sweep.cells.sizes.get(factor, 1) > 1]
    spans = sweep.cells.estimate.max(factors) / sweep.cells.estimate.min(factors) if factors else None
    return float(spans.max()) if spans is not None and bool(spans.notnull().any()) else 1.0


def _varies(sweep: Estimates) -> bool:
    return any(sweep.cells.sizes[dim] > 1 for dim in sweep.cells.estimate.dims if dim != "operation")


def _cut(sweep: Estimates) -> Estimates:
    """Return a sweep with one factor along x, or in rows, and one that has lines; others are at one level."""
    roles = assign_roles(sweep.cells)
    factors = [str(dim) for dim in sweep.cells.estimate.dims if dim != "operation" and sweep.cells.sizes[dim] > 1]
    shown = {roles.x or (factors or [""])[0], "" if sweep.cells.sizes["operation"] > 1 else roles.lines}
    others = [factor for factor in factors if factor not in shown]
    if not others:
        return sweep
    best = find_best(sweep.telling, sweep.metric)
    levels = {dim: best[dim] for dim in others}
    cube = drop_levels(sweep.cube.sel({dim: [level] for dim, level in levels.items()}), sweep.metric)
    words = ", ".join(format_factor(dim, level) for dim, level in levels.items())
    question = replace(sweep.question, title=f"{sweep.question.title}, {words}")
    return replace(sweep, cube=cube, cells=median_interval(cube[sweep.metric]), question=question)


def find_best(estimates: xr.DataArray, metric: str) -> dict[str, Any]:
    """Return the levels of the best figure: the highest rate, or the shortest time.

    Raises
    ------
    ValueError
        If there is no figure.
    """
    place = estimates.argmin(...) if metric in _TIMES else estimates.argmax(...)
    best = estimates.isel(place)
    return {str(dim): best[dim].item() for dim in estimates.dims}


def list_headlines(every: Iterable[Estimates]) -> list[tuple[Estimates, dict[str, Any]]]:
    """Return the best figure of up to eight operations: the sweep that has it, and the levels of its case.

    Sweeps of a single case, such as a sentinel, count only for operations that no other sweep has, and after them those
    that vary a setting of the system. A figure with an interval goes before one without. In a study without rates the
    shortest time is the best; counts have no best, and operations on one tree are left out.

    Parameters
    ----------
    every : iterable of Estimates
        All sweeps of the study.
    """
    sweeps = list(every)
    found = [one for one in sweeps if one.metric in _RATES] or [one for one in sweeps if one.metric in _TIMES]
    plain = [sweep for sweep in found if _kind(sweep) != "setting"]
    best: dict[tuple[str, str], tuple[Estimates, dict[str, Any]]] = {}
    for sweeps in ([sweep for sweep in plain if _varies(sweep)], plain, found):
        earlier = set(best)
        for sweep, operation in _list_operations(sweeps):
            case = (sweep, find_best(sweep.telling.sel(operation=[operation]), sweep.metric))
            key = (operation, sweep.metric)
            if key not in best or (key not in earlier and _rank(*case) > _rank(*best[key])):
                best[key] = case
    order = {name: place for place, name in enumerate(OPERATIONS)}
    places = sorted(best, key=lambda key: order.get(key[0], len(order)))
    return [best[place] for place in places][:MOST_NUMBERS]


def _list_operations(sweeps: Iterable[Estimates]) -> Iterator[tuple[Estimates, str]]:
    for sweep in sweeps:
        for operation in sweep.operations():
            is_known = bool(sweep.cells.estimate.sel(operation=operation).notnull().any())
            if is_known and operation not in OF_ONE_TREE:
                yield sweep, operation


def _rank(sweep: Estimates, levels: dict[str, Any]) -> tuple[bool, float]:
    """Return the sort key of a figure: those with an interval first, then the better one."""
    cell = sweep.cells.sel(levels)
    figure = float(cell.estimate)
    return bool(cell.low.notnull()), -figure if sweep.metric in _TIMES else figure
