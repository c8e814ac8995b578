"""Repetitions that depend on each other: the correlation of neighbours, what they are worth, and wider intervals.

One case has too few repetitions to know their correlation, so it is pooled over all cases of a sweep, which run in the
same rounds. Neighbours are modelled as a first-order autoregression (AR(1)).
"""

from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import optimize, special

Array = npt.NDArray[np.float64]

#: Correlations that are told apart, and the largest that an interval can be widened for.
_STEP, MOST_CORRELATION = 0.05, 0.9

#: Decimals of logarithms that are told apart: values closer than that are equal.
_DIGITS = 9

#: Series simulated for each number of repetitions and correlation.
_SERIES = 40_000


def neighbour_correlation(rounds: npt.ArrayLike, paired: bool = False) -> float:
    """Return the correlation of each repetition with the one before it, pooled over cases.

    Few repetitions are correlated by less about their own mean than about the true one, so the correlation returned is
    the one that simulated repetitions need to resemble those observed.

    Parameters
    ----------
    rounds : array of float, shape (..., n)
        Positive rates; entry k of every case is from round k; NaN is missing.
    paired : bool
        Whether ratios within a round are meant: what moves all cases of a round alike is removed first.

    Returns
    -------
    float
        Between 0 and `MOST_CORRELATION`, in steps of 0.05; 0 without three repetitions of a case.
    """
    values = np.asarray(rounds, dtype=float)
    rows = np.log(np.where(values > 0, values, np.nan)).reshape(-1, values.shape[-1])
    rows = rows[(~np.isnan(rows)).sum(axis=1) >= 3]
    if not len(rows):
        return 0.0
    deviations = rows - np.nanmean(rows, axis=1, keepdims=True)
    if paired and len(rows) > 1:
        # A round in which no case has a rate moved none.
        found = (~np.isnan(deviations)).sum(axis=0)
        deviations = deviations - np.nansum(deviations, axis=0) / np.maximum(found, 1)
    # Values that differ by rounding alone are equal, and a case whose values are all equal shows no order.
    deviations = deviations.round(_DIGITS)
    deviations = deviations[np.nanmax(deviations, axis=1) > np.nanmin(deviations, axis=1)]
    if not len(deviations):
        return 0.0
    tried, expected = _expected_products(rows.shape[1])
    observed = _product_of_ranks(deviations)
    # Rounded up: an interval for too low a correlation errs more than one for too high a one.
    return max(0.0, round(float(np.ceil(np.interp(observed, expected, tried) / _STEP - 1e-9)) * _STEP, 2))


def _product_of_ranks(rows: Array) -> float:
    """Return the mean product of neighbouring ranks within each row, over that of their squares.

    Ranks do not depend on how values are distributed: skewed ones and two modes have those of normal ones. Equal values
    share the mean of their ranks.
    """
    ranks = (_ranks(rows) + _ranks(rows[:, ::-1])[:, ::-1]) / 2
    ranks[np.isnan(rows)] = np.nan
    ranks -= np.nanmean(ranks, axis=1, keepdims=True)
    products = np.nansum(ranks[:, 1:] * ranks[:, :-1], axis=1)
    return float(np.mean(products / np.nansum(ranks**2, axis=1)))


def _ranks(rows: Array) -> Array:
    """Return the rank of each value within its row; the first of equal values has the lowest."""
    return rows.argsort(axis=1, kind="stable").argsort(axis=1).astype(float)


@lru_cache(maxsize=64)
def _expected_products(n: int) -> tuple[Array, Array]:
    """Return correlations, and the expected product of neighbouring deviations over their squares at each."""
    tried = np.arange(0, MOST_CORRELATION + _STEP / 2, _STEP)
    found = [_product_of_ranks(_simulate(n, float(correlation))) for correlation in tried]
    return tried, np.maximum.accumulate(found)


def _simulate(n: int, correlation: float) -> Array:
    """Return `_SERIES` normal series of unit variance, the same for the same arguments."""
    steps = np.random.default_rng(n).standard_normal((_SERIES, n))
    steps[:, 1:] *= np.sqrt(1 - correlation**2)
    for place in range(1, n):
        steps[:, place] += correlation * steps[:, place - 1]
    return steps


def effective_repetitions(n: int, correlation: float) -> float:
    """Return how many independent repetitions `n` correlated ones are worth for their mean.

    Parameters
    ----------
    n : int
        Repetitions.
    correlation : float
        Of neighbours.
    """
    lags = np.arange(1, n)
    return float(n / (1 + 2 * ((1 - lags / n) * correlation**lags).sum())) if n else 0.0


@lru_cache(maxsize=4096)
def widening(n: int, correlation: float, level: float) -> float:
    """Return by how much Student's interval of a mean must be stretched about its estimate.

    Parameters
    ----------
    n : int
        Repetitions, at least 2.
    correlation : float
        Of neighbours, as `neighbour_correlation` returns it.
    level : float
        Coverage of the interval.

    Returns
    -------
    float
        The factor with which intervals of `_SERIES` simulated normal series cover at `level`; at least 1.
    """
    if correlation < _STEP / 2:
        return 1.0
    series = _simulate(n, correlation)
    half = special.stdtrit(n - 1, (1 + level) / 2) * series.std(axis=1, ddof=1) / np.sqrt(n)
    return max(1.0, float(np.quantile(np.abs(series.mean(axis=1)) / half, level)))


@lru_cache(maxsize=4096)
def widening_of_order(n: int, correlation: float, level: float) -> tuple[float, float]:
    """Return how an interval of the median between order statistics becomes wide enough.

    First it reaches for order statistics farther out: what they cover does not depend on how values are distributed.
    Only where the least and the greatest value are too close, they are stretched about the median: so far that normal
    values miss two thirds as often as `level` allows, since skewed ones need more.

    Parameters
    ----------
    n, correlation, level
        As for `widening`.

    Returns
    -------
    nominal : float
        The level to ask `bounds.order_bounds` for.
    factor : float
        By how much to stretch what it returns; at least 1.
    """
    # Imported here, because bounds are widened by this module.
    from coldcache.statistics.bounds import order_bounds, reach_of_order

    level = min(level, reach_of_order(n))
    if correlation < _STEP / 2:
        return level, 1.0
    series = np.sort(_simulate(n, correlation), axis=1)

    def surplus(nominal: float) -> float:
        low, high = order_bounds(series, nominal)
        return float(np.mean((low <= 0) & (high >= 0))) - level

    reach = reach_of_order(n)
    if surplus(reach) >= 0:
        return float(optimize.brentq(surplus, level, reach, xtol=1e-4)) if surplus(level) < 0 else level, 1.0
    centre, low, high = np.median(series, axis=1), series[:, 0], series[:, -1]
    side = np.where(centre > 0, centre - low, high - centre)
    return reach, max(1.0, float(np.quantile(np.abs(centre) / side, (1 + 2 * level) / 3)))
