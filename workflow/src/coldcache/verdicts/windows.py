"""Sum what a tool noted of its processes over time, and tell whether a timed part was steady.

Five equal parts of it stand for the five rounds of SNIA's steady state. Rates of short windows vary by themselves, so
their parts must also differ by more than the windows within them do: by a test of variances at 0.1 %.
"""

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean, median
from typing import NamedTuple

from coldcache.core.records import Record
from coldcache.verdicts.evidence import direction_of
from coldcache.verdicts.steady_state import ROUNDS, Course, course_of, is_steady
from coldcache.verdicts.thresholds import Thresholds

#: Fewer windows in a part say nothing about how much windows vary.
LEAST_PER_PART = 2

#: How likely chance alone may let parts differ as much.
_CHANCE = 0.001

_METRICS = ("throughput", "throughput_per_process")


class RateChange(NamedTuple):
    """How the rate of a timed part changed: the mean of each of its equal parts, in B/s, and how they differ."""

    rates: tuple[float, ...]
    course: Course


def sum_windows(processes: Sequence[Sequence[Record]], operations: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """Return the rate of all processes together in each window, in B/s, by operation.

    Parameters
    ----------
    processes : sequence of sequence of Record
        What was noted of each process: rates with the ``time`` at which their windows end.
    operations : sequence of str
        Those of the trial. A series tells reads from writes, and no more.

    Returns
    -------
    dict of str to tuple of float
        Windows that some process has not are left out, and the last, which may be cut. Operations without a series,
        or with another of the same direction, are left out, too.
    """
    found = {}
    for operation in operations:
        direction = direction_of(operation)
        if [direction_of(other) for other in operations].count(direction) > 1:
            continue
        points = [_points_of(records, direction) for records in processes]
        if windows := _add([one for one in points if one]):
            found[operation] = windows
    return found


def _points_of(records: Sequence[Record], direction: str | None) -> list[tuple[float, float]]:
    """Return the time and rate of each window in one direction; a single call is no window."""
    return [
        (float(record.factors["time"]), record.value)
        for record in records
        if record.metric in _METRICS and record.statistic in ("value", "mean") and "time" in record.factors
        if "transfer_size" not in record.factors and direction_of(record.operation) == direction
    ]


def _add(processes: list[list[tuple[float, float]]]) -> tuple[float, ...]:
    """Return the sum over processes of each window but the last that all of them have."""
    steps = [after[0] - before[0] for one in processes for before, after in pairwise(one)]
    if not steps or (width := median(steps)) <= 0:
        return ()
    begin = min(one[0][0] for one in processes)
    # Points lie at the ends of their windows, some a little late: rounding puts them where they belong.
    placed = [{round((time - begin) / width): rate for time, rate in one} for one in processes]
    shared = sorted(set.intersection(*(set(one) for one in placed)))
    return tuple(sum(one[place] for one in placed) for place in shared[:-1])


def find_change(windows: Sequence[float], thresholds: Thresholds) -> RateChange | None:
    """Return how the rate changed; None if it was steady, or there are too few windows to tell."""
    size = len(windows) // ROUNDS
    if size < LEAST_PER_PART:
        return None
    parts = [windows[place * size : (place + 1) * size] for place in range(ROUNDS)]
    rates = tuple(fmean(part) for part in parts)
    course = course_of(rates)
    return None if is_steady(course, thresholds) or not _differ(parts) else RateChange(rates, course)


def _differ(parts: Sequence[Sequence[float]]) -> bool:
    """Return whether parts of equal length differ by more than the windows within them (analysis of variance)."""
    # Imported here: most trials have no series, and the import takes longer than judging them.
    from scipy.special import fdtrc

    means, size = [fmean(part) for part in parts], len(parts[0])
    mean, count = fmean(means), len(parts) * size
    between = size * sum((one - mean) ** 2 for one in means) / (len(parts) - 1)
    within = sum((rate - own) ** 2 for part, own in zip(parts, means, strict=True) for rate in part)
    if within == 0:
        return between > 0
    freedom = count - len(parts)
    return bool(fdtrc(len(parts) - 1, freedom, between * freedom / within) < _CHANCE)
