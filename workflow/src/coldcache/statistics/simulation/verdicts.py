"""Simulate claims with a known truth: how often peaks and places of peaks get a false verdict."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from coldcache.statistics.limits import Limits, weigh_mean
from coldcache.statistics.peaks import compare_peaks, weigh_place

Array = npt.NDArray[np.float64]

#: Noise of a rate, and the error rate of each verdict.
NOISE, ALPHA = 0.1, 0.05

_LEVEL_CURVE = np.zeros(6)
_ABOVE = Limits(0.0, np.inf)


def verdict_table(campaigns: int = 2000, seed: int = 1) -> pd.DataFrame:
    """Return how often claims about peaks are falsely borne out or refuted.

    Parameters
    ----------
    campaigns : int
        Simulated per row: curves of six thread counts with noise of 10 %.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    DataFrame
        One row per claim and number of rounds: ``false_verdicts`` (the larger share of both kinds at their limit),
        ``naive`` (the same if the rounds that choose also test), ``found`` (a true claim, 20 % beyond, borne out) and
        ``label``.
    """
    rows: list[tuple[Any, ...]] = []
    for claim in ("one peak above another", "the place of a peak"):
        for n in (6, 10, 20):
            random = np.random.default_rng([seed, len(rows)])
            false, naive, found = np.mean([_judge(random, claim, n) for _ in range(campaigns)], axis=0)
            allowed = ALPHA + 2 * np.sqrt(ALPHA * (1 - ALPHA) / campaigns)
            worst = float(max(false[:2]))
            shown = "as stated" if worst <= allowed else "not to be trusted"
            rows.append((claim, n, worst, float(max(naive[:2])), float(found[0]), shown))
    return pd.DataFrame(rows, columns=["claim", "rounds", "false_verdicts", "naive", "found", "label"])


def _judge(random: np.random.Generator, claim: str, n: int) -> tuple[tuple[bool, bool], ...]:
    """Return whether equal curves are falsely borne out and refuted, the same naively, and whether a rise is found."""
    first, second = (_LEVEL_CURVE[:, None] + random.normal(0, NOISE, (6, n)) for _ in range(2))
    raised = first + np.log(1.2) * (np.arange(6) == 3)[:, None]
    if claim == "the place of a peak":
        tested, true = weigh_place(first, 3), weigh_place(raised, 3)
        rival = int(np.delete(np.median(first, axis=1), 3).argmax())
        other = np.delete(first, 3, axis=0)[rival]
        naive = weigh_mean(first[3] - other, _ABOVE)
    else:
        tested, true = compare_peaks(first, second, _ABOVE), compare_peaks(raised, second, _ABOVE)
        tops = [curve[int(np.median(curve, axis=1).argmax())] for curve in (first, second)]
        naive = weigh_mean(tops[0] - tops[1], _ABOVE)
    return (
        (tested.p_for <= ALPHA, tested.p_against <= ALPHA),
        (naive.p_for <= ALPHA, naive.p_against <= ALPHA),
        (true.p_for <= ALPHA, True),
    )
