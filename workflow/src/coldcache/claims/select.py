"""Select the values of a campaign that a claim compares, and pair them by repetition."""

from typing import Any, NamedTuple

import numpy as np
import xarray as xr

from coldcache.claims.context import ClaimContext
from coldcache.core.errors import NoData
from coldcache.core.units import state_bytes
from coldcache.core.vocabulary import FACTORS
from coldcache.dataset.reader import COUNTED, OPERATIONS_DIM, narrow_to
from coldcache.design.claim_tests import Selection, choose_metric
from coldcache.design.levels import stored_level
from coldcache.statistics.array import Array


class ResolvedSelection(NamedTuple):
    """A selection with every key filled in."""

    study: str
    sweep: str
    operation: str
    metric: str
    levels: dict[str, Any]

    @property
    def name(self) -> str:
        """The operation with its fixed levels: ``write, threads 24``."""
        parts = [self.operation, *(f"{factor} {level}" for factor, level in self.levels.items())]
        return ", ".join(filter(None, parts))


def resolve_selection(source: str, *selections: Selection) -> ResolvedSelection:
    """Return the last selection, with its missing keys taken from the ones before it.

    Raises
    ------
    NoData
        If no sweep is named.
    """
    found: dict[str, Any] = {"study": source, "sweep": None, "operation": "", "metric": None}
    levels: dict[str, Any] = {}
    for selection in selections:
        found |= {key: value for key in found if (value := getattr(selection, key)) is not None}
        levels |= selection.levels
    if found["sweep"] is None:
        raise NoData("the claim names no sweep")
    metric = choose_metric(found["metric"], found["operation"])
    return ResolvedSelection(found["study"], found["sweep"], found["operation"], metric, levels)


def read_values(context: ClaimContext, chosen: ResolvedSelection) -> xr.DataArray:
    """Return the values of a selection, in the stored unit of the metric.

    Returns
    -------
    DataArray
        Dims: every remaining factor with more than one level, and ``repetition``; ``operations``, too, where trials of
        several operations state such values, as those that write and those that read count the same calls.

    Raises
    ------
    NoData
        If the campaign has no such values; the message says why.
    """
    cube = context.cube(chosen.study, chosen.sweep)
    where = f"{chosen.study}/{chosen.sweep}"
    if chosen.metric not in cube or chosen.operation not in cube.operation:
        reason = context.why_empty(chosen.study, chosen.sweep)
        raise NoData(reason or f"no trial of {where} that counts states the {chosen.metric} of {chosen.operation}")
    if chosen.metric == "count":
        cube = cube.assign(count=_count_zeros(cube, chosen))
    cube = _of_operation(cube, chosen)
    values = _narrow(cube[chosen.metric], cube, chosen)
    if not bool(values.notnull().any()):
        if context.leaves_memory_out and _stayed_in_memory(cube, chosen):
            raise NoData(f"{where} with {chosen.name} stayed in memory, which decides claims about caches only")
        reason = context.why_empty(chosen.study, chosen.sweep)
        raise NoData(reason or f"no trial of {where} with {chosen.name} counts")
    return values


def _of_operation(cube: xr.Dataset, chosen: ResolvedSelection) -> xr.Dataset:
    """Return a cube without the dim ``operations`` where the values of a selection are of one of them."""
    if OPERATIONS_DIM not in cube.dims:
        return cube
    narrow = narrow_to(cube.sel(operation=[chosen.operation]), chosen.metric)
    return narrow if chosen.operation in narrow.operation else cube


def _narrow(values: xr.DataArray, cube: xr.Dataset, chosen: ResolvedSelection) -> xr.DataArray:
    """Return a variable of a cube at the operation and the levels of a selection."""
    values = values.sel(operation=chosen.operation, drop=True)
    for factor, level in chosen.levels.items():
        values = _fix(values, cube, factor, level, f"{chosen.study}/{chosen.sweep}")
    return values.squeeze([dim for dim in values.dims if dim != "repetition" and values.sizes[dim] == 1], drop=False)


