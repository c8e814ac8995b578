"""Find where a scaling curve bends: fit a bent line to log2 of the rate over log2 of the threads.

On these axes a rate that scales is a straight line, a rate that has levelled off is a flat one, and the transition is
sharp or round. The knee is the thread count at which the two extended lines meet; its interval is the set of bends
that do not fit significantly worse (two-phase regression with a profile of the F statistic: Hinkley 1971,
Journal of the American Statistical Association 66:736).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from coldcache.statistics.array import Array
from coldcache.statistics.dependence import INDEPENDENT, Rounds
from coldcache.statistics.scaling.piecewise import BentLines, design_lines, fit_lines, read_levels, try_lines

#: Growth per doubling of the threads up to which a rate counts as level: this project's own convention.
LEVEL_GROWTH = 0.10

#: Thread counts from which their misfit alone, without repetitions, bounds a knee.
_LEAST_ALONE = 7


class Knee(NamedTuple):
    """The bent line through one scaling curve.

    Attributes
    ----------
    threads : float
        Where the lines meet, in threads; the first thread count if the rate is level throughout; NaN if it rises to
        the end.
    low, high : float
        Interval of `threads`, out to the tested thread counts around it: a bend within a step of the grid has no
        place. NaN if the spread is unknown: fewer than seven levels with one repetition each.
    first_level : float
        First tested thread count of the plateau: doubling it raises the fitted rate by at most `LEVEL_GROWTH`. NaN if
        the rate rises to the end.
    growth_first, growth_last : float
        Factor by which the fitted rate grows over the first and over the last tested doubling of the threads: 2 is
        linear scaling, 1 is level.
    growth_last_low, growth_last_high : float
        Interval of `growth_last`.
    rises_to_the_end : bool
        Whether the rate still grows by more than `LEVEL_GROWTH` over the last doubling.
    fitted : array of float, shape (levels,)
        Rate of the bent line at the tested thread counts.
    """

    threads: float
    low: float
    high: float
    first_level: float
    growth_first: float
    growth_last: float
    growth_last_low: float
    growth_last_high: float
    rises_to_the_end: bool
    fitted: Array


def fit_knee(threads: npt.ArrayLike, rates: npt.ArrayLike, level: float = 0.95, rounds: Rounds = INDEPENDENT) -> Knee:
    """Return the bent line through a scaling curve; it bends at most once, and only down.

    Parameters
    ----------
    threads : array of float, shape (levels,)
        Thread counts, rising, over at least two doublings.
    rates : array of float, shape (levels,) or (levels, repetitions)
        Bytes or operations per second; NaN is missing. The median over repetitions is fitted.
    level : float
        Wanted coverage of the intervals.
    rounds : Rounds
        Of the sweep: runs that resemble those before them say less about the noise.

    Returns
    -------
    Knee

    Raises
    ------
    ValueError
        If fewer than four thread counts have a rate or they span less than two doublings, the thread counts do not
        rise, or a rate is not positive.
    """
    x, y, noise = read_levels(threads, rates, rounds)
    lines = try_lines(tuple(x))
    coefficients, residuals = (found[0] for found in fit_lines(lines, y[None]))
    best = _best_line(coefficients, residuals, noise, len(x))
    least = float(residuals[best])
    margin = _margin(least, len(x), noise, level)
    accepted = np.flatnonzero(residuals - least <= margin + 1e-12)
    line, sharpness = lines.bends[[best]], lines.sharpness[[best]]
    growth = (design_lines(line, sharpness, x + 1)[0] - lines.designs[best]) @ coefficients[best]
    first, last = (float(growth_of[best] @ coefficients[best]) for growth_of in _growth_at_ends(lines, x))
    rises = last > np.log2(1 + LEVEL_GROWTH)
    bounded = not rises and np.isfinite(margin)
    bounds = _span_grid(x, lines.bends[accepted]) if bounded else (np.nan, np.nan)
    slowest, fastest = _growth_bounds(lines, x, coefficients, residuals, accepted, margin + least)
    return Knee(
        threads=np.nan if rises else float(2 ** lines.bends[best]),
        low=bounds[0],
        high=bounds[1],
        first_level=np.nan if rises else float(2 ** x[growth <= np.log2(1 + LEVEL_GROWTH) + 1e-9][0]),
        growth_first=2**first,
        growth_last=2**last,
        growth_last_low=2**slowest,
        growth_last_high=2**fastest,
        rises_to_the_end=rises,
        fitted=2 ** (lines.designs[best] @ coefficients[best]),
    )


def _span_grid(x: Array, bends: Array) -> tuple[float, float]:
    """Return the tested thread counts around some bends: beyond one at a tested count, as few bends are tried."""
    first = max(int(np.searchsorted(x, bends.min() - 1e-9)) - 1, 0)
    last = min(int(np.searchsorted(x, bends.max() + 1e-9)), len(x) - 1)
    return float(2 ** x[first]), float(2 ** x[last])


def _best_line(coefficients: Array, residuals: Array, noise: tuple[float, int], levels: int) -> int:
    """Return the line that fits best; the straight one if the curve never rises and no bend is proved."""
    best = int(residuals.argmin())
    if 2 ** coefficients[0, 2] - 1 > LEVEL_GROWTH:
        return best
    margin = 2 * _margin(float(residuals[best]), levels, noise, 0.95, parameters=2)
    return 0 if residuals[0] - residuals[best] <= margin else best


def _margin(least: float, levels: int, noise: tuple[float, int], level: float, parameters: int = 1) -> float:
    """Return how much a sum of squares may exceed the least one per parameter: misfit or noise, the larger.

    Infinite where too few thread counts, with one run each, show neither.
    """
    candidates = []
    if levels > 4 and (noise[1] or levels >= _LEAST_ALONE):
        candidates.append(least / (levels - 4) * special.fdtri(parameters, levels - 4, level))
    variance, freedom = noise
    if freedom:
        candidates.append(variance * special.fdtri(parameters, freedom, level))
    return float(max(candidates, default=np.inf))


def _growth_at_ends(lines: BentLines, x: Array) -> tuple[Array, Array]:
    """Return the vectors whose product with the coefficients is the growth over the first and the last doubling."""
    ends = np.array([x[0], x[0] + 1, x[-1] - 1, x[-1]])
    columns = design_lines(lines.bends, lines.sharpness, ends)
    return columns[:, 1] - columns[:, 0], columns[:, 3] - columns[:, 2]


def _growth_bounds(
    lines: BentLines, x: Array, coefficients: Array, residuals: Array, accepted: npt.NDArray[np.int64], most: float
) -> tuple[float, float]:
    """Return least and greatest log2 growth over the last doubling among lines with residuals up to `most`."""
    if not np.isfinite(most):
        return np.nan, np.nan
    growth = _growth_at_ends(lines, x)[1][accepted]
    estimate = (growth * coefficients[accepted]).sum(axis=-1)
    weights = np.einsum("ki,kil->kl", growth, lines.inverses[accepted])
    half = np.sqrt(np.maximum(most - residuals[accepted], 0) * (weights**2).sum(axis=-1))
    return float((estimate - half).min()), float((estimate + half).max())
