"""Tell whether rates are in a steady state, as SNIA's test of solid-state storage defines it.

Source: SNIA, Solid State Storage Performance Test Specification 2.0.2 (2020), "Steady State": within a measurement
window of five rounds, the largest and the smallest differ by at most 20 % of the mean, and the line fitted to them
rises or falls by at most 10 % of the mean.
"""

from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

from coldcache.verdicts.thresholds import Thresholds

#: Rounds of a measurement window.
ROUNDS = 5


class Course(NamedTuple):
    """How much the rates of some rounds differ, as shares of their mean.

    Attributes
    ----------
    spread : float
        The largest minus the smallest.
    slope : float
        The change from the first to the last along the line that fits best; negative for a fall.
    """

    spread: float
    slope: float


def course_of(rates: Sequence[float]) -> Course:
    """Return how much the rates of at least two rounds differ; infinitely if all are zero."""
    mean, middle = fmean(rates), (len(rates) - 1) / 2
    if mean == 0:
        return Course(float("inf"), float("inf"))
    places = [place - middle for place in range(len(rates))]
    slope = sum(place * rate for place, rate in zip(places, rates, strict=True)) / sum(place**2 for place in places)
    return Course((max(rates) - min(rates)) / mean, slope * (len(rates) - 1) / mean)


def is_steady(course: Course, thresholds: Thresholds) -> bool:
    """Return whether rates differ by no more than a steady state allows."""
    return course.spread <= thresholds.steady_spread and abs(course.slope) <= thresholds.steady_slope


def ends_steady(rates: Sequence[float], thresholds: Thresholds) -> bool:
    """Return whether the last `ROUNDS` of some rounds are in a steady state; False for fewer rounds."""
    return len(rates) >= ROUNDS and is_steady(course_of(rates[-ROUNDS:]), thresholds)
