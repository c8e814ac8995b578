"""Decide which cases became better, worse or stayed alike, corrected for their number."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import xarray as xr

from coldcache.report.comparison.match import LOWER_IS_BETTER, MatchedCase
from coldcache.statistics.equivalence import Array, adjust, compare
from coldcache.statistics.intervals import interval_over
from coldcache.statistics.ratios import ratio_of_estimates

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
        The second median over the first, with its interval; NaN bounds if a campaign has only one value.
    verdict : str
        One of `DECISIONS`. ``worse`` and ``better``: the change is shown to be beyond the threshold; ``alike``: it is
        shown to be within.
    p : float
        The p-value of the deciding test, corrected for the number of cases; NaN if there are too few values.
    smallest : float
        The smallest change, as a ratio above 1, that data with this spread would show with 80 % power; infinite if
        no change can be shown.
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
    plain = [compare(after, before, threshold, strictest, paired=False) for before, after in speeds]
    beyond = adjust([found.p_beyond for found in plain])
    within = adjust([found.p_equivalence for found in plain])
    ratios = _ratios(cases)
    decisions = []
    for index, (case, found) in enumerate(zip(cases, plain, strict=True)):
        verdict, p = "undecided", np.fmin(beyond[index], within[index])
        if beyond[index] <= 1 - FAMILY_LEVEL:
            verdict, p = "worse" if found.ratio < 1 else "better", beyond[index]
        elif within[index] <= 1 - FAMILY_LEVEL:
            verdict, p = "alike", within[index]
        figures = {name: float(ratios[name][index]) for name in ("base", "other", "ratio", "low", "high")}
        decisions.append(Decision(case, **figures, verdict=verdict, p=float(p), smallest=found.smallest_beyond))
    return decisions


def _speeds(case: MatchedCase) -> tuple[Array, Array]:
    """Return the values of both campaigns as speeds: higher is better."""
    if case.metric in LOWER_IS_BETTER:
        return 1 / case.base, 1 / case.other
    return case.base, case.other


def _ratios(cases: Sequence[MatchedCase]) -> dict[str, Array]:
    """Return the medians of both campaigns and their ratios with intervals, each of shape (cases,)."""
    before, after = (_estimate([getattr(case, side) for case in cases]) for side in ("base", "other"))
    ratio = ratio_of_estimates(after, before)
    parts = {"ratio": ratio.estimate, "low": ratio.low, "high": ratio.high}
    return {name: part.to_numpy() for name, part in {**parts, "base": before.estimate, "other": after.estimate}.items()}


def _estimate(values: Sequence[Array]) -> xr.Dataset:
    table = np.full((len(values), max(row.size for row in values)), np.nan)
    for row, trials in zip(table, values, strict=True):
        row[: trials.size] = trials
    return interval_over(xr.DataArray(table, dims=("case", "repetition")), level=FAMILY_LEVEL)
