"""Decide when a case has been repeated often enough: its interval is narrow, or the budget is spent."""

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

#: The fewest repetitions for an interval; fewer cannot bound a median at 95 %.
LEAST_REPETITIONS = 5

#: Coverage of the interval that is to be narrow. Whoever looks after every repetition stops while the runs happen to be
#: close; the wider interval of this level waits for more, so that the 95 % interval of the runs then made still covers.
LOOKED_AT = 0.995


class Stop(NamedTuple):
    """The decision whether to repeat a case.

    Attributes
    ----------
    enough : bool
        Whether to stop.
    relative_width : float
        Width of the interval looked at over its estimate; NaN where there is none.
    reason : str or None
        ``narrow enough``, ``most repetitions reached`` or ``budget spent``; None if the case goes on.
    further : int
        Expected number of further repetitions, at least 1 if the case goes on; 0 if it stops.
    """

    enough: bool
    relative_width: float
    reason: str | None
    further: int


def enough(
    values: "ArrayLike",
    wanted_relative_width: float,
    most: int = 30,
    least: int = LEAST_REPETITIONS,
    seconds_left: float = math.inf,
    seconds_each: float = 0.0,
    level: float = LOOKED_AT,
) -> Stop:
    """Return whether a case has been repeated often enough.

    A case goes on until the interval of its median is narrower than asked (Hoefler and Belli 2015, on the number of
    measurements), the most repetitions are reached, or another would not fit into the time left. The interval looked at
    is that of `level`, which takes nine repetitions at least: stopping at the first narrow 95 % interval would make it
    cover less than it says (`coldcache.statistics.simulation.tests.stopping_table`). How repetitions depend on their
    order is measured on them.

    Parameters
    ----------
    values : array of float, shape (n,)
        Rates of the valid repetitions so far, in any unit; NaN, a trial that failed, counts towards `most` only.
    wanted_relative_width : float
        Width over estimate that is narrow enough: 0.1 means 5 % to either side.
    most : int
        Repetitions after which to stop in any case.
    least : int
        Repetitions before which the rule never stops because of the width.
    seconds_left : float
        The rest of the budget, in seconds.
    seconds_each : float
        Duration of one more repetition, in seconds.
    level : float
        Coverage of the interval looked at.

    Returns
    -------
    Stop

    Raises
    ------
    ValueError
        If the wanted width is not positive, or `most` is smaller than `least`.
    """
    # Imported here: a plan does not need them, and would wait longer for SciPy than for everything else.
    import numpy as np

    from coldcache.statistics.dependence import measure_rounds
    from coldcache.statistics.intervals import interval

    _refuse_unreachable(wanted_relative_width, most, least)
    rates = np.asarray(values, dtype=float)
    found = interval(rates, level, measure_rounds([rates]))
    width = (found.high - found.low) / abs(found.estimate) if found.n > 1 else math.nan
    # The range of n values covers their median with 1 - 2^(1-n).
    earliest = max(least, math.ceil(1 - math.log2(1 - level)))
    if found.n >= earliest and width <= wanted_relative_width:
        return Stop(True, float(width), "narrow enough", 0)
    if rates.size >= most:
        return Stop(True, float(width), "most repetitions reached", 0)
    if seconds_each > seconds_left:
        return Stop(True, float(width), "budget spent", 0)
    # Widths shrink with the square root of n, and the range of few more slowly, so this is a lower bound.
    expected = math.ceil(found.n * (width / wanted_relative_width) ** 2) if found.n >= earliest else earliest
    return Stop(False, float(width), None, min(max(expected - found.n, 1), most - rates.size))


def _refuse_unreachable(wanted_relative_width: float, most: int, least: int) -> None:
    if wanted_relative_width <= 0:
        raise ValueError(
            f"stop rule: a relative width of {wanted_relative_width:g} is never reached: ask for 0.1 or so"
        )
    if most < least:
        raise ValueError(f"stop rule: at most {most} repetitions but at least {least}: raise the most")
