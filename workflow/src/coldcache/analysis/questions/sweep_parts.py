"""The parts of a sweep, one figure each: operations of one metric and kind; and operations without a valid figure."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import xarray as xr

from coldcache.analysis.figures.style import MOST_LINES
from coldcache.core.records import UNIT_OF_METRIC
from coldcache.core.vocabulary import METRIC_OF_OPERATION
from coldcache.dataset.reader import COUNTED

#: Kinds of operations, by how their names begin; any other is sequential.
_KINDS = {
    "files": ("file-",), "directories": ("directory-", "tree-"), "calls": ("rpc-",),
    "random": ("random-", "stride-", "reverse-", "record-"), "buffered": ("fread", "freread", "fwrite", "frewrite"),
}  # fmt: skip


class Part(NamedTuple):
    """Operations of a sweep that one figure shows: of one metric and one kind, empty where all kinds fit."""

    metric: str
    kind: str
    operations: set[str]
    name: str

    def is_for(self, operation: str) -> bool:
        """Return whether an operation belongs here by the metric that it is judged by and by its kind."""
        return METRIC_OF_OPERATION.get(operation) == self.metric and self.kind in ("", _find_kind(operation))


def list_parts(cube: xr.Dataset) -> list[Part]:
    """Return the operations of a cube that count, by the metric that they are judged by, or else the first stated."""
    metrics: dict[str, set[str]] = {}
    for operation, found in _share_stated(cube).items():
        judged_by = METRIC_OF_OPERATION.get(operation, "")
        shares = {metric: found[metric] for metric in dict.fromkeys([judged_by, *UNIT_OF_METRIC]) if metric in found}
        if max(shares.values(), default=0.0) > 0:
            # The first that every trial states, else the first that any states.
            stated = [metric for metric, share in shares.items() if share]
            metric = next((metric for metric in stated if shares[metric] == 1), stated[0])
            metrics.setdefault(metric, set()).add(operation)
    kinds = [(metric, kind, names) for metric, found in metrics.items() for kind, names in _split_kinds(found).items()]
    return [
        Part(metric, kind, names, "-".join(filter(None, (metric if len(metrics) > 1 else "", kind))))
        for metric, kind, names in kinds
    ]


def _share_stated(cube: xr.Dataset) -> dict[str, dict[str, float]]:
    """Return which share of the trials that count states each metric, for each operation of a cube."""
    if not (operations := _list_operations(cube)):
        return {}
    counted = cube.verdict.isin(COUNTED)
    others = [dim for dim in counted.dims if dim != "operation"]
    whole = np.maximum(counted.sum(others).values, 1)
    shares = {
        metric: (cube[metric].notnull() & counted).sum(others).values / whole
        for metric in UNIT_OF_METRIC if metric in cube
    }  # fmt: skip
    return {
        operation: {metric: float(share[place]) for metric, share in shares.items()}
        for place, operation in enumerate(operations)
    }


def _split_kinds(operations: set[str]) -> dict[str, set[str]]:
    """Return operations by their kind if they are more than a figure can distinguish, else all of them together."""
    if len(operations) <= MOST_LINES:
        return {"": operations}
    kinds: dict[str, set[str]] = {}
    for operation in sorted(operations):
        kinds.setdefault(_find_kind(operation), set()).add(operation)
    return kinds


def _find_kind(operation: str) -> str:
    return next((kind for kind, starts in _KINDS.items() if operation.startswith(starts)), "sequential")


def _list_operations(cube: xr.Dataset) -> list[str]:
    return [str(name) for name in np.atleast_1d(cube.operation.values)] if "operation" in cube.coords else []


def drop_levels(cube: xr.Dataset, metric: str) -> xr.Dataset:
    """Return a cube without the levels at which it has no case: no trial, or only such that count and state no metric.

    Levels at which trials are void or missing stay. A factor of which one level is left becomes an attribute.
    """
    shown = (cube.verdict != "") & ~(cube.verdict.isin(COUNTED) & cube[metric].isnull())
    for dim in shown.dims:
        if dim not in ("operation", "repetition"):
            kept = np.flatnonzero(shown.any([other for other in shown.dims if other != dim]))
            if len(kept) == 1 < cube.sizes[dim]:
                level = cube[dim].values.tolist()[kept[0]]
                # A level that logs do not state is NaN.
                stated = {str(dim): level} if level == level else {}
                cube = cube.isel({dim: kept[0]}, drop=True).assign_attrs(stated)
            elif len(kept):
                cube = cube.isel({dim: kept})
    return cube


def list_silent(cube: xr.Dataset, parts: Sequence[Part], verdicts: pd.DataFrame) -> dict[str, str]:
    """Return why an operation of a cube has no valid figure, for each such operation."""
    counted = {name for part in parts for name in part.operations}
    found = {}
    for operation in _list_operations(cube):
        cases = set(np.ravel(cube.case.sel(operation=operation).values)) - {""}
        trials = verdicts[(verdicts.sweep == cube.attrs["sweep"]) & verdicts.case.isin(cases)]
        if operation not in counted and len(trials) and not counts(trials):
            found[operation] = name_reason(trials)
    return found


def counts(trials: pd.DataFrame) -> bool:
    """Return whether any of some trials counts."""
    return bool(trials.verdict.isin(COUNTED).any())


def name_reason(trials: pd.DataFrame) -> str:
    """Return why none of some trials counts: the commonest reason, of a trial with several its first."""
    whose = f"none of {len(trials)} runs counts" if len(trials) > 1 else "its only run does not count"
    return f"{whose}: {trials.reasons.str.partition('; ')[0].mode().iloc[0]}"
