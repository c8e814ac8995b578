"""Test whether two settings differ, are equivalent, or neither can be shown; and which difference could be detected.

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

from coldcache.statistics.dependence import widening
from coldcache.statistics.stopping import LEAST_REPETITIONS

Array = npt.NDArray[np.float64]


class Comparison(NamedTuple):
    """The comparison of two settings.

    Attributes
    ----------
    ratio, low, high : float
        Geometric mean of numerator over denominator with its interval; NaN if there are too few values.
    n : int
        Pairs, or the values of the smaller side.
    margin : float
        Largest relative distance that counts as alike.
    p_difference : float
        p-value of Student's test that the ratio is 1.
    p_equivalence : float
        The larger p-value of the two one-sided tests that the ratio lies outside the margin.
    p_beyond : float
        p-value of Student's test that the ratio lies within the margin: small if it is proved to lie beyond.
    smallest_ratio, smallest_beyond : float
        The ratios above 1 that tests on data with this spread prove, in 4 of 5 campaigns, to differ from 1, and to lie
        beyond the margin.
    verdict : str
        ``alike``, ``different`` or ``undecided``. A difference that is proved, and proved to be smaller than the
        margin, counts as ``alike``.
    """

    ratio: float
    low: float
    high: float
    n: int
    margin: float
    p_difference: float
    p_equivalence: float
    p_beyond: float
    smallest_ratio: float
    smallest_beyond: float
    verdict: str


def compare(
    numerator: npt.ArrayLike,
    denominator: npt.ArrayLike,
    margin: float = 0.05,
    level: float = 0.95,
    paired: bool = True,
    correlations: tuple[float, float] = (0.0, 0.0),
) -> Comparison:
    """Return whether two settings differ, are equivalent, or neither can be shown.

    Parameters
    ----------
    numerator, denominator : array of float, shape (n,)
        Rates of one unit; paired by position when `paired`, as from the same block. NaN is missing.
    margin : float
        Largest relative distance that counts as alike, such as 0.05.
    level : float
        One minus the error rate of each test, and the coverage of the interval; above 0.5.
    paired : bool
        Whether entry k of both belongs together; if not, Welch's test is used.
    correlations : tuple of float
        Of neighbouring rates of each side, or of neighbouring ratios if `paired`: standard errors are as much larger as
        intervals are wider.

    Returns
    -------
    Comparison
        No interval and ``undecided`` from fewer than `LEAST_REPETITIONS` pairs, or values on a side.

    Raises
    ------
    ValueError
        If paired sides differ in length, a rate is zero or negative, or the margin or the level is out of range.
    """
    if margin <= 0 or not 0.5 < level < 1:
        raise ValueError(f"compare: margin {margin!r} or level {level!r} is out of range: write 5 % as 0.05")
    above, below = np.log(_positive(numerator)), np.log(_positive(denominator))
    if paired and above.shape != below.shape:
        raise ValueError(f"compare: {above.size} values against {below.size}: pairs need one of each, NaN for none")
    of = _paired if paired else _unpaired
    n, centre, error, freedom = of(above, below, correlations)
    if n < LEAST_REPETITIONS:
        return Comparison(
            float(np.exp(centre)), np.nan, np.nan, n, margin, np.nan, np.nan, np.nan, np.inf, np.inf, "undecided"
        )
    error = max(error, 1e-12)
    distance = np.log1p(margin)
    half = special.stdtrit(freedom, (1 + level) / 2) * error
    p_difference = 2 * special.stdtr(freedom, -abs(centre) / error)
    p_equivalence = special.stdtr(freedom, -(distance - abs(centre)) / error)
    # Of all ratios within the margin, those at its ends are closest to the observed one.
    p_beyond = sum(special.stdtr(freedom, (end - abs(centre)) / error) for end in (distance, -distance))
    verdict = "alike" if p_equivalence <= 1 - level else "different" if p_difference <= 1 - level else "undecided"
    return Comparison(
        float(np.exp(centre)), float(np.exp(centre - half)), float(np.exp(centre + half)), n, margin,
        float(p_difference), float(p_equivalence), float(p_beyond), _detectable(error, freedom, 0.8, level),
        (1 + margin) * _detectable(error, freedom, 0.8, 2 * level - 1), verdict,
    )  # fmt: skip


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


def _paired(above: Array, below: Array, correlations: tuple[float, float]) -> tuple[int, float, float, float]:
    """Return pairs, mean difference, its standard error and degrees of freedom."""
    differences = (above - below)[~np.isnan(above - below)]
    n = differences.size
    if n < 2:
        return n, float(differences.sum()) if n else np.nan, np.nan, np.nan
    wider = widening(n, max(correlations), 0.95)
    return n, float(differences.mean()), float(wider * differences.std(ddof=1) / np.sqrt(n)), n - 1


def _unpaired(above: Array, below: Array, correlations: tuple[float, float]) -> tuple[int, float, float, float]:
    """Return values on the smaller side, difference of means, its standard error and Welch's degrees of freedom."""
    sides = [side[~np.isnan(side)] for side in (above, below)]
    n = min(side.size for side in sides)
    if n < 2:
        return n, float(sides[0].mean() - sides[1].mean()) if n else np.nan, np.nan, np.nan
    wider = [widening(side.size, own, 0.95) for side, own in zip(sides, correlations, strict=True)]
    variances = np.array([factor**2 * side.var(ddof=1) / side.size for factor, side in zip(wider, sides, strict=True)])
    freedoms = np.array([side.size - 1 for side in sides])
    total = variances.sum()
    freedom = total**2 / (variances**2 / freedoms).sum() if total > 0 else freedoms.sum()
    return n, float(sides[0].mean() - sides[1].mean()), float(np.sqrt(total)), float(freedom)


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
