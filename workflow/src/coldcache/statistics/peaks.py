"""Compare peaks of curves without choosing and testing them on the same rounds.

Rounds are split: the even ones choose where a curve is highest, the odd ones test. A highest value is biased upwards in
the rounds that chose it, and unbiased in the others.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from coldcache.statistics.limits import Limits, MeanTest, weigh_mean

Array = npt.NDArray[np.float64]


class PeakTest(NamedTuple):
    """The comparison of the peaks of two curves, or of one curve with its other places.

    Attributes
    ----------
    test : MeanTest
        The comparison of the chosen places, in the rounds that did not choose them.
    places : tuple of int
        The chosen place of each curve.
    p_for, p_against : float
        Probability of data as much in favour of (against) the limits if they do not hold (do hold).
    """

    test: MeanTest
    places: tuple[int, int]
    p_for: float
    p_against: float


def compare_peaks(above: Array, below: Array, limits: Limits, correlation: float = 0.0) -> PeakTest:
    """Test whether the ratio of the peaks of two curves lies within limits.

    The ratio is above a limit if the chosen place of the first curve beats every place of the second; it is below if
    every place of the first loses against the chosen place of the second (intersection-union test: Berger 1982).

    Parameters
    ----------
    above, below : array of float, shape (levels, rounds)
        Logarithms of rates; NaN is missing. The levels of the two may differ, the rounds are the same.
    limits : Limits
        Of the logarithm of the ratio.
    correlation : float
        Of neighbouring rounds.

    Raises
    ------
    ValueError
        If no round is left to choose or to test.
    """
    places = choose_peak(above), choose_peak(below)
    odd = slice(1, None, 2)
    top, bottom = above[places[0], odd], below[places[1], odd]
    over = [top - row[odd] for row in below if np.isfinite(row[odd]).any()]
    under = [row[odd] - bottom for row in above if np.isfinite(row[odd]).any()]
    main = weigh_mean(top - bottom, limits, correlation)
    least, most = limits
    # One curve's best place against every place of the other; a limit that is missing holds anyway.
    beats = [weigh_mean(logs, Limits(least, np.inf), correlation) for logs in over] if np.isfinite(least) else []
    loses = [weigh_mean(logs, Limits(-np.inf, most), correlation) for logs in under] if np.isfinite(most) else []
    not_above = [weigh_mean(logs, Limits(least, np.inf), correlation) for logs in under] if np.isfinite(least) else []
    not_below = [weigh_mean(logs, Limits(-np.inf, most), correlation) for logs in over] if np.isfinite(most) else []
    p_for = max((one.p_for for one in (*beats, *loses)), default=1.0)
    against = [max(one.p_against for one in side) for side in (not_above, not_below) if side]
    return PeakTest(main, places, p_for, min(1.0, len(against) * min(against, default=1.0)))


def weigh_place(curve: Array, place: int, correlation: float = 0.0) -> PeakTest:
    """Test whether a curve is highest at a place that was named before it was measured.

    Every other place must be lower (intersection-union test, over all rounds: nothing is chosen). Against it speaks the
    highest other place, chosen by the even rounds and tested by the odd ones.

    Parameters
    ----------
    curve : array of float, shape (levels, rounds)
        Logarithms of rates; NaN is missing.
    place : int
        The row that is claimed to be the highest.
    correlation : float
        Of neighbouring rounds.

    Raises
    ------
    ValueError
        If there is no other place, or no round to choose it.
    """
    positive = Limits(0.0, np.inf)
    others = [row for row in range(len(curve)) if row != place and np.isfinite(curve[row]).any()]
    if not others:
        raise ValueError("a peak is one of several places")
    beats = [weigh_mean(curve[place] - curve[row], positive, correlation) for row in others]
    rival = others[choose_peak(curve[others])]
    main = weigh_mean(curve[place] - curve[rival], positive, correlation)
    odd = slice(1, None, 2)
    against = weigh_mean(curve[place][odd] - curve[rival][odd], positive, correlation)
    return PeakTest(main, (place, rival), max(one.p_for for one in beats), against.p_against)


def choose_peak(curve: Array) -> int:
    """Return the row with the highest median in the even rounds.

    Raises
    ------
    ValueError
        If no row has a value in an even round.
    """
    even = curve[:, ::2]
    known = np.isfinite(even).any(axis=1)
    if not known.any():
        raise ValueError("no round is left to choose a peak")
    medians = np.full(len(curve), -np.inf)
    medians[known] = np.nanmedian(even[known], axis=1)
    return int(medians.argmax())
