"""Simulate campaigns whose rounds depend on each other: how often medians and ratios cover the truth.

Every campaign has several cases that run in the same rounds. Their drift and correlation are measured as in a sweep.
"""

from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from coldcache.statistics.array import Array
from coldcache.statistics.bounds import order_bounds, t_bounds
from coldcache.statistics.dependence import effective_repetitions, measure_campaigns
from coldcache.statistics.simulation.labels import label_coverage
from coldcache.statistics.simulation.noise import CASES, DRIFT, Setting, list_settings
from coldcache.statistics.widening import depths_of_order, refuse, welch, widenings


def rounds_table(campaigns: int = 4000, cases: int = CASES, seed: int = 1) -> pd.DataFrame:
    """Return how often 95 % intervals cover the truth if rounds drift, or neighbouring runs are correlated.

    Parameters
    ----------
    campaigns : int
        Simulated per row.
    cases : int
        Of each campaign; half of them are paired with the others.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    DataFrame
        One row per noise, correlation and rounds: ``worth`` (independent rounds that so many are worth), ``measured``
        and ``drift`` (means of those measured), ``given`` (share of intervals that are given), ``median`` and ``ratio``
        (coverage of the interval of a case's median and of the ratio of two cases), ``change`` (that of the ratio of a
        case in two campaigns, whose rounds do not pair; not for drift, which such a ratio counts as noise), ``error``
        (largest standard error of these) and ``label`` of the worst.
    """
    rows: list[tuple[Any, ...]] = []
    for setting in list_settings():
        found = [_judge(setting, rates) for rates in setting.simulate(campaigns, cases, seed)]
        each = {name: np.concatenate([part[name] for part in found]) for name in found[0]}
        given = each["given"].astype(bool)
        shares = {name: float(each[name][given].mean()) if given.mean() >= 0.005 else np.nan for name in COVERED}
        known = [name for name in COVERED if shares[name] == shares[name]]
        error = max((each[name][given].std() / np.sqrt(given.sum()) for name in known), default=np.nan)
        worst = max((shares[name] for name in known), key=lambda share: abs(share - 0.95), default=np.nan)
        worth = effective_repetitions(setting.rounds, setting.correlation)
        measured = [float(each[name].mean()) for name in ("measured", "drift", "given")]
        shown = label_coverage(worst, given=measured[-1])
        rows.append((*setting, worth, *measured, *shares.values(), float(error), shown))
    columns = ["noise", "correlation", "rounds", "worth", "measured", "drift", "given", *COVERED, "error", "label"]
    return pd.DataFrame(rows, columns=columns)


def few_table(campaigns: int = 4000, seed: int = 1) -> pd.DataFrame:
    """Return the same for sweeps of six cases, which show a correlation less well."""
    return rounds_table(campaigns, 6, seed)


#: What is covered: the columns of `rounds_table`.
COVERED = ("median", "ratio", "change")


def _judge(setting: Setting, rates: Array) -> dict[str, Array]:
    """Return what was measured in each campaign, and the share of its intervals that cover."""
    logs, n = np.log(rates), setting.rounds
    rounds = measure_campaigns(logs[:, None])
    given = [refuse(n, rounds.one(place)) is None for place in range(len(rates))]
    depth = depths_of_order(n, rounds.drift, rounds.correlation)
    low, high = order_bounds(rates, depth[:, None])
    half = logs.shape[1] // 2
    ratios = logs[:, :half] - logs[:, half:]
    wider = widenings(n, rounds.of_logarithms, rounds.modes)[:, None]
    least, most = t_bounds(ratios, 0.95, wider)
    return {
        "measured": rounds.correlation, "drift": rounds.drift, "given": np.array(given, dtype=float),
        "median": _share(low, high, setting.median), "ratio": _share(least, most, 0.0),
        "change": np.full(len(rates), np.nan) if setting.noise == DRIFT else _cover_change(logs),
    }  # fmt: skip


def _cover_change(logs: Array) -> Array:
    """Return the share of cases whose unpaired ratio to the next campaign is covered."""
    n = logs.shape[-1]
    own = measure_campaigns(logs[:, None], blocks=False)
    wider = widenings(n, own.of_logarithms, own.modes, sides=2)[:, None]
    next_one = np.roll(logs, 1, axis=0)
    error, freedom = welch(logs, next_one, [wider, np.roll(wider, 1, axis=0)])
    return np.mean(np.abs(logs.mean(-1) - next_one.mean(-1)) <= special.stdtrit(freedom, 0.975) * error, axis=1)


def _share(low: Array, high: Array, true: float) -> Array:
    """Return the share of the intervals of each campaign that cover."""
    return np.mean((low <= true) & (true <= high), axis=1)
