"""Estimates with intervals: for one sample, and for every cell of an array.

Storage rates are skewed, drift and have modes, so the usual estimate is the median, and its interval assumes no
distribution (Hoefler and Belli 2015, rules 5 to 7). Rates over equal amounts of work are averaged by the harmonic
mean, costs by the mean (rule 3).
"""

from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import xarray as xr

from coldcache.statistics.bounds import STATISTICS, bootstrap_bounds, order_bounds, reach_of_order, t_bounds

#: Methods that each statistic allows; ``auto`` takes the first.
METHODS_OF_STATISTIC = {
    "median": ("order", "BCa", "percentile"),
    "mean": ("t", "BCa", "percentile"),
    "harmonic": ("t", "BCa", "percentile"),
    "geometric": ("t", "BCa", "percentile"),
}

#: Values from which 95 % intervals cover at least 93.5 % of simulated campaigns with skewed, drifting and bimodal
#: noise, as `coldcache.statistics.simulation.intervals.coverage_table` measures it (40,000 campaigns; 6,000 for the
#: bootstraps).
TRUSTED_FROM = {
    ("median", "order"): 5,
    ("median", "BCa"): 100,
    ("median", "percentile"): 100,
    ("mean", "t"): 20,
    ("mean", "BCa"): 40,
    ("mean", "percentile"): 40,
    ("harmonic", "t"): 60,
    ("harmonic", "BCa"): 100,
    ("harmonic", "percentile"): 150,
    ("geometric", "t"): 30,
    ("geometric", "BCa"): 40,
    ("geometric", "percentile"): 40,
}


class Interval(NamedTuple):
    """An estimate and the range in which the true value lies with the stated probability.

    Attributes
    ----------
    estimate, low, high : float
        In the unit of the values; `low` and `high` are NaN from fewer than two values.
    n : int
        Number of values, without NaN.
    level : float
        Wanted coverage.
    method : str
        How the bounds were found: ``order``, ``t``, ``percentile`` or ``BCa``.
    caveat : str or None
        Why the bounds cannot be trusted at `level`; None if they can.
    """

    estimate: float
    low: float
    high: float
    n: int
    level: float
    method: str
    caveat: str | None = None


def interval(
    values: npt.ArrayLike, statistic: str = "median", level: float = 0.95, method: str = "auto", seed: int = 0
) -> Interval:
    """Return the statistic of one sample with its confidence interval.

    Parameters
    ----------
    values : array of float, shape (n,)
        Repetitions of one case, in any unit; NaN is a repetition that is missing.
    statistic : str
        ``median``, ``mean``, ``harmonic`` or ``geometric``.
    level : float
        Wanted coverage, between 0 and 1.
    method : str
        ``order`` (median only), ``t`` (means only), ``percentile`` or ``BCa``; ``auto`` takes the first that
        `METHODS_OF_STATISTIC` names.
    seed : int
        Seed of the bootstrap; the same seed gives the same bounds.

    Returns
    -------
    Interval
        The estimate is NaN without values, the bounds are NaN from fewer than two.

    Raises
    ------
    ValueError
        If the statistic or the method is unknown, the method does not fit the statistic, the level is not between
        0 and 1, or a value is not positive where the statistic needs it.
    """
    method = _checked_method(statistic, method, level)
    row = np.asarray(values, dtype=float).reshape(1, -1)
    estimate, low, high, n = bounds_of_rows(row, statistic, level, method, seed)
    count = int(n[0])
    return Interval(
        float(estimate[0]), float(low[0]), float(high[0]), count, level, method, caveat(count, statistic, level, method)
    )


