"""Ratios of pairs that were measured in the same round, with intervals.

Each pair gives one ratio, so effects on both of its members cancel. Their geometric mean is the one estimate of pages,
claims and comparisons: swapping numerator and denominator inverts estimate and bounds and changes nothing else. An
arithmetic or harmonic mean of ratios lacks this property (Hoefler and Belli 2015, rule 4). Whatever skews a rate skews
both of a pair, so Student's interval covers from few pairs on.
"""

import numpy as np
import numpy.typing as npt
import xarray as xr

from coldcache.statistics.bounds import Values, t_bounds
from coldcache.statistics.dependence import INDEPENDENT, Rounds, rounds_of
from coldcache.statistics.intervals import Interval, as_interval, check_level, over_cells
from coldcache.statistics.widening import refuse, widening


def paired_ratio(
    numerator: npt.ArrayLike | xr.DataArray,
    denominator: npt.ArrayLike | xr.DataArray,
    level: float = 0.95,
    rounds: Rounds = INDEPENDENT,
) -> Interval:
    """Return the typical ratio of pairs, their geometric mean, with its interval.

    Parameters
    ----------
    numerator, denominator : array of float, shape (pairs,)
        Rates of one unit, entry k of both from the same round. Two DataArrays are aligned by their coordinate first,
        and the interval is widened for the more dependent of their attributes ``rounds``. A pair with a missing value
        (NaN) does not count.
    level : float
        Wanted coverage.
    rounds : Rounds
        Of the sweep, unless DataArrays state them.

    Returns
    -------
    Interval
        Without unit.

    Raises
    ------
    ValueError
        As for `intervals.interval`, or if the two have different lengths, or a value is zero or negative.
    """
    check_level(level)
    if isinstance(numerator, xr.DataArray) and isinstance(denominator, xr.DataArray):
        rounds = rounds_of(numerator, denominator)
        numerator, denominator = xr.align(numerator, denominator, join="inner")
    above, below = np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)
    if above.shape != below.shape:
        raise ValueError(
            f"paired ratio: {above.size} values against {below.size}: pairs need one of each, NaN where one is missing"
        )
    _refuse(above, below)
    ratios = (above / below)[~np.isnan(above / below)]
    estimate, low, high = (float(part[0]) for part in _bounds_of_ratios(ratios[None], level, rounds))
    return as_interval(estimate, low, high, ratios, level, rounds)


def paired_ratio_over(
    numerator: xr.DataArray, denominator: xr.DataArray, dim: str = "repetition", level: float = 0.95
) -> xr.Dataset:
    """Return the typical ratio of pairs, their geometric mean, with its interval, for every cell of the other dims.

    Parameters
    ----------
    numerator, denominator : DataArray
        Positive rates of one unit; dims must include `dim`, whose coordinate says what belongs together. They are
        aligned on what both have; NaN is missing. Intervals are widened as in `paired_ratio`.
    dim : str
        Counts the pairs.
    level : float
        Wanted coverage.

    Returns
    -------
    Dataset
        ``estimate``, ``low``, ``high`` and ``n``, without unit.

    Raises
    ------
    ValueError
        If a rate is zero or negative, or `dim` is not a dimension.
    """
    check_level(level)
    rounds = rounds_of(numerator, denominator)
    numerator, denominator = xr.align(numerator, denominator, join="inner")
    _refuse(numerator.values, denominator.values)
    found = over_cells(numerator / denominator, dim, lambda rows: _bounds_of_ratios(rows, level, rounds))
    for name in ("estimate", "low", "high"):
        found[name].attrs = {"units": "1"}
    return found.assign_attrs(level=level, rounds=rounds)


def _bounds_of_ratios(rows: Values, level: float, rounds: Rounds) -> tuple[Values, Values, Values]:
    """Return geometric means and bounds of ratios without gaps; NaN bounds where there is no interval."""
    none = np.full(len(rows), np.nan)
    if rows.shape[1] == 0:
        return none, none, none
    logs = np.log(rows)
    means = np.exp(logs.mean(axis=1))
    if refuse(rows.shape[1], rounds):
        return means, none, none
    low, high = t_bounds(logs, level, widening(rows.shape[1], rounds, level))
    return means, np.exp(low), np.exp(high)


def _refuse(*sides: npt.NDArray[np.float64]) -> None:
    """Raise ValueError if a value has no logarithm."""
    if any((side <= 0).any() for side in sides):
        raise ValueError("paired ratio: a rate is zero or negative: leave void trials out as NaN")
