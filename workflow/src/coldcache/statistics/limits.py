"""Test whether the typical value of some rounds lies within limits: of a mean by Student's t, of a median by signs.

A claim of one limit has two outcomes, each with a one-sided test. Only one of the two can be wrong, so neither p-value
is doubled.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy
from scipy import special

from coldcache.statistics.dependence import effective_repetitions, widening
from coldcache.statistics.stopping import LEAST_REPETITIONS

Array = npt.NDArray[np.float64]

_LEVEL = 0.95


class Limits(NamedTuple):
    """The lower and the upper limit; infinite where there is none."""

    low: float
    high: float


class MeanTest(NamedTuple):
    """The test of a mean.

    Attributes
    ----------
    mean, low, high : float
        The mean and its 95 % interval; NaN bounds from fewer than `LEAST_REPETITIONS` values.
    n : int
        Values.
    spread : float
        Their standard deviation; NaN from fewer than two.
    p_for, p_against : float
        Probability of data as much in favour of (against) the limits if they do not hold (do hold); 1 from fewer than
        `LEAST_REPETITIONS` values.
    """

    mean: float
    low: float
    high: float
    n: int
    spread: float
    p_for: float
    p_against: float


def weigh_mean(values: Array, limits: Limits, correlation: float = 0.0) -> MeanTest:
    """Test whether the true mean of rounds lies within limits.

    Parameters
    ----------
    values : array of float, shape (n,)
        One per round; NaN is missing.
    limits : Limits
        In the unit of the values.
    correlation : float
        Of neighbouring rounds; the standard error is as much larger as the interval is wider.
    """
    there = values[~np.isnan(values)]
    n = there.size
    mean = float(there.mean()) if n else np.nan
    spread = float(there.std(ddof=1)) if n > 1 else np.nan
    if n < LEAST_REPETITIONS:
        return MeanTest(mean, np.nan, np.nan, n, spread, 1.0, 1.0)
    error = max(widening(n, correlation, _LEVEL) * spread / np.sqrt(n), 1e-12)
    half = special.stdtrit(n - 1, (1 + _LEVEL) / 2) * error
    low, high = (mean - limits.low) / error, (limits.high - mean) / error
    p_for = max(special.stdtr(n - 1, -low), special.stdtr(n - 1, -high))
    # Of all means within the limits, the end nearest to the observed one makes it most probable; beyond the far end
    # only a narrow pair of limits adds anything.
    width = (limits.high - limits.low) / error
    p_against = special.stdtr(n - 1, min(low, high)) + special.stdtr(n - 1, min(low, high) - width)
    return MeanTest(mean, mean - half, mean + half, n, spread, float(p_for), min(1.0, float(p_against)))


def weigh_median(values: Array, limits: Limits, correlation: float = 0.0) -> tuple[float, float]:
    """Return p-values for and against the true median of rounds being within limits, by the sign test.

    Parameters
    ----------
    values : array of float, shape (n,)
        One per round; NaN is missing.
    limits : Limits
        In the unit of the values.
    correlation : float
        Of neighbouring rounds; so many values are lost for the test as dependent ones are not worth.

    Returns
    -------
    p_for, p_against : float
        As in `MeanTest`.
    """
    there = values[~np.isnan(values)]
    n = there.size
    if n < LEAST_REPETITIONS:
        return 1.0, 1.0
    worth = max(1, int(effective_repetitions(n, correlation)))

    def chance(share: float) -> float:
        """Return the probability of at least this share of values on one side of the median."""
        return float(scipy.stats.binom.sf(np.ceil(share * worth - 1e-9) - 1, worth, 0.5))

    inside, outside = [0.0], [1.0]
    for beyond in (there - limits.low, limits.high - there):
        if np.isfinite(beyond).all():
            inside.append(chance(float((beyond > 0).mean())))
            outside.append(chance(float((beyond < 0).mean())))
    return max(inside), min(outside)
