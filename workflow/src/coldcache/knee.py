"""Where a scaling curve bends: a bent line fitted to log2 of the rate over log2 of the threads.

A rate that scales is a straight line there, a rate that has levelled off a flat one, and the way from one to the
other is sharp or round. The knee is the thread count where the two lines meet when prolonged; its interval is the
set of bends that fit not significantly worse (two-phase regression with a profile of the F statistic: Hinkley 1971,
Journal of the American Statistical Association 66:736; round bends: Bacon and Watts 1971, Biometrika 58:525).
"""

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import optimize, stats

Array = npt.NDArray[np.float64]

#: Growth per doubling of the threads up to which a rate counts as level.
LEVEL_GROWTH = 0.10

#: Thread counts that a bent line needs.
LEAST_LEVELS = 4

#: Bends tried per doubling of the threads.
_STEPS = 8

#: How sharp a bend is: 1 is the hyperbola of a rate that saturates, infinity a break.
_SHARPNESS = (1.0, 2.0, 4.0, np.inf)


class Knee(NamedTuple):
    """The bent line through one scaling curve.

    Attributes
    ----------
    threads : float
        Where the lines meet, in threads; the first thread count where the rate is level throughout; NaN where it
        rises to the end.
    low, high : float
        Interval of `threads`; NaN where nothing tells the spread (four levels, one repetition each).
    first_level : float
        First tested thread count of the plateau: doubling it raises the fitted rate by `LEVEL_GROWTH` at most. NaN
        where the rate rises to the end.
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


class Anomaly(NamedTuple):
    """One point of a scaling curve against the bent line through all others.

    Attributes
    ----------
    observed, predicted : float
        Rate, in the unit of the curve.
    low, high : float
        Where the point would lie with probability `level` if it belonged to the curve; infinite where a bend could
        reach any value.
    ratio : float
        `observed` over `predicted`.
    p : float
        Probability of a distance at least as large if the point belongs to the curve; correct it when many points
        are looked at.
    """

    observed: float
    predicted: float
    low: float
    high: float
    ratio: float
    p: float


class _Lines(NamedTuple):
    """Bent lines over fixed thread counts: place and sharpness of each bend, design and its pseudo-inverse.

    Shapes are (lines,), (lines,), (lines, levels, 3) and (lines, 3, levels). The first line has no bend; its slope
    is the third coefficient.
    """

    bends: Array
    sharpness: Array
    designs: Array
    inverses: Array


def fit_knee(threads: npt.ArrayLike, rates: npt.ArrayLike, level: float = 0.95) -> Knee:
    """Return the bent line through a scaling curve; it may bend down only, once.

    Parameters
    ----------
    threads : array of float, shape (levels,)
        Thread counts, rising, over at least two doublings.
    rates : array of float, shape (levels,) or (levels, repetitions)
        Bytes or operations per second; NaN is missing. The median over repetitions is fitted.
    level : float
        Wanted coverage of the intervals.

    Returns
    -------
    Knee

    Raises
    ------
    ValueError
        If fewer than `LEAST_LEVELS` thread counts have a rate or they span less than two doublings, the thread
        counts do not rise, or a rate is not positive.
    """
    x, y, noise = _levels(threads, rates)
    lines = _lines(tuple(x))
    coefficients, residuals = (found[0] for found in _fit(lines, y[None]))
    best = _best_line(coefficients, residuals, noise, len(x))
    least = float(residuals[best])
    margin = _margin(least, len(x), noise, level)
    accepted = np.flatnonzero(residuals - least <= margin + 1e-12)
    line, sharpness = lines.bends[[best]], lines.sharpness[[best]]
    growth = (_designs(line, sharpness, x + 1)[0] - lines.designs[best]) @ coefficients[best]
    first, last = (float(growth_of[best] @ coefficients[best]) for growth_of in _growth_at_ends(lines, x))
    rises = last > np.log2(1 + LEVEL_GROWTH)
    bounded = not rises and np.isfinite(margin)
    slowest, fastest = _growth_bounds(lines, x, coefficients, residuals, accepted, margin + least)
    return Knee(
        threads=np.nan if rises else float(2 ** lines.bends[best]),
        low=float(2 ** lines.bends[accepted].min()) if bounded else np.nan,
        high=float(2 ** lines.bends[accepted].max()) if bounded else np.nan,
        first_level=np.nan if rises else float(2 ** x[growth <= np.log2(1 + LEVEL_GROWTH) + 1e-9][0]),
        growth_first=2**first,
        growth_last=2**last,
        growth_last_low=2**slowest,
        growth_last_high=2**fastest,
        rises_to_the_end=rises,
        fitted=2 ** (lines.designs[best] @ coefficients[best]),
    )


def judge_point(threads: npt.ArrayLike, rates: npt.ArrayLike, at: float, level: float = 0.95) -> Anomaly:
    """Return how far one point of a curve lies from the bent line through the others.

    The point is left out, the line fitted anew, and the F statistic of the fits with and without it tested (mean
    shift outlier model: Cook and Weisberg 1982, Residuals and Influence in Regression, section 2.2.2). A fall at the
    last thread count may be a knee, and a point that may be one is no anomaly.

    Parameters
    ----------
    threads, rates
        As for `fit_knee`.
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
        As for `fit_knee`, or if the curve has fewer than seven levels or none at `at`.
    """
    x, y, _ = _levels(threads, rates)
    here = np.flatnonzero(np.isclose(x, np.log2(at)))
    if here.size == 0:
        raise ValueError(f"judge_point: no rate at {at:g} threads: choose one of {', '.join(f'{2**v:g}' for v in x)}")
    # Level, two slopes, place and sharpness of the bend, and the point itself.
    freedom = len(x) - 6
    if freedom < 1:
        raise ValueError(f"judge_point: {len(x)} thread counts: judging one by the others needs at least 7")
    index = int(here[0])
    others = _lines(tuple(np.delete(x, index)))
    coefficients, residuals = (found[0] for found in _fit(others, np.delete(y, index)[None]))
    best = int(residuals.argmin())
    predicted = float((_designs(others.bends, others.sharpness, x[[index]])[best] @ coefficients[best])[0])
    spread = max(float(np.sqrt(residuals[best] / freedom)), 1e-9)
    whole = _lines(tuple(x))
    critical = float(stats.f.ppf(level, 1, freedom))

    def distance(value: float) -> float:
        curve = y.copy()
        curve[index] = value
        return max(float(_fit(whole, curve[None])[1].min() - residuals[best]), 0.0) / spread**2

    low, high = (_edge(distance, predicted, side * spread, critical) for side in (-1, 1))
    return Anomaly(
        observed=float(2 ** y[index]),
        predicted=float(2**predicted),
        low=2**low,
        high=2**high,
        ratio=float(2 ** (y[index] - predicted)),
        p=float(stats.f.sf(distance(y[index]), 1, freedom)),
    )


def _edge(distance: Callable[[float], float], start: float, step: float, critical: float) -> float:
    """Return how far from `start` in the direction of `step` a value's distance stays below the critical one."""
    reach = step
    while distance(start + reach) <= critical:
        reach *= 2
        if abs(reach) > 2**10 * abs(step):
            return start + np.sign(step) * np.inf
    return float(optimize.brentq(lambda value: distance(value) - critical, start, start + reach))


