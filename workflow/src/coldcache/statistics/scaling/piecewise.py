"""Bent lines: two straight ones that meet at a bend, fitted to log2 of a rate over log2 of the threads.

A bend is sharp or round (Bacon and Watts 1971, Biometrika 58:525). A grid of places and sharpnesses is tried; least
squares gives the best line for each.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from coldcache.statistics.array import Array
from coldcache.statistics.dependence import INDEPENDENT, Rounds
from coldcache.statistics.widening import widening

#: The fewest thread counts for a bent line.
LEAST_LEVELS_OF_KNEE = 4

#: Bends tried per doubling of the threads.
GRID_STEPS = 8

#: Sharpnesses of a bend: 1 is the hyperbola of a saturating rate, infinity a break.
_SHARPNESS = (1.0, 2.0, 4.0, np.inf)


class BentLines(NamedTuple):
    """Bent lines over fixed thread counts: place and sharpness of each bend, design and its pseudo-inverse.

    Shapes are (lines,), (lines,), (lines, levels, 3) and (lines, 3, levels). The first line has no bend; its slope
    is the third coefficient.
    """

    bends: Array
    sharpness: Array
    designs: Array
    inverses: Array


def read_levels(
    threads: npt.ArrayLike, rates: npt.ArrayLike, rounds: Rounds = INDEPENDENT
) -> tuple[Array, Array, tuple[float, int]]:
    """Return a scaling curve in the form to which bent lines are fitted.

    Parameters
    ----------
    threads : array of float, shape (levels,)
        Thread counts, rising, over at least two doublings.
    rates : array of float, shape (levels,) or (levels, repetitions)
        Bytes or operations per second; NaN is missing.
    rounds : Rounds
        Of the sweep.

    Returns
    -------
    threads : array of float, shape (levels that have a rate,)
        Their log2.
    rates : array of float, shape (levels that have a rate,)
        log2 of the median over repetitions.
    noise : tuple of float and int
        Variance of these medians, from repetitions, and its degrees of freedom; NaN and 0 without repetitions.

    Raises
    ------
    ValueError
        If fewer than `LEAST_LEVELS_OF_KNEE` thread counts have a rate or they span less than two doublings, the
        thread counts do not rise, or a rate is not positive.
    """
    x, cells = np.asarray(threads, dtype=float), np.asarray(rates, dtype=float)
    cells = cells.reshape(len(x), -1)
    there = ~np.isnan(cells)
    if (cells[there] <= 0).any():
        raise ValueError("scaling curve: a rate is zero or negative: leave void trials out as NaN")
    if len(x) > 1 and (np.diff(x) <= 0).any():
        raise ValueError("scaling curve: the thread counts do not rise: sort the curve by threads")
    kept = there.any(axis=1)
    if kept.sum() < LEAST_LEVELS_OF_KNEE or x[kept][-1] < 4 * x[kept][0]:
        raise ValueError(
            f"scaling curve: rates at {', '.join(f'{count:g}' for count in x[kept]) or 'no'} threads: a knee needs "
            f"at least {LEAST_LEVELS_OF_KNEE} thread counts over two doublings"
        )
    logs = np.log2(cells[kept])
    # Of small arrays, NumPy takes fifty times as long for a median that leaves NaN out.
    median = np.median if there[kept].all() else np.nanmedian
    return np.log2(x[kept]), median(logs, axis=1), _noise(logs, rounds)


def _noise(logs: Array, rounds: Rounds) -> tuple[float, int]:
    """Return the variance of the medians of levels, and its degrees of freedom."""
    count = (~np.isnan(logs)).sum(axis=1)
    freedom = int((count - 1).sum())
    if not freedom:
        return np.nan, 0
    squares = np.nansum((logs - np.nanmean(logs, axis=1, keepdims=True)) ** 2)
    # The median of more than two normal values has pi/2 times the variance of their mean.
    known = {n: np.square(widening(n, rounds)) if n > 1 else 1.0 for n in {*count.tolist()}}
    wider = [known[n] for n in count.tolist()]
    return float(squares / freedom * np.mean(np.where(count > 2, np.pi / 2, 1.0) * wider / count)), freedom


def design_lines(bends: Array, sharpness: Array, x: Array) -> Array:
    """Return the design columns: level, slope before the bend, and slope after it.

    Parameters
    ----------
    bends, sharpness : array of float, shape (lines,)
        log2 of the thread count of each bend, and how sharp it is.
    x : array of float, shape (levels,)
        log2 of thread counts.

    Returns
    -------
    array of float, shape (lines, levels, 3)
    """
    distance = x[None] - bends[:, None]
    after = np.maximum(distance, 0)
    rounded = np.isfinite(sharpness)
    sharp = np.where(rounded, sharpness, 1.0)[:, None]
    after = np.where(rounded[:, None], np.logaddexp2(0, sharp * distance) / sharp, after)
    return np.stack([np.ones_like(distance), distance - after, after], axis=-1)


@lru_cache(maxsize=256)
def try_lines(levels: tuple[float, ...]) -> BentLines:
    """Return the lines tried over these log2 thread counts.

    At least two thread counts and one doubling lie before and after a bend: a slope between closer ones is noise.
    """
    x = np.array(levels)
    low, high = max(x[1], x[0] + 1), min(x[-2], x[-1] - 1)
    places = np.linspace(low, high, max(round((high - low) * GRID_STEPS), 0) + 1)
    bends = np.concatenate([x[:1], np.tile(places, len(_SHARPNESS))])
    sharpness = np.concatenate([[np.inf], np.repeat(_SHARPNESS, len(places))])
    designs = design_lines(bends, sharpness, x)
    return BentLines(bends, sharpness, designs, np.asarray(np.linalg.pinv(designs), dtype=np.float64))


def fit_lines(lines: BentLines, curves: Array) -> tuple[Array, Array]:
    """Return the best line of every place and sharpness through every curve.

    Parameters
    ----------
    lines : BentLines
        From `try_lines`.
    curves : array of float, shape (curves, levels)
        log2 of rates.

    Returns
    -------
    coefficients : array of float, shape (curves, lines, 3)
    squares : array of float, shape (curves, lines)
        Sum of squared distances, infinite where the line bends up.
    """
    coefficients = np.einsum("kil,cl->cki", lines.inverses, curves)
    residuals = curves[:, None] - np.einsum("kli,cki->ckl", lines.designs, coefficients)
    squares = (residuals**2).sum(axis=-1)
    upwards = coefficients[..., 2] > coefficients[..., 1]
    upwards[:, 0] = False
    return coefficients, np.where(upwards, np.inf, squares)
