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

from coldcache.statistics.bounds import STATISTICS, order_bounds, reach_of_order, t_bounds
from coldcache.statistics.dependence import widening, widening_of_order
from coldcache.statistics.stopping import LEAST_REPETITIONS

#: How the interval of each statistic is computed: between order statistics, or by Student's t.
METHOD_OF_STATISTIC = {"median": "order", "mean": "t", "harmonic": "t", "geometric": "t"}

#: Values from which 95 % intervals cover at least 93.5 % of simulated campaigns with skewed, drifting and bimodal
#: noise, as `coldcache.statistics.simulation.intervals.coverage_table` measures it (40,000 campaigns).
TRUSTED_FROM = {"median": 5, "mean": 20, "harmonic": 60, "geometric": 30}


class Interval(NamedTuple):
    """An estimate and the range in which the true value lies with the stated probability.

    Attributes
    ----------
    estimate, low, high : float
        In the unit of the values; `low` and `high` are NaN from fewer than `LEAST_REPETITIONS` values.
    n : int
        Number of values, without NaN.
    level : float
        Coverage: the wanted one, or the most that a median of so few values allows.
    method : str
        How the bounds were found: ``order`` or ``t``.
    caveat : str or None
        Why the bounds cannot be trusted at `level`; None if they can.
    correlation : float
        That of neighbours, for which the interval was widened.
    runs : tuple of float
        The values themselves, if they are too few for an interval; else empty.
    """

    estimate: float
    low: float
    high: float
    n: int
    level: float
    method: str
    caveat: str | None = None
    correlation: float = 0.0
    runs: tuple[float, ...] = ()


def interval(
    values: npt.ArrayLike, statistic: str = "median", level: float = 0.95, correlation: float = 0.0
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
    correlation : float
        That of neighbours, as `dependence.neighbour_correlation` measures it over a sweep.

    Returns
    -------
    Interval
        The estimate is NaN without values, the bounds are NaN from fewer than `LEAST_REPETITIONS`.

    Raises
    ------
    ValueError
        If the statistic is unknown, the level is not between 0 and 1, or a value is not positive where the statistic
        needs it.
    """
    row = np.asarray(values, dtype=float).reshape(1, -1)
    _check(statistic, level)
    estimate, low, high, n = bounds_of_rows(row, statistic, level, correlation)
    count = int(n[0])
    runs = tuple(float(value) for value in row[0] if value == value) if 0 < count < LEAST_REPETITIONS else ()
    return Interval(
        float(estimate[0]), float(low[0]), float(high[0]), count, reached_level(count, statistic, level),
        METHOD_OF_STATISTIC[statistic], caveat(count, statistic, level), correlation, runs,
    )  # fmt: skip


def interval_over(
    rate: xr.DataArray, dim: str = "repetition", statistic: str = "median", level: float = 0.95
) -> xr.Dataset:
    """Return the statistic over one dimension with its interval, for every cell of the others.

    Parameters
    ----------
    rate : DataArray
        Any unit; dims must include `dim`; NaN is a repetition that is missing. Its attribute ``correlation``, where it
        has one, is the correlation of neighbours for which intervals are widened.
    dim : str
        The dimension to estimate over.
    statistic, level
        As for `interval`.

    Returns
    -------
    Dataset
        ``estimate``, ``low``, ``high`` in the unit of `rate` and ``n``, over the dims of `rate` without `dim`. A cell
        without a value has NaN and n = 0, a cell with fewer than `LEAST_REPETITIONS` has NaN bounds.

    Raises
    ------
    ValueError
        As for `interval`, or if `rate` has no dimension `dim`.
    """
    _check(statistic, level)
    if dim not in rate.dims:
        raise ValueError(f"interval_over: no dimension {dim!r} in {tuple(rate.dims)}: name the one to estimate over")
    correlation = float(rate.attrs.get("correlation", 0.0))
    cells = rate.transpose(..., dim)
    shape = tuple(cells.sizes[other] for other in cells.dims if other != dim)
    rows = cells.values.astype(float).reshape(prod(shape), cells.sizes[dim])
    found = bounds_of_rows(rows, statistic, level, correlation)
    rest = cells.isel({dim: 0}, drop=True) if cells.sizes[dim] else cells.sum(dim, keep_attrs=True)
    shaped = {
        name: rest.copy(data=column.reshape(shape))
        for name, column in zip(("estimate", "low", "high", "n"), found, strict=True)
    }
    shaped["n"].attrs = {"units": "1", "long_name": "values"}
    result = xr.Dataset(shaped)
    result.attrs = {
        "statistic": statistic, "level": level, "method": METHOD_OF_STATISTIC[statistic], "correlation": correlation,
    }  # fmt: skip
    return result


def reached_level(n: int, statistic: str = "median", level: float = 0.95) -> float:
    """Return the coverage of an interval from `n` values: the wanted one, or the most that a median allows."""
    return min(level, reach_of_order(n)) if statistic == "median" and n else level


def caveat(n: int, statistic: str = "median", level: float = 0.95) -> str | None:
    """Return why an interval from `n` values cannot be trusted at `level`; None if it can.

    Parameters
    ----------
    n : int
        Number of values, without NaN.
    statistic, level
        As for `interval`.

    Returns
    -------
    str or None
        One clause for a caption.
    """
    _check(statistic, level)
    if n < LEAST_REPETITIONS:
        return f"no interval from {n} value{'s' if n != 1 else ''}"
    if statistic == "median" and reach_of_order(n) < level - 0.015:
        return f"no interval of a median from {n} values can cover more than {100 * reach_of_order(n):.4g} %"
    if n < TRUSTED_FROM[statistic]:
        kind = "mean" if statistic == "mean" else f"{statistic} mean"
        return (
            f"the interval of a {kind} is too narrow for skewed or bimodal rates from under "
            f"{TRUSTED_FROM[statistic]} values"
        )
    return None


def _check(statistic: str, level: float) -> None:
    """Raise ValueError if the statistic is unknown or the level is no probability."""
    if statistic not in METHOD_OF_STATISTIC:
        raise ValueError(f"statistic {statistic!r} is unknown: choose one of {', '.join(METHOD_OF_STATISTIC)}")
    if not 0 < level < 1:
        raise ValueError(f"level {level!r} is not between 0 and 1: write 95 % as 0.95")


def bounds_of_rows(
    rows: npt.NDArray[np.float64],
    statistic: str,
    level: float,
    correlation: float = 0.0,
    least: int = LEAST_REPETITIONS,
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
        if count >= least:
            if statistic == "median":
                nominal, factor = widening_of_order(int(count), correlation, level)
                bounds = order_bounds(values, nominal)
            else:
                bounds = t_bounds(values, statistic, level)
                factor = widening(int(count), correlation, level)
            low[same], high[same] = _stretch(estimate[same], bounds, factor)
    return estimate, low, high, n


def _stretch(
    centre: npt.NDArray[np.float64], bounds: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]], factor: float
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return bounds `factor` times as far from their centre: as a ratio if all are positive, else as a distance."""
    low, high = bounds
    if factor == 1.0:
        return low, high
    if (low > 0).all():
        return centre * (low / centre) ** factor, centre * (high / centre) ** factor
    return centre - factor * (centre - low), centre + factor * (high - centre)
