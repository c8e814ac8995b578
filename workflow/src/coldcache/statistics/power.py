"""Which difference a number of runs shows, in one phrase for plans, comparisons and claims."""

import math

from coldcache.statistics.dependence import INDEPENDENT, Rounds
from coldcache.statistics.equivalence import pairs_needed, smallest_ratio
from coldcache.statistics.stopping import LEAST_REPETITIONS
from coldcache.statistics.widening import refuse_verdict, widening

#: Share of campaigns that find a true difference of the size that is promised.
POWER = 0.8

_MOST_RUNS = 1000


def describe_power(
    spread: float, n: int, ratio: float = 1.05, level: float = 0.95, rounds: Rounds = INDEPENDENT
) -> str:
    """Return how many runs show a difference: ``54 runs per case would show 5 % with 80 % power (5 show 16 %)``.

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
    rounds : Rounds
        Of the sweep.
    """
    wider = spread * widening(max(n, LEAST_REPETITIONS), rounds)
    wanted = f"{100 * (ratio - 1):g} % with {100 * POWER:g} % power"
    shown = smallest_difference(spread, n, level, rounds)
    share = f"{100 * shown:,.0f}" if 100 * shown >= 10 else f"{100 * shown:.2g}"
    now = f"({n} show {share} %)" if math.isfinite(shown) else f"({n} show nothing)"
    if shown <= ratio - 1:
        return f"{n} runs per case show {wanted}"
    try:
        needed = max(pairs_needed(wider, ratio, POWER, level, _MOST_RUNS), LEAST_REPETITIONS)
    except ValueError:
        return f"at this scatter {_MOST_RUNS:,} runs per case would not show {wanted} {now}"
    return f"{needed} runs per case would show {wanted} {now}"


def smallest_difference(spread: float, n: int, level: float = 0.95, rounds: Rounds = INDEPENDENT) -> float:
    """Return the smallest relative difference that `n` runs per case show with 80 % power; infinite if they show none.

    Parameters
    ----------
    spread, n, level, rounds
        As for `describe_power`.
    """
    if refuse_verdict(n, rounds):
        return math.inf
    return smallest_ratio(spread * widening(n, rounds), n, POWER, level) - 1
