"""Test whether two campaigns differ in a case or are equivalent, and which difference could be detected.

Rates are compared as logarithms, so a margin of 5 % means a ratio between 1/1.05 and 1.05. A missing proof of a
difference is not equivalence: two one-sided tests prove that (Schuirmann 1987, Journal of Pharmacokinetics and
Biopharmaceutics 15:657).
"""

from bisect import bisect_left
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy
from scipy import special

from coldcache.statistics.array import Array
from coldcache.statistics.dependence import INDEPENDENT, Rounds
from coldcache.statistics.widening import refuse, refuse_verdict, welch, widening


class Comparison(NamedTuple):
    """The comparison of a case in two campaigns.

    Attributes
    ----------
    ratio, low, high : float
        Geometric mean of numerator over denominator with its interval; NaN bounds if there are too few values.
    n : int
        The values of the smaller side.
    p_equivalence : float
        The larger p-value of the two one-sided tests that the ratio lies outside the margin; NaN if the values decide
        nothing.
    p_beyond : float
        p-value of Student's test that the ratio lies within the margin: small if it is proved to lie beyond.
    smallest_beyond : float
        The ratio above 1 that tests on data with this spread prove, in 4 of 5 campaigns, to lie beyond the margin.
    """

    ratio: float
    low: float
    high: float
    n: int
    p_equivalence: float
    p_beyond: float
    smallest_beyond: float


def compare(
    numerator: npt.ArrayLike,
    denominator: npt.ArrayLike,
    margin: float = 0.05,
    level: float = 0.95,
    rounds: tuple[Rounds, Rounds] = (INDEPENDENT, INDEPENDENT),
) -> Comparison:
    """Return whether two campaigns differ in a case or are equivalent, by Welch's test.

    Parameters
    ----------
    numerator, denominator : array of float, shape (n,)
        Rates of one unit; NaN is missing. No two belong together: the campaigns ran at different times.
    margin : float
        Largest relative distance that counts as alike, such as 0.05.
    level : float
        One minus the error rate of each test, and the coverage of the interval; above 0.5.
    rounds : tuple of Rounds
        Of each campaign: standard errors are as much larger as intervals are wider.

    Returns
    -------
    Comparison

    Raises
    ------
    ValueError
        If a rate is zero or negative, or the margin or the level is out of range.
    """
    if margin <= 0 or not 0.5 < level < 1:
        raise ValueError(f"compare: margin {margin!r} or level {level!r} is out of range: write 5 % as 0.05")
    sides = [np.log(_positive(side)) for side in (numerator, denominator)]
    sides = [side[~np.isnan(side)] for side in sides]
    n = min(side.size for side in sides)
    centre = float(sides[0].mean() - sides[1].mean()) if n else np.nan
    if any(refuse(side.size, own) for side, own in zip(sides, rounds, strict=True)):
        return Comparison(float(np.exp(centre)), np.nan, np.nan, n, np.nan, np.nan, np.inf)
    wider = [widening(side.size, own, sides=2) for side, own in zip(sides, rounds, strict=True)]
    error, freedom = (part.item() for part in welch(sides[0], sides[1], wider))
    error = max(error, 1e-12)
    half = special.stdtrit(freedom, (1 + level) / 2) * error
    low, high = float(np.exp(centre - half)), float(np.exp(centre + half))
    if any(refuse_verdict(side.size, own) for side, own in zip(sides, rounds, strict=True)):
        return Comparison(float(np.exp(centre)), low, high, n, np.nan, np.nan, np.inf)
    p_equivalence, p_beyond = (part.item() for part in weigh_margin(np.array(centre), error, freedom, margin))
    smallest = (1 + margin) * _detectable(error, freedom, 0.8, 2 * level - 1)
    return Comparison(float(np.exp(centre)), low, high, n, p_equivalence, p_beyond, smallest)


def weigh_margin(centre: Array, error: Array | float, freedom: Array | float, margin: float) -> tuple[Array, Array]:
    """Return the p-values of a ratio being equivalent, and of lying beyond a margin.

    Parameters
    ----------
    centre, error, freedom : array of float
        The difference of logarithms, its standard error and degrees of freedom.
    margin : float
        As for `compare`.
    """
    distance = np.log1p(margin)
    p_equivalence = special.stdtr(freedom, -(distance - np.abs(centre)) / error)
    # Of all ratios within the margin, those at its ends are closest to the observed one.
    p_beyond = sum(special.stdtr(freedom, (end - np.abs(centre)) / error) for end in (distance, -distance))
    return p_equivalence, p_beyond


