"""Bounds of confidence intervals for many cells at once; each cell is a row of repetitions without gaps.

Every function here takes values of shape (cells, n) and returns two arrays of shape (cells,), in the unit of the
values. Simulations show which method suits which statistic at which n.
"""

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt
import scipy
from scipy import special

Values = npt.NDArray[np.float64]

#: Share of the range above which a gap between two neighbours separates two modes.
_WIDEST_GAP = 0.5

# `scipy.stats` is loaded on first use: its import takes longer than most notebooks compute.


def _harmonic(values: Values, axis: int) -> Values:
    return scipy.stats.hmean(values, axis=axis)


def _geometric(values: Values, axis: int) -> Values:
    return scipy.stats.gmean(values, axis=axis)


#: Statistics by name; each takes values and an axis.
STATISTICS: dict[str, Callable[..., Values]] = {
    "median": np.median,
    "mean": np.mean,
    "harmonic": _harmonic,
    "geometric": _geometric,
}

#: Scale on which a statistic is a plain mean, with the way back.
_MEAN_SCALE: dict[str, tuple[Callable[[Values], Values], Callable[[Values], Values]]] = {
    "mean": (np.positive, np.positive),
    "harmonic": (np.reciprocal, np.reciprocal),
    "geometric": (np.log, np.exp),
}


def order_bounds(values: Values, level: float) -> tuple[Values, Values]:
    """Return an interval of the median between order statistics, without assumptions on the distribution.

    Between two depths the interval is interpolated, which brings its coverage from "at least" to "about" `level`
    (Hettmansperger and Sheather 1986, Statistics & Probability Letters 4:75), except across a gap of more than half
    the range: that is two modes, and the outer bound remains. The range of two values covers the median with
    probability 1/2, that of five with 15/16: see `reach_of_order`.

    Parameters
    ----------
    values : array of float, shape (cells, n)
        Repetitions; n >= 2.
    level : float
        Wanted coverage, between 0 and 1.

    Returns
    -------
    low, high : array of float, shape (cells,)
    """
    ordered = np.sort(values, axis=-1)
    n = values.shape[-1]
    coverage = _coverages(n)
    reached = np.flatnonzero(coverage >= level)
    if reached.size == 0:
        return ordered[:, 0], ordered[:, -1]
    depth = int(reached[-1]) + 1
    deeper = coverage[depth] if 2 * depth < n else 0.0
    surplus = (coverage[depth - 1] - level) / (coverage[depth - 1] - deeper)
    weight = (n - depth) * surplus / (depth + (n - 2 * depth) * surplus)
    outer_low, inner_low = ordered[:, depth - 1], ordered[:, min(depth, n - 1)]
    outer_high, inner_high = ordered[:, n - depth], ordered[:, max(n - depth - 1, 0)]
    gap = _WIDEST_GAP * (ordered[:, -1] - ordered[:, 0])
    low = np.where(inner_low - outer_low > gap, outer_low, (1 - weight) * outer_low + weight * inner_low)
    high = np.where(outer_high - inner_high > gap, outer_high, (1 - weight) * outer_high + weight * inner_high)
    return low, high


@lru_cache(maxsize=256)
def _coverages(n: int) -> Values:
    """Return how often the median lies between the k-th of `n` values from either end, k = 1, 2, ... (n + 1) // 2."""
    coverages, beyond, ways = [], 0, 1
    for depth in range(1, (n + 1) // 2 + 1):
        beyond += ways
        ways = ways * (n - depth + 1) // depth
        coverages.append(1 - 2 * beyond / 2**n)
    return np.array(coverages)


def reach_of_order(n: int) -> float:
    """Return the highest coverage that any interval of the median from `n` values can have: 1 - 2^(1-n)."""
    return 1 - 2.0 ** (1 - n)


def t_bounds(values: Values, statistic: str, level: float) -> tuple[Values, Values]:
    """Return Student's interval of a mean, taken on the scale where the statistic is a plain mean.

    The harmonic mean of rates is the inverse of the mean cost (seconds per byte); the geometric mean is the mean of
    logarithms (Hoefler and Belli 2015, rules 3 and 4).

    Parameters
    ----------
    values : array of float, shape (cells, n)
        Repetitions; n >= 2; positive for ``harmonic`` and ``geometric``.
    statistic : str
        ``mean``, ``harmonic`` or ``geometric``.
    level : float
        Wanted coverage, between 0 and 1.

    Returns
    -------
    low, high : array of float, shape (cells,)
        For ``harmonic``, `high` is infinite if the interval of the mean cost reaches zero.
    """
    forward, backward = _MEAN_SCALE[statistic]
    scaled = forward(values)
    n = values.shape[-1]
    half = special.stdtrit(n - 1, (1 + level) / 2) * scaled.std(axis=-1, ddof=1) / np.sqrt(n)
    centre = scaled.mean(axis=-1)
    if statistic != "harmonic":
        return backward(centre - half), backward(centre + half)
    least_cost = centre - half
    high = np.where(least_cost > 0, 1 / np.where(least_cost > 0, least_cost, 1.0), np.inf)
    return 1 / (centre + half), high
