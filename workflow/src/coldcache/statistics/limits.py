"""Test whether the typical value of some rounds lies within limits: of a mean by Student's t, of a median by signs.

A claim of one limit has two outcomes, each with a one-sided test. Only one of the two can be wrong, so neither p-value
is doubled.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from coldcache.statistics.array import Array
from coldcache.statistics.dependence import INDEPENDENT, Rounds
from coldcache.statistics.widening import chances_of_side, refuse, refuse_verdict, widening, widenings_of_tests

_LEVEL = 0.95


class LimitPair(NamedTuple):
    """The lower and the upper limit; infinite where there is none."""

    low: float
    high: float


class MeanTest(NamedTuple):
    """The test of a mean.

    Attributes
    ----------
    mean, low, high : float
        The mean and its 95 % interval; NaN bounds where there is no interval.
    n : int
        Values.
    spread : float
        Their standard deviation; NaN from fewer than two.
    p_for, p_against : float
        Probability of data as much in favour of (against) the limits if they do not hold (do hold); 1 where there is no
        interval.
    """

    mean: float
    low: float
    high: float
    n: int
    spread: float
    p_for: float
    p_against: float


class MeanTests(NamedTuple):
    """The tests of many means: what `MeanTest` has, each an array."""

    mean: Array
    low: Array
    high: Array
    n: npt.NDArray[np.int64]
    spread: Array
    p_for: Array
    p_against: Array

    def one(self, *place: int) -> MeanTest:
        """Return the test of one mean."""
        mean, low, high, n, spread, p_for, p_against = (part[place].item() for part in self)
        return MeanTest(mean, low, high, n, spread, p_for, p_against)


def weigh_mean(values: Array, limits: LimitPair, rounds: Rounds = INDEPENDENT) -> MeanTest:
    """Test whether the true mean of rounds lies within limits.

    Parameters
    ----------
    values : array of float, shape (n,)
        One per round; NaN is missing.
    limits : LimitPair
        In the unit of the values.
    rounds : Rounds
        Of the sweep; the standard error is as much larger as the interval is wider.
    """
    return weigh_means(values, limits, rounds).one()


def weigh_means(
    values: Array, limits: LimitPair, rounds: Rounds | Array = INDEPENDENT, level: float = _LEVEL
) -> MeanTests:
    """Test whether each of many true means lies within limits.

    Parameters
    ----------
    values : array of float, shape (..., n)
        One per round; NaN is missing.
    limits : LimitPair
        As for `weigh_mean`.
    rounds : Rounds, or array of float
        Of the sweep; or by how much each standard error is larger, in the shape of the means or one that broadcasts to
        it, NaN where nothing is decided.
    level : float
        Coverage of the intervals.
    """
    there = ~np.isnan(values)
    n = there.sum(axis=-1)
    mean = np.where(n > 0, values.sum(axis=-1, where=there) / np.maximum(n, 1), np.nan)
    squares = ((values - mean[..., None]) ** 2).sum(axis=-1, where=there)
    spread = np.where(n > 1, np.sqrt(squares / np.maximum(n - 1, 1)), np.nan)
    factor, of_tests = _factors(n, rounds) if isinstance(rounds, Rounds) else (rounds, rounds)
    freedom = np.maximum(n - 1, 1)
    error = np.maximum(spread / np.sqrt(np.maximum(n, 1)), 1e-12)
    half = special.stdtrit(freedom, (1 + level) / 2) * factor * error
    error = of_tests * error
    low, high = (mean - limits.low) / error, (limits.high - mean) / error
    p_for = np.maximum(special.stdtr(freedom, -low), special.stdtr(freedom, -high))
    # Of all means within the limits, the end nearest to the observed one makes it most probable; beyond the far end
    # only a narrow pair of limits adds anything.
    nearest = np.minimum(low, high)
    p_against = special.stdtr(freedom, nearest) + special.stdtr(freedom, nearest - (limits.high - limits.low) / error)
    decided = ~_undecided(n, rounds) if isinstance(rounds, Rounds) else ~np.isnan(p_for)
    p_for, p_against = (np.where(decided, np.minimum(p, 1.0), 1.0) for p in (p_for, p_against))
    return MeanTests(mean, mean - half, mean + half, n, spread, p_for, p_against)


def _factors(n: npt.NDArray[np.int64], rounds: Rounds) -> tuple[Array, Array]:
    """Return by how much standard errors of means over so many rounds are larger, in intervals and in tests.

    Both are NaN where there is no interval.
    """
    factors, of_tests = np.full(n.shape, np.nan), np.full(n.shape, np.nan)
    correlation, modes = np.array([rounds.of_logarithms]), np.array([rounds.modes])
    for count in map(int, np.unique(n)):
        if not refuse(count, rounds):
            factors[n == count] = widening(count, rounds)
            of_tests[n == count] = widenings_of_tests(count, correlation, modes)[0]
    return factors, of_tests


def _undecided(n: npt.NDArray[np.int64], rounds: Rounds) -> npt.NDArray[np.bool_]:
    """Return where so many rounds decide nothing."""
    refused = {int(count): refuse_verdict(int(count), rounds) is not None for count in np.unique(n)}
    return np.vectorize(refused.__getitem__, otypes=[bool])(n)


def weigh_median(values: Array, limits: LimitPair, rounds: Rounds = INDEPENDENT) -> tuple[float, float]:
    """Return p-values for and against the true median of rounds being within limits, by the sign test.

    Parameters
    ----------
    values : array of float, shape (n,)
        One per round; NaN is missing.
    limits : LimitPair
        In the unit of the values.
    rounds : Rounds
        Of the sweep.

    Returns
    -------
    p_for, p_against : float
        As in `MeanTest`.
    """
    there = values[~np.isnan(values)]
    if refuse_verdict(there.size, rounds):
        return 1.0, 1.0
    p_for, p_against = weigh_sides(there, limits, chances_of_side(there.size, rounds))
    return float(p_for), float(p_against)


def weigh_sides(values: Array, limits: LimitPair, chances: Array) -> tuple[Array, Array]:
    """Return what `weigh_median` returns, for many medians.

    Parameters
    ----------
    values : array of float, shape (..., n)
        One per round.
    limits : LimitPair
        In the unit of the values; one is finite, or both.
    chances : array of float, shape (..., n + 1)
        As `widening.chances_of_side` returns them.
    """
    inside, outside = list[Array](), list[Array]()
    for limit, sign in zip(limits, (1, -1), strict=True):
        if np.isfinite(limit):
            beyond = sign * (values - limit)
            for found, counts in ((inside, (beyond > 0).sum(-1)), (outside, (beyond < 0).sum(-1))):
                shape = (*counts.shape, chances.shape[-1])
                found.append(np.take_along_axis(np.broadcast_to(chances, shape), counts[..., None], -1)[..., 0])
    # Values may lie beyond either limit by chance.
    return np.max(inside, axis=0), np.minimum(1.0, len(outside) * np.min(outside, axis=0))
