"""Ratios of pairs that were measured in the same round, with intervals.

Each pair gives one ratio, so effects on both of its members cancel. Their geometric mean is the one estimate of pages,
claims and comparisons: swapping numerator and denominator inverts estimate and bounds and changes nothing else. An
arithmetic or harmonic mean of ratios lacks this property (Hoefler and Belli 2015, rule 4). Whatever skews a rate skews
both of a pair, so Student's interval covers from few pairs on.
"""

import numpy as np
import numpy.typing as npt
import xarray as xr

from coldcache.statistics.intervals import Interval, interval, interval_over
from coldcache.statistics.stopping import LEAST_REPETITIONS


def paired_ratio(
    numerator: npt.ArrayLike | xr.DataArray, denominator: npt.ArrayLike | xr.DataArray, level: float = 0.95
) -> Interval:
    """Return the typical ratio of pairs, their geometric mean, with its interval.

    Parameters
    ----------
    numerator, denominator : array of float, shape (pairs,)
        Rates of one unit, entry k of both from the same round. Two DataArrays are aligned by their coordinate first,
        and the interval is widened for the larger of their attributes ``correlation_of_ratios``. A pair with a missing
        value (NaN) does not count.
    level : float
        Wanted coverage.

    Returns
    -------
    Interval
        Without unit.

    Raises
    ------
    ValueError
        As for `intervals.interval`, or if the two have different lengths, or a value is zero or negative.
    """
    correlation = 0.0
    if isinstance(numerator, xr.DataArray) and isinstance(denominator, xr.DataArray):
        correlation = _correlation(numerator, denominator)
        numerator, denominator = xr.align(numerator, denominator, join="inner")
    above, below = np.asarray(numerator, dtype=float), np.asarray(denominator, dtype=float)
    if above.shape != below.shape:
        raise ValueError(
            f"paired ratio: {above.size} values against {below.size}: pairs need one of each, NaN where one is missing"
        )
    _refuse(above, below)
    found = interval(above / below, "geometric", level, correlation)
    return found._replace(caveat=None if found.n >= LEAST_REPETITIONS else found.caveat)


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
    correlation = _correlation(numerator, denominator)
    numerator, denominator = xr.align(numerator, denominator, join="inner")
    _refuse(numerator.values, denominator.values)
    ratios = (numerator / denominator).assign_attrs(units="1", correlation=correlation)
    found = interval_over(ratios, dim, "geometric", level)
    for name in ("estimate", "low", "high"):
        found[name].attrs = {"units": "1"}
    return found


def _correlation(*sides: xr.DataArray) -> float:
    """Return the larger correlation of neighbouring ratios that two sides state."""
    return max(float(side.attrs.get("correlation_of_ratios", 0.0)) for side in sides)


def _refuse(*sides: npt.NDArray[np.float64]) -> None:
    """Raise ValueError if a value has no logarithm."""
    if any((side <= 0).any() for side in sides):
        raise ValueError("paired ratio: a rate is zero or negative: leave void trials out as NaN")