def _levels(threads: npt.ArrayLike, rates: npt.ArrayLike) -> tuple[Array, Array, tuple[float, int]]:
    """Return log2 threads, log2 of the median rate, and the variance of these medians with its degrees of freedom."""
    x, cells = np.asarray(threads, dtype=float), np.asarray(rates, dtype=float)
    cells = cells.reshape(len(x), -1)
    there = ~np.isnan(cells)
    if (cells[there] <= 0).any():
        raise ValueError("scaling curve: a rate is zero or negative: leave void trials out as NaN")
    if len(x) > 1 and (np.diff(x) <= 0).any():
        raise ValueError("scaling curve: the thread counts do not rise: sort the curve by threads")
    kept = there.any(axis=1)
    if kept.sum() < LEAST_LEVELS or x[kept][-1] < 4 * x[kept][0]:
        raise ValueError(
            f"scaling curve: rates at {', '.join(f'{count:g}' for count in x[kept]) or 'no'} threads: a knee needs "
            f"at least {LEAST_LEVELS} thread counts over two doublings"
        )
    logs = np.log2(cells[kept])
    count = there[kept].sum(axis=1)
    freedom = int((count - 1).sum())
    squares = np.nansum((logs - np.nanmean(logs, axis=1, keepdims=True)) ** 2)
    # The median of more than two normal values varies pi/2 times as much as their mean.
    factor = np.mean(np.where(count > 2, np.pi / 2, 1.0) / count)
    variance = float(squares / freedom * factor) if freedom else np.nan
    return np.log2(x[kept]), np.nanmedian(logs, axis=1), (variance, freedom)


