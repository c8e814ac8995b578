"""Evidence of one comparison for and against a claim, before the correction for the number of comparisons.

A comparison of rates becomes one logarithm per repetition; Student's test compares their mean with the limits of the
claim. Fewer than five repetitions decide nothing.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from coldcache.analysis.estimates import LEVEL
from coldcache.core.errors import NoData
from coldcache.statistics.array import Array
from coldcache.statistics.dependence import INDEPENDENT, Rounds
from coldcache.statistics.intervals import interval
from coldcache.statistics.limits import LimitPair, MeanTest, weigh_mean, weigh_median
from coldcache.statistics.stopping import LEAST_REPETITIONS
from coldcache.statistics.widening import refuse, refuse_verdict

#: Confidence levels to try if a method gives bounds but no p-value.
_LEVELS = (0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.998, 0.999, 0.9995, 0.9999)

#: Smallest relative difference worth finding if a claim states no margin.
WORTH = 0.05


class ComparisonResult(NamedTuple):
    """The result of one comparison.

    Attributes
    ----------
    says : str
        The result in words, or why there is none.
    estimate, low, high : float
        The estimate and its interval, in `unit`; NaN if there is none.
    unit : str
        A stored unit, or ``threads``.
    trials : int
        Number of trials compared.
    p_for, p_against : float
        Probability of data at least as much in favour of (against) the claim if it is false (true).
    decided : bool or None
        The outcome if chance plays no part, such as for a count; else None.
    spread : float
        Standard deviation of the logarithm between repetitions; NaN if unknown.
    n : int
        Repetitions.
    margin : float
        Smallest relative difference worth finding.
    rounds : Rounds
        Of the sweep.
    runs : tuple of float
        The figure of each repetition where they have no interval.
    missing : str
        What is needed if more repetitions would not help; else empty.
    level : float
        The level of the interval: few runs do not reach that of other intervals.
    by_chance : bool
        Whether chance plays a part.
    """

    says: str
    estimate: float = np.nan
    low: float = np.nan
    high: float = np.nan
    unit: str = "1"
    trials: int = 0
    p_for: float = 1.0
    p_against: float = 1.0
    decided: bool | None = None
    spread: float = np.nan
    n: int = 0
    margin: float = WORTH
    rounds: Rounds = INDEPENDENT
    runs: tuple[float, ...] = ()
    missing: str = ""
    level: float = LEVEL
    by_chance: bool = True

    @property
    def is_tested(self) -> bool:
        """Whether a test by chance was made: also one that finds nothing belongs to those that are corrected for."""
        found = (self.p_for, self.p_against) != (1.0, 1.0)
        return found or (self.by_chance and refuse_verdict(self.n, self.rounds) is None)


def weigh_logarithms(
    logs: Array, low: float, high: float, trials: int, margin: float = WORTH, rounds: Rounds = INDEPENDENT
) -> ComparisonResult:
    """Test whether the true mean of one logarithm per repetition lies between two limits.

    Parameters
    ----------
    logs : array of float, shape (n,)
        One per repetition; NaN if missing.
    low, high : float
        The limits of the logarithm; infinite if there is none.
    trials : int
        Number of trials that the logarithms were computed from.
    margin : float
        As in `ComparisonResult`.
    rounds : Rounds
        Of the sweep.

    Raises
    ------
    NoData
        If every repetition is missing.
    """
    found = weigh_mean(logs, LimitPair(low, high), rounds)
    if found.n == 0:
        raise NoData("no repetition has all that is compared")
    return as_evidence(found, logs, trials, margin, rounds)


def as_evidence(
    found: MeanTest, logs: Array, trials: int, margin: float = WORTH, rounds: Rounds = INDEPENDENT
) -> ComparisonResult:
    """Return the evidence of a test of logarithms; the repetitions themselves where they have no interval."""
    runs = tuple(float(value) for value in np.exp(logs[~np.isnan(logs)])) if refuse(found.n, rounds) else ()
    estimate, low, high = (float(np.exp(value)) for value in (found.mean, found.low, found.high))
    return ComparisonResult(
        "", estimate, low, high, trials=trials, p_for=found.p_for, p_against=found.p_against, spread=found.spread,
        n=found.n, margin=margin, rounds=rounds, runs=runs,
    )  # fmt: skip


def weigh_values(values: Array, low: float, high: float, rounds: Rounds = INDEPENDENT) -> ComparisonResult:
    """Test whether the true median of one value per repetition lies between two limits, by the sign test.

    Raises
    ------
    NoData
        If every repetition is missing.
    """
    found = interval(values, LEVEL, rounds)
    if found.n == 0:
        raise NoData("no repetition has all that is compared")
    p_for, p_against = weigh_median(values, LimitPair(low, high), rounds)
    logs = np.log(values[values > 0])
    return ComparisonResult(
        "", found.estimate, found.low, found.high, trials=found.n, p_for=p_for, p_against=p_against,
        spread=float(logs.std(ddof=1)) if logs.size > 1 else np.nan, n=found.n, rounds=rounds,
        runs=found.runs, level=found.level,
    )  # fmt: skip


def decide_exactly(held: npt.NDArray[np.bool_], says: str, of: str) -> ComparisonResult:
    """Return the evidence of counts, in which chance plays no part: all must hold, or none.

    Parameters
    ----------
    held : array of bool
        For each of them, whether it agrees with the claim.
    says : str
        The result in words.
    of : str
        What is counted, in the plural.
    """
    count = int(held.size)
    if count < LEAST_REPETITIONS:
        return ComparisonResult(says, trials=count, n=count, missing=f"{LEAST_REPETITIONS} {of} (now {count})")
    decided = bool(held.all()) if held.all() or not held.any() else None
    missing = "" if decided is not None else f"{of} that agree with each other"
    return ComparisonResult(says, trials=count, n=count, decided=decided, missing=missing, by_chance=False)


def weigh_bounds(bounds: Callable[[float], tuple[float, float]], low: float, high: float) -> tuple[float, float]:
    """Return p-values for and against limits for a method that gives only confidence bounds.

    Parameters
    ----------
    bounds : callable
        Maps a confidence level to an interval, which widens with the level.
    low, high : float
        The limits.

    Returns
    -------
    p_for, p_against : float
        Half of one minus the highest level tried whose interval lies entirely inside (outside); 1 if there is none.
    """
    p_for = p_against = 1.0
    for level in _LEVELS:
        least, most = bounds(level)
        if least >= low and most <= high:
            p_for = (1 - level) / 2
        elif most < low or least > high:
            p_against = (1 - level) / 2
        else:
            break
    return p_for, p_against


def combine(parts: Sequence[ComparisonResult]) -> ComparisonResult:
    """Combine the comparisons of a claim that needs all of them to hold.

    The weakest comparison decides for the claim (intersection-union test: Berger 1982, Technometrics 24:295); the
    strongest decides against it, corrected for their number (Bonferroni). The estimate is that of the comparison that
    decides.
    """
    refuting = [part for part in parts if part.decided is False]
    if refuting:
        return refuting[0]
    for_it = [0.0 if part.decided else part.p_for for part in parts]
    against = min(1.0, len(parts) * min(1.0 if part.decided else part.p_against for part in parts))
    strongest = min(parts, key=lambda part: 1.0 if part.decided else part.p_against)
    weakest = max(zip(for_it, parts, strict=True), key=lambda one: (one[0], one[1].trials))[1]
    shown = strongest if against < max(for_it) else weakest
    decided = True if all(part.decided for part in parts) else None
    return shown._replace(p_for=max(for_it), p_against=against, decided=decided)