def _stayed_in_memory(cube: xr.Dataset, chosen: ResolvedSelection) -> bool:
    """Return whether a trial of a selection that counts moved its bytes in memory alone."""
    if "reached" not in cube:
        return False
    there = (cube.reached == "memory") & cube.verdict.isin(COUNTED)
    return bool(_narrow(there, cube, chosen).any())


def list_empty_cells(context: ClaimContext, chosen: ResolvedSelection, values: xr.DataArray) -> list[str]:
    """Return the levels that distinguish each case of a selection of which no trial has a value that counts.

    Parameters
    ----------
    context : ClaimContext
        The campaign.
    chosen : ResolvedSelection
        The selection.
    values : DataArray
        Its values, as `read_values` returns them.
    """
    cube = _of_operation(context.cube(chosen.study, chosen.sweep), chosen)
    planned = (_narrow(cube["case"], cube, chosen) != "").any("repetition")
    empty = planned & ~values.notnull().any("repetition")
    return [name for name, _ in list_cells(empty.where(empty).expand_dims("repetition"))]


def _count_zeros(cube: xr.Dataset, chosen: ResolvedSelection) -> xr.DataArray:
    """Return counts in which an RPC that a trial did not make, though its calls were counted, is zero."""
    counts = cube["count"]
    calls = [str(name) for name in cube.operation.values if str(name).startswith("rpc-") or name == "transports"]
    if not chosen.operation.startswith("rpc-"):
        return counts
    counted = counts.sel(operation=calls).notnull().any("operation")
    return counts.where(counts.notnull() | ~counted, 0.0).assign_attrs(counts.attrs)


def _fix(values: xr.DataArray, cube: xr.Dataset, factor: str, level: Any, where: str) -> xr.DataArray:
    wanted = stored_level(factor, level) if factor in FACTORS else level
    if factor not in values.dims:
        found = [cube.attrs[factor]] if factor in cube.attrs else []
    else:
        found = list(values[factor].values)
    for place, one in enumerate(found):
        if _same(one, wanted):
            return values.isel({factor: place}) if factor in values.dims else values
    have = ", ".join(_show(one) for one in found)
    raise NoData(f"{where} has {factor} {have}, not {level}" if have else f"{where} does not vary {factor}")


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, int | float | np.number) and isinstance(other, int | float) and not isinstance(other, bool):
        return float(one) == float(other)
    return str(one).lower() == str(other).lower()


def _show(level: Any) -> str:
    return f"{level:g}" if isinstance(level, float | np.floating) else str(level)


def read_curve(context: ClaimContext, chosen: ResolvedSelection, values: xr.DataArray | None = None) -> xr.DataArray:
    """Return the rates of a curve over ascending thread counts, with the dims ``threads`` and ``repetition``.

    `values` are read by `read_values` unless they are given.

    Raises
    ------
    NoData
        As `read_values`, or if there is one thread count, or more than one level of another factor.
    """
    values = read_values(context, chosen) if values is None else values
    where = f"{chosen.study}/{chosen.sweep}"
    if "threads" not in values.dims:
        raise NoData(f"{where} has one number of threads only")
    others = [str(dim) for dim in values.dims if dim not in ("threads", "repetition")]
    if others:
        # A factor that follows from the threads, such as directories per thread, leaves one case per thread count.
        if int(values.notnull().any("repetition").sum(others).max()) > 1:
            raise NoData(f"{where} has more than one level of {', '.join(others)}: the claim must name one")
        values = values.max(others, keep_attrs=True)
    values = values.sortby("threads").transpose("threads", "repetition")
    there = (values.threads > 0) & values.notnull().any("repetition")
    return values[there.values]


