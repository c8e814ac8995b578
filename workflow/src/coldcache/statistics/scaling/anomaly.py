"""Test whether one point of a scaling curve fits the bent line through all others."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy
from scipy import special

from coldcache.statistics.scaling.piecewise import design_lines, fit_lines, read_levels, try_lines

#: Parameters besides the spread: level, two slopes, place and sharpness of the bend, and the point itself.
_PARAMETERS = 6


class Anomaly(NamedTuple):
    """One point of a scaling curve, compared with the bent line through all others.

    Attributes
    ----------
    observed, predicted : float
        Rate, in the unit of the curve.
    low, high : float
        Range of the point with probability `level` if it belonged to the curve; infinite if a bend could reach any
        value.
    ratio : float
        `observed` over `predicted`.
    p : float
        Probability of a distance at least as large if the point belongs to the curve; correct it if you look at many
        points.
    """

    observed: float
    predicted: float
    low: float
    high: float
    ratio: float
    p: float


def judge_point(threads: npt.ArrayLike, rates: npt.ArrayLike, at: float, level: float = 0.95) -> Anomaly:
    """Return how far one point of a curve lies from the bent line through the others.

    The line is fitted again without the point, and the F statistic of the two fits tested (mean shift outlier model:
    Cook and Weisberg 1982, Residuals and Influence in Regression, section 2.2.2). A fall at the last thread count may
    be a knee, and a point that may be a knee is not an anomaly.

    Parameters
    ----------
    threads, rates
        As for `coldcache.statistics.scaling.knee.fit_knee`.
    at : float
        Thread count of the point in question.
    level : float
        Of the prediction interval.

    Returns
    -------
    Anomaly

    Raises
    ------
    ValueError
        As for `coldcache.statistics.scaling.knee.fit_knee`, or if the curve has fewer than seven levels or none
        at `at`.
    """
    x, y, _ = read_levels(threads, rates)
    here = np.flatnonzero(np.isclose(x, np.log2(at)))
    if here.size == 0:
        raise ValueError(f"judge_point: no rate at {at:g} threads: choose one of {', '.join(f'{2**v:g}' for v in x)}")
    freedom = len(x) - _PARAMETERS
    if freedom < 1:
        raise ValueError(f"judge_point: {len(x)} thread counts: judging one by the others needs at least 7")
    index = int(here[0])
    others = try_lines(tuple(np.delete(x, index)))
    coefficients, residuals = (found[0] for found in fit_lines(others, np.delete(y, index)[None]))
    best = int(residuals.argmin())
    predicted = float((design_lines(others.bends, others.sharpness, x[[index]])[best] @ coefficients[best])[0])
    spread = max(float(np.sqrt(residuals[best] / freedom)), 1e-9)
    whole = try_lines(tuple(x))
    critical = float(special.fdtri(1, freedom, level))

    def distance(value: float) -> float:
        curve = y.copy()
        curve[index] = value
        return max(float(fit_lines(whole, curve[None])[1].min() - residuals[best]), 0.0) / spread**2

    low, high = (_edge(distance, predicted, side * spread, critical) for side in (-1, 1))
    return Anomaly(
        observed=float(2 ** y[index]),
        predicted=float(2**predicted),
        low=2**low,
        high=2**high,
        ratio=float(2 ** (y[index] - predicted)),
        p=float(special.fdtrc(1, freedom, distance(y[index]))),
    )


def _edge(distance: Callable[[float], float], start: float, step: float, critical: float) -> float:
    """Return how far from `start` in the direction of `step` a value's distance stays below the critical one."""
    reach = step
    while distance(start + reach) <= critical:
        reach *= 2
        if abs(reach) > 2**10 * abs(step):
            return start + np.sign(step) * np.inf
    return float(scipy.optimize.brentq(lambda value: distance(value) - critical, start, start + reach))