def interval_over(
    rate: xr.DataArray,
    dim: str = "repetition",
    statistic: str = "median",
    level: float = 0.95,
    method: str = "auto",
    seed: int = 0,
) -> xr.Dataset:
    """Return the statistic over one dimension with its interval, for every cell of the others.

    Parameters
    ----------
    rate : DataArray
        Any unit; dims must include `dim`; NaN is a repetition that is missing.
    dim : str
        The dimension to estimate over.
    statistic, level, method, seed
        As for `interval`.

    Returns
    -------
    Dataset
        ``estimate``, ``low``, ``high`` in the unit of `rate` and ``n``, over the dims of `rate` without `dim`. A cell
        without a value has NaN and n = 0, a cell with one value has NaN bounds.

    Raises
    ------
    ValueError
        As for `interval`, or if `rate` has no dimension `dim`.
    """
    method = _checked_method(statistic, method, level)
    if dim not in rate.dims:
        raise ValueError(f"interval_over: no dimension {dim!r} in {tuple(rate.dims)}: name the one to estimate over")
    cells = rate.transpose(..., dim)
    shape = tuple(cells.sizes[other] for other in cells.dims if other != dim)
    rows = cells.values.astype(float).reshape(prod(shape), cells.sizes[dim])
    found = bounds_of_rows(rows, statistic, level, method, seed)
    rest = cells.isel({dim: 0}, drop=True) if cells.sizes[dim] else cells.sum(dim, keep_attrs=True)
    shaped = {
        name: rest.copy(data=column.reshape(shape))
        for name, column in zip(("estimate", "low", "high", "n"), found, strict=True)
    }
    shaped["n"].attrs = {"units": "1", "long_name": "values"}
    result = xr.Dataset(shaped)
    result.attrs = {"statistic": statistic, "level": level, "method": method}
    return result


def caveat(n: int, statistic: str = "median", level: float = 0.95, method: str = "auto") -> str | None:
    """Return why an interval from `n` values cannot be trusted at `level`; None if it can.

    Parameters
    ----------
    n : int
        Number of values, without NaN.
    statistic, level, method
        As for `interval`.

    Returns
    -------
    str or None
        One clause for a caption.
    """
    method = _checked_method(statistic, method, level)
    if n < 2:
        return f"no interval from {n} value{'s' if n != 1 else ''}"
    if statistic == "median" and reach_of_order(n) < level - 0.015:
        return f"no interval of a median from {n} values can cover more than {100 * reach_of_order(n):.4g} %"
    trusted = TRUSTED_FROM[statistic, method]
    if n < trusted:
        kind = "median" if statistic == "median" else "mean" if statistic == "mean" else f"{statistic} mean"
        return (
            f"the {method} interval of a {kind} is too narrow for skewed or bimodal rates from under {trusted} values"
        )
    return None


def _checked_method(statistic: str, method: str, level: float) -> str:
    """Return the chosen method; raise ValueError if it is unknown or does not fit the statistic."""
    if statistic not in METHODS_OF_STATISTIC:
        raise ValueError(f"statistic {statistic!r} is unknown: choose one of {', '.join(METHODS_OF_STATISTIC)}")
    if not 0 < level < 1:
        raise ValueError(f"level {level!r} is not between 0 and 1: write 95 % as 0.95")
    allowed = METHODS_OF_STATISTIC[statistic]
    if method == "auto":
        return allowed[0]
    if method not in allowed:
        raise ValueError(f"method {method!r} does not fit the {statistic}: choose one of {', '.join(allowed)}")
    return method


def bounds_of_rows(
    rows: npt.NDArray[np.float64], statistic: str, level: float, method: str, seed: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return estimate, low, high and n of each row; rows with the same n are computed together."""
    there = ~np.isnan(rows)
    if statistic in ("harmonic", "geometric") and (rows[there] <= 0).any():
        raise ValueError(f"the {statistic} mean needs positive values: leave void trials out as NaN")
    n = there.sum(axis=-1)
    estimate, low, high = (np.full(len(rows), np.nan) for _ in range(3))
    for count in np.unique(n[n > 0]):
        same = n == count
        values = rows[same][there[same]].reshape(-1, count)
        estimate[same] = STATISTICS[statistic](values, axis=-1)
        if count > 1:
            low[same], high[same] = _bounds(values, statistic, level, method, seed)
    return estimate, low, high, n


def _bounds(
    values: npt.NDArray[np.float64], statistic: str, level: float, method: str, seed: int
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the bounds of cells with the same n, by the given method."""
    if method == "order":
        return order_bounds(values, level)
    if method == "t":
        return t_bounds(values, statistic, level)
    return bootstrap_bounds(values, statistic, level, method, seed)