def smallest_ratio(spread: float, n: int, power: float = 0.8, level: float = 0.95) -> float:
    """Return the smallest ratio above 1 that `n` pairs detect with the given power.

    It only depends on the spread, never on the observed difference, which would merely repeat the p-value (Hoenig and
    Heisey 2001, The American Statistician 55:19).

    Parameters
    ----------
    spread : float
        Standard deviation of the logarithm of the ratio within a pair: 0.05 is about 5 %.
    n : int
        Pairs.
    power : float
        Share of campaigns that find a true ratio of this size different from 1.
    level : float
        One minus the error rate of the test.

    Returns
    -------
    float
        Without unit; infinite from fewer than two pairs.
    """
    return _detectable(spread / np.sqrt(n), n - 1, power, level) if n > 1 else np.inf


def pairs_needed(spread: float, ratio: float, power: float = 0.8, level: float = 0.95, most: int = 1000) -> int:
    """Return how many pairs detect a given ratio with the given power.

    Parameters
    ----------
    spread, power, level
        As for `smallest_ratio`.
    ratio : float
        The true ratio to detect, above or below 1.
    most : int
        Where to stop counting.

    Returns
    -------
    int

    Raises
    ------
    ValueError
        If the ratio is 1 or not positive, or more than `most` pairs are needed.
    """
    if ratio <= 0 or ratio == 1:
        raise ValueError(f"pairs_needed: no number of pairs shows a ratio of {ratio:g}")
    wanted = max(ratio, 1 / ratio)
    counts = range(2, most + 1)
    place = bisect_left(counts, -wanted, key=lambda n: -smallest_ratio(spread, n, power, level))
    if place == len(counts):
        raise ValueError(f"pairs_needed: more than {most} pairs for a ratio of {ratio:g} at a spread of {spread:g}")
    return counts[place]


def adjust(p_values: npt.ArrayLike, method: str = "holm") -> Array:
    """Return p-values corrected for the number of comparisons.

    Parameters
    ----------
    p_values : array of float
        Any shape, such as one per case; all of them form one family. NaN is a comparison that could not be made; it
        does not count.
    method : str
        ``holm`` bounds the chance of any false finding (Holm 1979, Scandinavian Journal of Statistics 6:65);
        ``benjamini-hochberg`` the share of false ones among the findings (1995, Journal of the Royal Statistical
        Society B 57:289).

    Returns
    -------
    array of float
        Of the same shape.

    Raises
    ------
    ValueError
        If the method is unknown or a p-value is not between 0 and 1.
    """
    raw = np.asarray(p_values, dtype=float)
    there = ~np.isnan(raw)
    corrected = np.full(raw.shape, np.nan)
    if ((raw[there] < 0) | (raw[there] > 1)).any():
        raise ValueError("adjust: a p-value is not between 0 and 1")
    if method == "benjamini-hochberg":
        corrected[there] = scipy.stats.false_discovery_control(raw[there]) if there.any() else []
    elif method == "holm":
        order = np.argsort(raw[there])
        steps = np.maximum.accumulate(raw[there][order] * np.arange(there.sum(), 0, -1))
        back = np.empty(there.sum())
        back[order] = np.minimum(steps, 1)
        corrected[there] = back
    else:
        raise ValueError(f"adjust: method {method!r} is unknown: choose holm or benjamini-hochberg")
    return corrected


def _positive(rates: npt.ArrayLike) -> Array:
    """Return rates as an array, or raise ValueError in words."""
    values = np.asarray(rates, dtype=float)
    if (values <= 0).any():
        raise ValueError("compare: a rate is zero or negative: leave void trials out as NaN")
    return values


def _detectable(error: float, freedom: float, power: float, level: float) -> float:
    """Return the ratio whose logarithm a two-sided t test with this standard error detects with the given power."""
    return float(np.exp(error * _detectable_shift(round(freedom, 1), power, level)))


@lru_cache(maxsize=1024)
def _detectable_shift(freedom: float, power: float, level: float) -> float:
    """Return how many standard errors a mean must lie from zero to be found with the given power (non-central t)."""
    critical = special.stdtrit(freedom, (1 + level) / 2)

    def excess(shift: float) -> float:
        # SciPy returns NaN this far out, where almost every shift is detected.
        missed = np.nan_to_num(special.nctdtr(freedom, shift, critical))
        return float(1 - power - missed)

    return float(scipy.optimize.brentq(excess, 0.0, 40 * critical))