def _designs(bends: Array, sharpness: Array, x: Array) -> Array:
    """Return the columns level, slope before and slope after the bend, shape (lines, levels, 3)."""
    distance = x[None] - bends[:, None]
    after = np.maximum(distance, 0)
    rounded = np.isfinite(sharpness)
    sharp = np.where(rounded, sharpness, 1.0)[:, None]
    after = np.where(rounded[:, None], np.logaddexp2(0, sharp * distance) / sharp, after)
    return np.stack([np.ones_like(distance), distance - after, after], axis=-1)


@lru_cache(maxsize=256)
def _lines(levels: tuple[float, ...]) -> _Lines:
    """Return the lines tried over these log2 thread counts.

    Before and after a bend lie at least two thread counts and one doubling: a slope between nearer ones is noise.
    """
    x = np.array(levels)
    low, high = max(x[1], x[0] + 1), min(x[-2], x[-1] - 1)
    places = np.linspace(low, high, max(round((high - low) * _STEPS), 0) + 1)
    bends = np.concatenate([x[:1], np.tile(places, len(_SHARPNESS))])
    sharpness = np.concatenate([[np.inf], np.repeat(_SHARPNESS, len(places))])
    designs = _designs(bends, sharpness, x)
    return _Lines(bends, sharpness, designs, np.asarray(np.linalg.pinv(designs), dtype=np.float64))


def _fit(lines: _Lines, curves: Array) -> tuple[Array, Array]:
    """Return coefficients (curves, lines, 3) and sums of squares (curves, lines), infinite where a line bends up."""
    coefficients = np.einsum("kil,cl->cki", lines.inverses, curves)
    residuals = curves[:, None] - np.einsum("kli,cki->ckl", lines.designs, coefficients)
    squares = (residuals**2).sum(axis=-1)
    upwards = coefficients[..., 2] > coefficients[..., 1]
    upwards[:, 0] = False
    return coefficients, np.where(upwards, np.inf, squares)


def _best_line(coefficients: Array, residuals: Array, noise: tuple[float, int], levels: int) -> int:
    """Return which line fits best; the straight one where the curve rises nowhere and no bend is proved."""
    best = int(residuals.argmin())
    if 2 ** coefficients[0, 2] - 1 > LEVEL_GROWTH:
        return best
    margin = 2 * _margin(float(residuals[best]), levels, noise, 0.95, parameters=2)
    return 0 if residuals[0] - residuals[best] <= margin else best


def _margin(least: float, levels: int, noise: tuple[float, int], level: float, parameters: int = 1) -> float:
    """Return by how much a sum of squares may exceed the least one per parameter: by misfit or noise, the larger."""
    candidates = []
    if levels > 4:
        candidates.append(least / (levels - 4) * stats.f.ppf(level, parameters, levels - 4))
    variance, freedom = noise
    if freedom:
        candidates.append(variance * stats.f.ppf(level, parameters, freedom))
    return float(max(candidates, default=np.inf))


def _growth_at_ends(lines: _Lines, x: Array) -> tuple[Array, Array]:
    """Return what gives the growth over the first and the last doubling when multiplied with coefficients."""
    ends = np.array([x[0], x[0] + 1, x[-1] - 1, x[-1]])
    columns = _designs(lines.bends, lines.sharpness, ends)
    return columns[:, 1] - columns[:, 0], columns[:, 3] - columns[:, 2]


def _growth_bounds(
    lines: _Lines, x: Array, coefficients: Array, residuals: Array, accepted: npt.NDArray[np.int64], most: float
) -> tuple[float, float]:
    """Return least and greatest log2 growth over the last doubling among lines with residuals up to `most`."""
    if not np.isfinite(most):
        return np.nan, np.nan
    growth = _growth_at_ends(lines, x)[1][accepted]
    estimate = (growth * coefficients[accepted]).sum(axis=-1)
    weights = np.einsum("ki,kil->kl", growth, lines.inverses[accepted])
    half = np.sqrt(np.maximum(most - residuals[accepted], 0) * (weights**2).sum(axis=-1))
    return float((estimate - half).min()), float((estimate + half).max())
