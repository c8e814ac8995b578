"""Simulate campaigns whose rounds depend on each other: how often medians and ratios cover the truth.

Every campaign has several cases that run in the same rounds. Their correlation is measured as in a sweep, and intervals
are widened by it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy import special

from coldcache.statistics.dependence import effective_repetitions, neighbour_correlation
from coldcache.statistics.intervals import bounds_of_rows
from coldcache.statistics.simulation.intervals import label

Array = npt.NDArray[np.float64]

#: Cases of a sweep that share their rounds.
CASES = 24

#: Rounds and correlations of neighbours that are tried.
ROUNDS, CORRELATIONS = (6, 10, 20), (0.0, 0.4, 0.8)


def _skewed(share: Array) -> Array:
    """Return lognormal rates with a spread of 30 %."""
    return np.exp(0.3 * special.ndtri(share))


def _slow_tailed(share: Array) -> Array:
    """Return rates of runs that take the best time plus an exponential delay of 30 % on average."""
    return 1 / (1 - 0.3 * np.log1p(-share))


def _two_modes(share: Array) -> Array:
    """Return rates of which 3 in 10 are 30 % slower, with noise of 3 %."""
    slow = share < 0.3
    within = np.where(slow, share / 0.3, (share - 0.3) / 0.7)
    return np.where(slow, 0.7, 1.0) * np.exp(0.03 * special.ndtri(np.clip(within, 1e-9, 1 - 1e-9)))


#: Noise by name, as a function of the share of values below.
SHAPES: dict[str, Callable[[Array], Array]] = {
    "skewed": _skewed,
    "slow tail": _slow_tailed,
    "two modes, 7 to 3": _two_modes,
}

#: Noise whose values lie in two modes, by the least value of that in which the median lies.
MODE_OF_MEDIAN = {"two modes, 7 to 3": 0.85}

#: A rise by 20 % over all rounds of a campaign, on top of the noise of 5 % that it has.
DRIFT = "drift of 20 %"


def rounds_table(campaigns: int = 400, seed: int = 1) -> pd.DataFrame:
    """Return how often 95 % intervals cover the truth if neighbouring rounds are correlated.

    Parameters
    ----------
    campaigns : int
        Simulated per row, with `CASES` cases and as many to pair them with; the standard error of a coverage of 95 % is
        about 1 percentage point from 400, as the cases of a campaign share one measured correlation.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    DataFrame
        One row per noise, correlation and rounds: ``worth`` (independent rounds that so many are worth), ``measured``
        (mean of the correlations measured), ``seen`` (share of cases with a round in the mode in which the median lies:
        no interval of what was seen covers more medians), ``median`` and ``ratio`` (coverage of the interval of a
        case's median and of the ratio of two cases), ``label`` of the worse.
    """
    rows: list[tuple[Any, ...]] = []
    for name in (*SHAPES, DRIFT):
        for correlation in CORRELATIONS:
            for n in ROUNDS:
                random = np.random.default_rng([seed, len(rows)])
                found = [_campaign(random, name, n, correlation) for _ in range(campaigns)]
                measured, seen, median, ratio = np.mean(found, axis=0)
                worst = min(median, ratio, key=lambda share: min(share - 0.935, 0.965 - share))
                worth = effective_repetitions(n, correlation)
                shown = label(float(worst), campaigns)
                rows.append(
                    (name, correlation, n, worth, float(measured), float(seen), float(median), float(ratio), shown)
                )
    columns = ["noise", "correlation", "rounds", "worth", "measured", "seen", "median", "ratio", "label"]
    return pd.DataFrame(rows, columns=columns)


def _campaign(random: np.random.Generator, name: str, n: int, correlation: float) -> tuple[float, float, float, float]:
    """Return the measured correlation, and the shares of cases seen, and of medians and ratios covered."""
    series = _correlated(random, (2 * CASES, n), correlation)
    if name == DRIFT:
        rates = np.exp(0.05 * series + 0.2 * (np.arange(n) + 0.5) / n)
        true = np.exp(0.1)
    else:
        rates, true = SHAPES[name](special.ndtr(series)), float(SHAPES[name](np.array([0.5]))[0])
    own = neighbour_correlation(rates)
    seen = float(np.mean((rates > MODE_OF_MEDIAN.get(name, 0.0)).any(axis=1)))
    _, low, high, _ = bounds_of_rows(rates, "median", 0.95, own)
    median = float(np.mean((low <= true) & (true <= high)))
    ratios = rates[:CASES] / rates[CASES:]
    _, low, high, _ = bounds_of_rows(ratios, "geometric", 0.95, neighbour_correlation(rates, paired=True))
    return own, seen, median, float(np.mean((low <= 1) & (high >= 1)))


def _correlated(random: np.random.Generator, shape: tuple[int, int], correlation: float) -> Array:
    """Return normal series of unit variance, each value correlated with the one before it."""
    steps = random.standard_normal(shape)
    steps[:, 1:] *= np.sqrt(1 - correlation**2)
    for place in range(1, shape[1]):
        steps[:, place] += correlation * steps[:, place - 1]
    return steps
