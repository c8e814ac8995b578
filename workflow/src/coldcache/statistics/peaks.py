"""Compare peaks of curves although nobody knows beforehand where a curve is highest.

A highest value is biased upwards where the same rounds choose and test it. Here nothing is chosen: every place is
tested in all rounds. That a peak exceeds something is proved by any one place, corrected for their number (Bonferroni);
that it stays below needs all places (intersection-union test: Berger 1982, Technometrics 24:295).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from coldcache.statistics.array import Array
from coldcache.statistics.dependence import INDEPENDENT, Rounds
from coldcache.statistics.limits import LimitPair, MeanTest, weigh_mean, weigh_means, weigh_median

_LEVEL = 0.95
_ABOVE = LimitPair(0.0, np.inf)


class PeakTest(NamedTuple):
    """The comparison of the peaks of two curves, or of one curve with its other places.

    Attributes
    ----------
    test : MeanTest
        The comparison of the highest places, with bounds and p-values that hold for the peaks wherever they are.
    places : tuple of int
        The two places.
    """

    test: MeanTest
    places: tuple[int, int]


def compare_peaks(above: Array, below: Array, limits: LimitPair, rounds: Rounds = INDEPENDENT) -> PeakTest:
    """Test whether the ratio of the peaks of two curves lies within limits.

    Parameters
    ----------
    above, below : array of float, shape (levels, rounds)
        Logarithms of rates; NaN is missing. The levels of the two may differ, the rounds are the same.
    limits : LimitPair
        Of the logarithm of the ratio.
    rounds : Rounds
        Of the sweep.

    Raises
    ------
    ValueError
        If a curve has no value.
    """
    places = find_peak(above), find_peak(below)
    ratios = above[_measured(above)][:, None] - below[_measured(below)][None]
    tops, bottoms = ratios.shape[:2]
    low = weigh_means(ratios, limits, rounds, _share_out(tops)).low.min(axis=1).max()
    high = weigh_means(ratios, limits, rounds, _share_out(bottoms)).high.max(axis=0).min()
    shown = weigh_mean(above[places[0]] - below[places[1]], limits, rounds)
    p_for, p_against = (float(p) for p in weigh_ratios_of_peaks(ratios, limits, rounds))
    return PeakTest(shown._replace(low=float(low), high=float(high), p_for=p_for, p_against=p_against), places)


def weigh_ratios_of_peaks(
    ratios: Array, limits: LimitPair, rounds: Rounds | Array = INDEPENDENT
) -> tuple[Array, Array]:
    """Return p-values for and against the ratio of two peaks being within limits.

    Parameters
    ----------
    ratios : array of float, shape (..., levels, levels, rounds)
        Logarithms of the ratios of every place of one curve to every place of the other; NaN is missing.
    limits, rounds
        As for `limits.weigh_means`.
    """

    def exceeds(limit: float) -> Array:
        """Return the p-value of one place of the first curve being above every place of the second."""
        p = weigh_means(ratios, LimitPair(limit, np.inf), rounds).p_for
        return p.shape[-2] * p.max(axis=-1).min(axis=-1)

    def stays_below(limit: float) -> Array:
        """Return the p-value of every place of the first curve being below one place of the second."""
        p = weigh_means(ratios, LimitPair(-np.inf, limit), rounds).p_for
        return p.shape[-1] * p.max(axis=-2).min(axis=-1)

    return _weigh(limits, exceeds, stays_below)


def weigh_place(curve: Array, place: int, rounds: Rounds = INDEPENDENT) -> PeakTest:
    """Test whether a curve is highest at a place that was named before it was measured.

    Every other place must be lower; against it speaks any one that is higher.

    Parameters
    ----------
    curve : array of float, shape (levels, rounds)
        Logarithms of rates; NaN is missing.
    place : int
        The row that is claimed to be the highest.
    rounds : Rounds
        Of the sweep.

    Raises
    ------
    ValueError
        If there is no other place.
    """
    others = _measured(curve)
    others = others[others != place]
    if not others.size:
        raise ValueError("a peak is one of several places")
    ratios = curve[place] - curve[others]
    rival = int(others[find_peak(curve[others])])
    low = weigh_means(ratios, _ABOVE, rounds).low.min()
    high = weigh_means(ratios, _ABOVE, rounds, _share_out(others.size)).high.min()
    shown = weigh_mean(curve[place] - curve[rival], _ABOVE, rounds)
    p_for, p_against = (float(p) for p in weigh_ratios_to_others(ratios, rounds))
    shown = shown._replace(low=float(low), high=float(high), p_for=p_for, p_against=p_against)
    return PeakTest(shown, (place, rival))


def weigh_ratios_to_others(ratios: Array, rounds: Rounds | Array = INDEPENDENT) -> tuple[Array, Array]:
    """Return p-values for and against a place being above all others.

    Parameters
    ----------
    ratios : array of float, shape (..., others, rounds)
        Logarithms of its ratios to the others; NaN is missing.
    rounds
        As for `limits.weigh_means`.
    """
    p_for = weigh_means(ratios, _ABOVE, rounds).p_for.max(axis=-1)
    p_against = weigh_means(ratios, _ABOVE, rounds).p_against
    return p_for, np.minimum(1.0, p_against.shape[-1] * p_against.min(axis=-1))


def weigh_extreme(
    curve: Array, limits: LimitPair, rounds: Rounds = INDEPENDENT, lowest: bool = False
) -> tuple[float, float]:
    """Return p-values for and against the highest median of a curve lying within limits, by the sign test.

    Parameters
    ----------
    curve : array of float, shape (levels, rounds)
        Rates; NaN is missing.
    limits : LimitPair
        In the unit of the rates; one is finite.
    rounds : Rounds
        Of the sweep.
    lowest : bool
        Test the lowest median instead.
    """
    rows = curve[_measured(curve)]

    def weigh_rows(within: LimitPair) -> Array:
        return np.array([weigh_median(row, within, rounds)[0] for row in rows])

    found = weigh_levels(weigh_rows, limits, lowest)
    return float(found[0]), float(found[1])


def weigh_levels(weigh: Callable[[LimitPair], Array], limits: LimitPair, lowest: bool = False) -> tuple[Array, Array]:
    """Return p-values for and against the highest of several levels lying within limits.

    Parameters
    ----------
    weigh : callable
        Maps limits to the p-value for each level lying within them, shape (..., levels).
    limits, lowest
        As for `weigh_extreme`.
    """

    def all_of(limit: LimitPair) -> Array:
        return weigh(limit).max(axis=-1)

    def any_of(limit: LimitPair) -> Array:
        p = weigh(limit)
        return p.shape[-1] * p.min(axis=-1)

    above, below = (all_of, any_of) if lowest else (any_of, all_of)
    return _weigh(limits, lambda limit: above(LimitPair(limit, np.inf)), lambda limit: below(LimitPair(-np.inf, limit)))


def find_peak(curve: Array) -> int:
    """Return the row with the highest median.

    Raises
    ------
    ValueError
        If no row has a value.
    """
    measured = _measured(curve)
    if not measured.size:
        raise ValueError("a curve without a value has no peak")
    return int(measured[np.nanmedian(curve[measured], axis=1).argmax()])


def _measured(curve: Array) -> npt.NDArray[np.int64]:
    """Return the rows that have a value."""
    return np.flatnonzero(np.isfinite(curve).any(axis=1))


def _share_out(places: int) -> float:
    """Return the level of one interval of several that are to hold together."""
    return 1 - (1 - _LEVEL) / places


def _weigh(
    limits: LimitPair, exceeds: Callable[[float], Array], stays_below: Callable[[float], Array]
) -> tuple[Array, Array]:
    """Return p-values for and against limits from those of being above, and of being below, a limit."""
    least, most = limits
    inside = [test(limit) for test, limit in ((exceeds, least), (stays_below, most)) if np.isfinite(limit)]
    outside = [test(limit) for test, limit in ((stays_below, least), (exceeds, most)) if np.isfinite(limit)]
    return np.minimum(1.0, np.max(inside, axis=0)), np.minimum(1.0, len(outside) * np.min(outside, axis=0))
