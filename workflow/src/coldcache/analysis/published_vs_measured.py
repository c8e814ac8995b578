"""Published values compared with the measured ones."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from coldcache.analysis.estimates import Estimates
from coldcache.analysis.format import format_factor, format_level
from coldcache.dataset.published import PublishedValue, level_of, operation_of
from coldcache.statistics.intervals import interval_over, reached_level
from coldcache.statistics.scaling.describe import describe_scaling

#: Statistics of a scaling curve, by the document's word: the variable of `describe_scaling`.
_OF_CURVE = {
    "peak": "peak", "sustained": "sustained", "plateau from": "plateau_from", "rises up to": "plateau_from",
    "drop from plateau": "last_to_plateau",
}  # fmt: skip

COLUMNS = [
    "item", "operation", "at", "statistic", "published", "grade", "value", "unit", "measured", "low", "high",
    "level", "n", "note",
]  # fmt: skip


def compare_published(estimates: Estimates) -> pd.DataFrame:
    """Return one row per published value of a sweep.

    Returns
    -------
    DataFrame
        Columns `COLUMNS`: ``value`` as the document states it and ``measured`` with its interval in the stored
        ``unit``, its level and the number of runs; NaN where the campaign has no such level or no such statistic;
        ``published`` and ``grade`` in words.
    """
    described = None
    rows = []
    for value in estimates.published:
        if not _is_comparable(value, estimates):
            continue
        operation = operation_of(value)
        if value.statistic in _OF_CURVE and described is None and _is_curve(estimates):
            described = describe_scaling(estimates.runs)
        rows.append(_row(value, *_find(estimates, value, operation, described)))
    return pd.DataFrame(rows, columns=COLUMNS)


def list_published(values: Iterable[PublishedValue]) -> pd.DataFrame:
    """Return the same rows for published values that were not measured."""
    return pd.DataFrame([_row(value) for value in values], columns=COLUMNS)


def _row(
    value: PublishedValue, measured: float = np.nan, low: float = np.nan, high: float = np.nan, n: int = 0
) -> dict[str, Any]:
    return {
        "item": value.item, "operation": operation_of(value) or "", "at": _where(value), "statistic": value.statistic,
        "published": f"{value.relation} {value.shown}".removeprefix("= "), "grade": value.grade,
        "value": value.high, "unit": value.unit, "measured": measured, "low": low, "high": high,
        "level": reached_level(n) if low == low else np.nan, "n": n, "note": value.note,
    }  # fmt: skip


def _is_comparable(value: PublishedValue, estimates: Estimates) -> bool:
    """Return whether a value is of the metric, of a time that the sweep took, or of the shape of its curve."""
    return value.unit in (estimates.unit, "s") or value.statistic in _OF_CURVE


def _is_curve(estimates: Estimates) -> bool:
    return set(estimates.cells.estimate.dims) == {"operation", "threads"}


def _where(value: PublishedValue) -> str:
    words = [f"{value.threads:,} thread{'s' if value.threads != 1 else ''}"] if value.threads else []
    return ", ".join(
        words
        + [
            format_level(factor, level) if isinstance(level, str) else format_factor(factor, level)
            for factor, level in level_of(value).items()
        ]
    )


def _find(
    estimates: Estimates, value: PublishedValue, operation: str | None, described: xr.Dataset | None
) -> tuple[float, float, float, int]:
    """Return the measured counterpart of a published value with its interval and runs; NaN where there is none."""
    nothing = (np.nan, np.nan, np.nan, 0)
    if operation not in estimates.cells.operation.values:
        return nothing
    if value.statistic in _OF_CURVE:
        name = _OF_CURVE[value.statistic]
        if described is None:
            return nothing
        row = described.sel(operation=operation)
        found = [float(row[part]) if part in row else np.nan for part in (name, f"{name}_low", f"{name}_high")]
        if name == "last_to_plateau":
            found = [1 - found[0], 1 - found[2], 1 - found[1]]
        runs = int(estimates.cells.n.sel(operation=operation).max()) if found[0] == found[0] else 0
        return found[0], found[1], found[2], runs
    if value.statistic == "elapsed" and "elapsed" in estimates.cube:
        cell = interval_over(estimates.cube.elapsed).sel(operation=operation)
    elif value.statistic == "value" and value.unit == estimates.unit:
        cell = estimates.cells.sel(operation=operation)
    else:
        return nothing
    wanted = {"threads": value.threads, **level_of(value)}
    for dim in [str(dim) for dim in cell.estimate.dims]:
        if wanted.get(dim) not in cell[dim].values.tolist():
            return nothing
        cell = cell.sel({dim: wanted[dim]})
    return float(cell.estimate), float(cell.low), float(cell.high), int(cell.n)
