"""Decide which cases became better, worse or stayed alike, corrected for their number."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coldcache.report.comparison.match import LOWER_IS_BETTER, MatchedCase
from coldcache.statistics.array import Array
from coldcache.statistics.dependence import Rounds, measure_rounds
from coldcache.statistics.equivalence import Comparison, adjust, compare
from coldcache.statistics.power import describe_power

#: Family-wise confidence of a comparison's findings, and the coverage of each interval.
FAMILY_LEVEL = 0.95

#: Verdicts on a case.
DECISIONS = ("worse", "better", "alike", "undecided")


class Decision(NamedTuple):
    """The decision on one case of two campaigns.

    Attributes
    ----------
    case : MatchedCase
        The case.
    base, other : float
        The median of each campaign, in the case's unit.
    ratio, low, high : float
        The second campaign's geometric mean over the first's, with its interval; NaN bounds if a campaign has fewer
        than five values.
    verdict : str
        One of `DECISIONS`. ``worse`` and ``better``: the change is shown to be beyond the threshold; ``alike``: it is
        shown to be within.
    p : float
        The p-value of the deciding test, corrected for the number of cases; NaN if there are too few values.
    smallest : float
        The smallest change, as a ratio above 1, that data with this spread would show with 80 % power; infinite if
        no change can be shown.
    power : str or None
        How many runs per case would show the threshold with 80 % power; None if the spread is not known.
    """

    case: MatchedCase
    base: float
    other: float
    ratio: float
    low: float
    high: float
    verdict: str
    p: float
    smallest: float
    power: str | None = None


def decide(cases: Sequence[MatchedCase], threshold: float) -> list[Decision]:
    """Decide on each case of two campaigns.

    Welch's test on logarithms tests each case twice: whether its change is beyond the threshold, and whether it is
    within (two one-sided tests). All tests of one kind are corrected together (Holm).

    Parameters
    ----------
    cases : sequence of MatchedCase
        All of them are one family.
    threshold : float
        The smallest change that matters, such as 0.05: a speed that falls to 1/1.05 or rises to 1.05 times.

    Raises
    ------
    ValueError
        If the threshold is not positive, or a value is zero or negative.
    """
    if not cases:
        return []
    speeds = [_speeds(case) for case in cases]
    # Holm's first step is the strictest; a change that passes it is shown whatever the other cases do.
    strictest = 1 - (1 - FAMILY_LEVEL) / len(cases)
    # What moves whole rounds is not left out: another campaign runs at another time.
    own, others = (measure_rounds(_stack([pair[side] for pair in speeds]), blocks=False) for side in (0, 1))
    plain, shown = (
        [compare(after, before, threshold, level, (others, own)) for before, after in speeds]
        for level in (strictest, FAMILY_LEVEL)
    )
    beyond = adjust([found.p_beyond for found in plain])
    within = adjust([found.p_equivalence for found in plain])
    decisions = []
    for index, (case, found) in enumerate(zip(cases, plain, strict=True)):
        verdict, p = "undecided", np.fmin(beyond[index], within[index])
        if beyond[index] <= 1 - FAMILY_LEVEL:
            verdict, p = "worse" if found.ratio < 1 else "better", beyond[index]
        elif within[index] <= 1 - FAMILY_LEVEL:
            verdict, p = "alike", within[index]
        ratio, low, high = _in_unit(shown[index], case)
        decisions.append(Decision(
            case, _median(case.base), _median(case.other), ratio, low, high, verdict, float(p), found.smallest_beyond,
            _describe_power(case, threshold, max(own, others, key=lambda rounds: rounds.of_logarithms)),
        ))  # fmt: skip
    return decisions


def _speeds(case: MatchedCase) -> tuple[Array, Array]:
    """Return the values of both campaigns as speeds: higher is better."""
    if case.metric in LOWER_IS_BETTER:
        return 1 / case.base, 1 / case.other
    return case.base, case.other


def _in_unit(found: Comparison, case: MatchedCase) -> tuple[float, float, float]:
    """Return the ratio of the values with its interval; speeds of times are inverted back."""
    if case.metric in LOWER_IS_BETTER:
        return 1 / found.ratio, 1 / found.high, 1 / found.low
    return found.ratio, found.low, found.high


def _median(values: Array) -> float:
    return float(np.nanmedian(values)) if np.isfinite(values).any() else np.nan


def _describe_power(case: MatchedCase, threshold: float, rounds: Rounds) -> str | None:
    """Return how many runs per case would show a change by the threshold, at the scatter of both campaigns."""
    sides = [np.log(side[~np.isnan(side)]) for side in (case.base, case.other)]
    if min(side.size for side in sides) < 2:
        return None
    spread = float(np.sqrt(sum(side.var(ddof=1) for side in sides)))
    runs = min(side.size for side in sides)
    return describe_power(max(spread, 1e-9), runs, 1 + threshold, rounds=rounds)


def _stack(values: Sequence[Array]) -> Array:
    """Return the trials of each case as a row, NaN where one has fewer."""
    table = np.full((len(values), max(row.size for row in values)), np.nan)
    for row, trials in zip(table, values, strict=True):
        row[: trials.size] = trials
    return table