def pair(above: xr.DataArray, below: xr.DataArray, over: str) -> tuple[Array, int]:
    """Return the logarithm of a ratio for each repetition, and the number of trials used.

    Parameters
    ----------
    above, below : DataArray
        In the same unit; values of the same ``repetition`` are paired.
    over : str
        ``every``: the mean over all common cases, equally weighted; ``most``: the highest common thread count.

    Raises
    ------
    NoData
        If one side has several levels of a factor and the other one, if they have no case in common, or no round has
        both.
    """
    refuse_unpaired(above, below)
    above, below = xr.align(above, below, join="inner")
    if over == "most" and "threads" in above.dims and above.sizes["threads"]:
        both = (above.notnull() & below.notnull()).any([dim for dim in above.dims if dim != "threads"])
        if not bool(both.any()):
            raise NoData("no round has both at one number of threads")
        last = above.threads.where(both).max()
        above, below = above.sel(threads=last), below.sel(threads=last)
    if 0 in above.sizes.values():
        raise NoData("the two have no case in common")
    logs = log_of(above) - log_of(below)
    return average_cases(logs), 2 * int(logs.notnull().sum())


def refuse_unpaired(above: xr.DataArray, below: xr.DataArray) -> None:
    """Raise `NoData` if only one of two sides has several levels of a factor: its values have no pairs."""
    if others := set(above.dims) ^ set(below.dims):
        raise NoData(
            f"only one side has several levels of {' and '.join(sorted(map(str, others)))}, so they have no pairs"
        )


def average_cases(logs: xr.DataArray) -> Array:
    """Return the mean over the cases of each round, shape (repetitions,); NaN for rounds without any.

    A round that lacks a case is not compared with others as if it had that case: its deviations from the mean of each
    case that it has are averaged.
    """
    others = [dim for dim in logs.dims if dim != "repetition"]
    of_case = logs.mean("repetition")
    averaged = (logs - of_case).mean(others) + of_case.mean()
    return np.asarray(averaged.values, dtype=np.float64)


def fit_slopes(x: Array, logs: Array) -> Array:
    """Return the slope of each round of a curve, shape (rounds,); NaN for a round with fewer than two levels.

    A round that lacks a level is not taken for one of another slope: it has that of the means of all levels, and that
    of how far the levels which it has lie from these means.

    Parameters
    ----------
    x : array of float, shape (levels,)
        Where the levels lie.
    logs : array of float, shape (levels, rounds)
        Logarithms of rates; what is not finite is missing, but each level has one that is.
    """
    there = np.isfinite(logs)
    if there.all():
        return np.array([_fit_slope(x, column) for column in logs.T])
    means = np.nanmean(np.where(there, logs, np.nan), axis=1)
    return _fit_slope(x, means) + np.array([_fit_slope(x, column - means) for column in logs.T])


def _fit_slope(x: Array, logs: Array) -> float:
    there = np.isfinite(logs)
    return float(np.polyfit(x[there], logs[there], 1)[0]) if there.sum() > 1 else np.nan


def flatten_levels(values: xr.DataArray) -> Array:
    """Return logarithms with one row per case, shape (levels, repetitions)."""
    others = [dim for dim in values.dims if dim != "repetition"]
    logs = log_of(values).transpose(*others, "repetition").values.astype(float)
    return np.asarray(logs.reshape(-1, logs.shape[-1]), dtype=np.float64)


def list_cells(values: xr.DataArray) -> list[tuple[str, Array]]:
    """Return the repetitions of every case that has any, each with the levels that distinguish the case."""
    others = [str(dim) for dim in values.dims if dim != "repetition"]
    found = []
    for place in np.ndindex(*(values.sizes[dim] for dim in others)):
        cell = values.isel(dict(zip(others, place, strict=True)))
        if bool(cell.notnull().any()):
            name = "".join(f", {dim.replace('_', ' ')} {_show_cell(dim, cell[dim].item())}" for dim in others)
            found.append((name, cell.values.astype(float)))
    return found


def _show_cell(dim: str, level: Any) -> str:
    return state_bytes(int(level)) if dim in FACTORS and FACTORS[dim].unit == "B" else str(level)


def log_of(values: xr.DataArray) -> xr.DataArray:
    """Return natural logarithms; NaN for values that are not positive."""
    logs: xr.DataArray = xr.apply_ufunc(np.log, values.where(values > 0))
    return logs
