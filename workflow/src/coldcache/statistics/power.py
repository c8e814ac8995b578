"""Which difference a number of runs shows, in one phrase for plans, comparisons and claims."""

import math

from coldcache.statistics.equivalence import pairs_needed, smallest_ratio
from coldcache.statistics.stopping import LEAST_REPETITIONS

#: Share of campaigns that find a true difference of the size that is promised.
POWER = 0.8

_MOST_RUNS = 1000


def describe_power(spread: float, n: int, ratio: float = 1.05, level: float = 0.95) -> str:
    """Return how many runs show a difference: ``54 runs per case (now 5) would show 5 % with 80 % power``.

    Parameters
    ----------
    spread : float
        Standard deviation of the logarithm of the ratio within a round.
    n : int
        Runs per case so far.
    ratio : float
        The difference worth finding, as a ratio above 1.
    level : float
        One minus the error rate of the test.
    """
    shown = f"{100 * (ratio - 1):g} % with {100 * POWER:g} % power"
    try:
        needed = max(pairs_needed(spread, ratio, POWER, level, _MOST_RUNS), LEAST_REPETITIONS)
    except ValueError:
        return f"at this scatter {_MOST_RUNS:,} runs per case would not show {shown}"
    return f"{needed} runs per case (now {n}) would show {shown}" if needed > n else f"{n} runs per case show {shown}"


def smallest_difference(spread: float, n: int) -> float:
    """Return the smallest relative difference that `n` runs per case show with 80 % power; infinite from too few.

    Parameters
    ----------
    spread : float
        Standard deviation of the logarithm of the ratio within a round.
    n : int
        Runs per case.
    """
    return smallest_ratio(spread, n, POWER) - 1 if n >= LEAST_REPETITIONS else math.inf
