"""Estimates with intervals: the median of one sample, and of every cell of an array.

Storage rates are skewed, drift and have modes, so the estimate is the median, and its interval assumes no distribution
(Hoefler and Belli 2015, rules 5 to 7).
"""

from collections.abc import Callable
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import xarray as xr

from coldcache.statistics.bounds import Values, order_bounds
from coldcache.statistics.dependence import INDEPENDENT, Rounds, rounds_of
from coldcache.statistics.widening import depth_of_order, reach_of_order, refuse


class Interval(NamedTuple):
    """An estimate and the range in which the true value lies with the stated probability.

    Attributes
    ----------
    estimate, low, high : float
        In the unit of the values; `low` and `high` are NaN where there is no interval.
    n : int
        Number of values, without NaN.
    level : float
        Coverage: the wanted one, or the most that a median of so few values allows.
    caveat : str or None
        Why there is no interval from so many values, or why it cannot be trusted; else None.
    rounds : Rounds
        Of the sweep, for which the interval was widened.
    runs : tuple of float
        The values themselves where there is no interval; else empty.
    """

    estimate: float
    low: float
    high: float
    n: int
    level: float
    caveat: str | None = None
    rounds: Rounds = INDEPENDENT
    runs: tuple[float, ...] = ()


def interval(values: npt.ArrayLike, level: float = 0.95, rounds: Rounds = INDEPENDENT) -> Interval:
    """Return the median of one sample with its confidence interval.

    Parameters
    ----------
    values : array of float, shape (n,)
        Repetitions of one case, in any unit; NaN is a repetition that is missing.
    level : float
        Wanted coverage, between 0 and 1.
    rounds : Rounds
        Of the sweep, as `dependence.measure_rounds` returns them.

    Returns
    -------
    Interval
        The estimate is NaN without values.

    Raises
    ------
    ValueError
        If the level is not between 0 and 1.
    """
    check_level(level)
    row = np.asarray(values, dtype=float).reshape(-1)
    row = row[~np.isnan(row)]
    estimate, low, high = (float(part[0]) for part in _bounds_of_medians(row[None], level, rounds))
    return as_interval(estimate, low, high, row, reached_level(row.size, level), rounds)


def as_interval(
    estimate: float, low: float, high: float, values: npt.NDArray[np.float64], level: float, rounds: Rounds
) -> Interval:
    """Return an estimate with its bounds; where there are none, with the values and the reason."""
    reason = refuse(values.size, rounds)
    runs = tuple(float(value) for value in values) if reason else ()
    return Interval(estimate, low, high, values.size, level, reason, rounds, runs)


def interval_over(rate: xr.DataArray, dim: str = "repetition", level: float = 0.95) -> xr.Dataset:
    """Return the median over one dimension with its interval, for every cell of the others.

    Parameters
    ----------
    rate : DataArray
        Any unit; dims must include `dim`; NaN is a repetition that is missing. Its attribute ``rounds``, where it has
        one, says how runs depend on their rounds.
    dim : str
        The dimension to estimate over.
    level : float
        As for `interval`.

    Returns
    -------
    Dataset
        ``estimate``, ``low``, ``high`` in the unit of `rate` and ``n``, over the dims of `rate` without `dim`. A cell
        without a value has NaN and n = 0, a cell without an interval has NaN bounds.

    Raises
    ------
    ValueError
        As for `interval`, or if `rate` has no dimension `dim`.
    """
    check_level(level)
    rounds = rounds_of(rate)
    return over_cells(rate, dim, lambda rows: _bounds_of_medians(rows, level, rounds)).assign_attrs(
        level=level, rounds=rounds
    )


def over_cells(rate: xr.DataArray, dim: str, estimate: Callable[[Values], tuple[Values, Values, Values]]) -> xr.Dataset:
    """Return an estimate with bounds for every cell.

    Parameters
    ----------
    rate, dim
        As for `interval_over`.
    estimate : callable
        Maps rows without gaps, shape (cells, n), to estimates, lower and upper bounds.

    Returns
    -------
    Dataset
        As that of `interval_over`.

    Raises
    ------
    ValueError
        If `rate` has no dimension `dim`.
    """
    if dim not in rate.dims:
        raise ValueError(f"interval_over: no dimension {dim!r} in {tuple(rate.dims)}: name the one to estimate over")
    cells = rate.transpose(..., dim)
    shape = tuple(cells.sizes[other] for other in cells.dims if other != dim)
    rows = cells.values.astype(float).reshape(prod(shape), cells.sizes[dim])
    there = ~np.isnan(rows)
    n = there.sum(axis=-1)
    found = np.full((3, len(rows)), np.nan)
    for count in np.unique(n[n > 0]):
        same = n == count
        found[:, same] = estimate(rows[same][there[same]].reshape(-1, count))
    rest = cells.isel({dim: 0}, drop=True) if cells.sizes[dim] else cells.sum(dim, keep_attrs=True)
    columns = zip(("estimate", "low", "high", "n"), (*found, n), strict=True)
    shaped = {name: rest.copy(data=column.reshape(shape)) for name, column in columns}
    shaped["n"].attrs = {"units": "1", "long_name": "values"}
    return xr.Dataset(shaped)


def _bounds_of_medians(rows: Values, level: float, rounds: Rounds) -> tuple[Values, Values, Values]:
    """Return medians and bounds of rows without gaps; NaN bounds where there is no interval."""
    none = np.full(len(rows), np.nan)
    if rows.shape[1] == 0:
        return none, none, none
    medians = np.median(rows, axis=1)
    if refuse(rows.shape[1], rounds):
        return medians, none, none
    return medians, *order_bounds(rows, depth_of_order(rows.shape[1], rounds, level))


def reached_level(n: int, level: float = 0.95) -> float:
    """Return the coverage of an interval of a median from `n` values: the wanted one, or the most that they allow."""
    return min(level, reach_of_order(n)) if n else level


def check_level(level: float) -> None:
    """Raise ValueError if a level is no probability."""
    if not 0 < level < 1:
        raise ValueError(f"level {level!r} is not between 0 and 1: write 95 % as 0.95")
