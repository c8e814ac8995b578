"""Sentences and titles on the highest and the lowest estimates of a sweep."""

from collections.abc import Callable
from html import escape
from typing import Any

import numpy as np
import xarray as xr

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_interval, format_suspect
from coldcache.analysis.results import Peak
from coldcache.analysis.sentences.subjects import (
    capitalise,
    list_measured,
    name_level,
    name_operation,
    title_with_scale,
)
from coldcache.core.units import show_rate


def describe_peaks(estimates: Estimates) -> str:
    """Return the highest estimate of each operation over threads, and the scale, as a sentence."""
    found = [(name, estimates.peak(name)) for name in list_measured(estimates)]
    parts = [
        f"{_name_at(estimates, peak, name)} {peak.verb} {estimates.format_peak(peak)} with {peak.at}"
        for name, peak in found
    ]
    return f"{title_with_scale(estimates)}: {', '.join(parts)}."


def describe_extremes(estimates: Estimates) -> str:
    """Return the lowest and the highest estimate of each operation over all factors, with their levels.

    An operation of which no figure counts is named with the reason.
    """
    parts = []
    for name in list_measured(estimates):
        ends = _ends(estimates, name)
        highest, *others = (_with_levels(estimates, place, estimates.format_cell) for place in ends)
        differ = len({show_rate(float(estimates.cells.estimate.sel(place)), estimates.unit) for place in ends}) > 1
        span = f"range from {others[0]} to {highest}" if differ else f"{_verb(estimates)} {highest}"
        parts.append(f"{name_operation(estimates, name, ends[0])} {span}")
    silent = [escape(part, quote=False) for part in estimates.describe_silent()]
    return ". ".join([f"{title_with_scale(estimates)}: {'; '.join(parts)}", *silent]) + "."


def title_extremes(estimates: Estimates, most: int = 2) -> str:
    """Return the highest estimates of the `most` fastest operations with their levels, as a title."""

    def show(place: dict[str, Any]) -> str:
        return show_rate(float(estimates.cells.estimate.sel(place)), estimates.unit)

    parts = [
        f"{name_operation(estimates, name, place)} {_verb(estimates)} "
        f"{', '.join([_with_levels(estimates, place, show), *list_higher(estimates, name)])}"
        for name in list_measured(estimates)[:most]
        for place in _ends(estimates, name)[:1]
    ]
    return capitalise("; ".join(parts))


def list_higher(estimates: Estimates, operation: str) -> list[str]:
    """Return where an operation has estimates above its highest telling one, as the end of a title; empty without.

    Parameters
    ----------
    estimates : Estimates
        The sweep.
    operation : str
        One of those with an estimate.
    """
    every = estimates.cells.estimate.sel(operation=operation)
    top = float(estimates.telling.sel(operation=operation).max())
    places = np.flatnonzero(every.values > top)
    if not places.size:
        return []
    is_memory = any(estimates.is_in_memory(_levels_at(every, operation, place)) for place in places)
    return [f"more {'in memory' if is_memory else 'where runs form two groups'}"]


def title_range(estimates: Estimates) -> str:
    """Return the lowest and the highest estimate of each operation over all cases, as a title."""
    parts = []
    for name in list_measured(estimates)[:2]:
        cells = estimates.cells.estimate.sel(operation=name)
        low, high = (show_rate(float(end), estimates.unit) for end in (cells.min(), cells.max()))
        parts.append(f"{name_operation(estimates, name)}: {low} to {high}")
    return capitalise("; ".join(parts))


def describe_rates(estimates: Estimates) -> str:
    """Return the highest estimate of each operation, the fastest first, and at which scale, as a sentence."""
    parts = []
    for name in list_measured(estimates):
        cells, telling = estimates.cells.sel(operation=name), estimates.telling.sel(operation=name)
        best = cells.where(telling == telling.max(), drop=True).squeeze()
        levels = {str(dim): best[dim].item() for dim in cells.dims}
        flag = format_suspect(estimates.count_suspect({"operation": name, **levels}), int(best.n))
        shown = format_interval(
            float(best.estimate), float(best.low), float(best.high), estimates.unit, int(best.n), flag=flag,
            runs=estimates.runs_of({"operation": name, **levels}), rounds=estimates.rounds,
        )  # fmt: skip
        parts.append(f"{name_operation(estimates, name, levels)} {shown}")
    return f"{title_with_scale(estimates)}: {', '.join(parts)}."


def describe_order(estimates: Estimates) -> str:
    """Return the highest estimate of each operation over threads, the fastest first, as a title."""
    parts, verb = [], ""
    for name in list_measured(estimates):
        peak = estimates.peak(name)
        said = f"{peak.verb} " if peak.verb != verb else ""
        verb = peak.verb
        parts.append(f"{_name_at(estimates, peak, name)} {said}{show_rate(peak.estimate, estimates.unit)}")
    return capitalise(", ".join(parts))


def _name_at(estimates: Estimates, peak: Peak, operation: str) -> str:
    return name_operation(estimates, operation, {"threads": peak.threads})


def _verb(estimates: Estimates) -> str:
    return "take up to" if estimates.metric in ("elapsed", "latency") else "reach"


def _ends(estimates: Estimates, operation: str) -> list[dict[str, Any]]:
    """Return the levels of the cases with the highest and the lowest estimate of an operation, or of its only case.

    Those in memory count only where all are.
    """
    cells = estimates.telling.sel(operation=operation)
    ends = [np.nanargmax(cells.values), *([np.nanargmin(cells.values)] if int(cells.count()) > 1 else [])]
    return [_levels_at(cells, operation, end) for end in ends]


def _levels_at(cells: xr.DataArray, operation: str, place: np.intp) -> dict[str, Any]:
    """Return the levels of one of an operation's cells, by its place among them."""
    indices = zip(cells.dims, np.unravel_index(place, cells.shape), strict=True)
    return {"operation": operation, **{str(dim): cells[dim][index].item() for dim, index in indices}}


def _with_levels(estimates: Estimates, place: dict[str, Any], show: Callable[[dict[str, Any]], str]) -> str:
    """Return an estimate with the levels of its case: ``1.2 GB/s with 4 threads, transfer size 1 MiB``."""
    varied = [name for name in place if name != "operation" and estimates.cells.sizes[name] > 1]
    levels = ", ".join(name_level(name, place[name]) for name in varied)
    return f"{show(place)} with {levels}" if levels else show(place)
