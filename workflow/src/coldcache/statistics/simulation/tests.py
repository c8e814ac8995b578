"""Simulate data with a known truth: how often tests, stop rule, outlier marks and percentiles of series are right."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr
from scipy import stats

from coldcache.statistics.array import Array
from coldcache.statistics.bounds import order_bounds
from coldcache.statistics.dependence import measure_campaigns
from coldcache.statistics.equivalence import adjust, smallest_ratio
from coldcache.statistics.intervals import Interval
from coldcache.statistics.limits import LimitPair, weigh_means
from coldcache.statistics.outliers import mark_outliers
from coldcache.statistics.percentiles import percentile
from coldcache.statistics.series import correlate
from coldcache.statistics.simulation.intervals import SAMPLES, true_median
from coldcache.statistics.simulation.labels import label_coverage
from coldcache.statistics.stopping import LEAST_REPETITIONS, LOOKED_AT
from coldcache.statistics.widening import depths_of_order, reach_of_order

#: The most repetitions that the stop rule asks for.
_MOST = 30


def power_table(campaigns: int = 4000, spread: float = 0.05, seed: int = 1) -> pd.DataFrame:
    """Return how often a true ratio of size `smallest_ratio` is found; it promises 0.8.

    Parameters
    ----------
    campaigns : int
        Simulated per row.
    spread : float
        Standard deviation of the logarithm of the ratio within a pair.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    DataFrame
        One row per number of pairs: ``smallest_ratio`` and ``found`` (share of campaigns).
    """
    rows: list[tuple[Any, ...]] = []
    for n in (5, 6, 10, 20):
        random = np.random.default_rng([seed, n])
        ratio = smallest_ratio(spread, n)
        pairs = ratio * np.exp(random.normal(0, spread, (campaigns, n)))
        found = weigh_means(np.log(pairs), LimitPair(0.0, np.inf))
        rows.append((n, ratio, float(np.mean((found.low > 0) | (found.high < 0)))))
    return pd.DataFrame(rows, columns=["n", "smallest_ratio", "found"])


def correction_table(families: int = 2000, comparisons: int = 20, seed: int = 1) -> pd.DataFrame:
    """Return the false findings of twenty comparisons, half of them real, with and without correction.

    Parameters
    ----------
    families : int
        Sets of comparisons simulated.
    comparisons : int
        In each set; half have a true ratio of 1.1 at a spread of 5 % and five pairs, half of 1.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    DataFrame
        One row per correction: ``any_false`` (share of sets with a false finding), ``false_share`` (mean share of
        false ones among the findings), ``found`` (share of real ones found).
    """
    random = np.random.default_rng(seed)
    real = np.arange(comparisons) < comparisons // 2
    shift = np.where(real, np.log(1.1), 0.0)
    logs = shift[:, None] + random.normal(0, 0.05, (families, comparisons, 5))
    p_values = stats.ttest_1samp(logs, 0.0, axis=-1).pvalue
    rows: list[tuple[Any, ...]] = []
    for method in ("none", "holm", "benjamini-hochberg"):
        corrected = p_values if method == "none" else np.array([adjust(p, method) for p in p_values])
        findings = corrected <= 0.05
        false = findings[:, ~real].sum(axis=1)
        share = false / np.maximum(findings.sum(axis=1), 1)
        rows.append((method, float((false > 0).mean()), float(share.mean()), float(findings[:, real].mean())))
    return pd.DataFrame(rows, columns=["correction", "any_false", "false_share", "found"])


def stopping_table(campaigns: int = 4000, seed: int = 1) -> pd.DataFrame:
    """Return the cost of the stop rule: its repetitions, and the coverage of its final interval.

    Parameters
    ----------
    campaigns : int
        Simulated per row, with at most 30 repetitions each.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    DataFrame
        One row per noise and wanted relative width: ``repetitions`` (mean), ``narrow`` (share of campaigns that got
        there), ``coverage`` of the 95 % interval, ``label``.
    """
    rows: list[tuple[Any, ...]] = []
    for place, (name, sample) in enumerate(SAMPLES.items()):
        values = sample(np.random.default_rng([seed, place]), (campaigns, _MOST))
        counts = [count for count in range(LEAST_REPETITIONS, _MOST + 1) if reach_of_order(count) >= LOOKED_AT]
        low, high = _bounds_of_first(values, counts, 0.95)
        covered = (low <= true_median(name)) & (true_median(name) <= high)
        low, high = _bounds_of_first(values, counts, LOOKED_AT)
        widths = (high - low) / np.array([np.median(values[:, :count], axis=1) for count in counts])
        for wanted in (0.1, 0.3, 0.5):
            narrow = widths <= wanted
            last = np.where(narrow.any(axis=0), narrow.argmax(axis=0), len(narrow) - 1)
            coverage = float(np.take_along_axis(covered, last[None], 0).mean())
            made, reached = float(last.mean()) + counts[0], float(narrow.any(axis=0).mean())
            rows.append((name, wanted, made, reached, coverage, label_coverage(coverage)))
    return pd.DataFrame(rows, columns=["noise", "wanted", "repetitions", "narrow", "coverage", "label"])


def _bounds_of_first(values: Array, counts: Sequence[int], level: float) -> tuple[Array, Array]:
    """Return the intervals of each case's first runs, widened for the correlation that these runs alone show."""
    bounds = []
    for count in counts:
        first = values[:, :count]
        rounds = measure_campaigns(np.log(first)[:, None, None])
        bounds.append(order_bounds(first, depths_of_order(count, rounds.drift, rounds.correlation, level)))
    low, high = zip(*bounds, strict=True)
    return np.array(low), np.array(high)


def series_table(campaigns: int = 300, seed: int = 1) -> pd.DataFrame:
    """Return how often intervals of p99 and p99.9 of a series cover the true value.

    Parameters
    ----------
    campaigns : int
        Simulated per row.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    DataFrame
        One row per correlation of neighbours, length and statistic: ``coverage``, ``no_upper`` (share without an
        upper bound), ``warned`` (share with a caveat), ``label``.
    """
    rows: list[tuple[Any, ...]] = []
    for correlation in (0.0, 0.5, 0.9):
        for n in (180, 3600, 10800):
            random = np.random.default_rng([seed, len(rows)])
            series = np.exp(0.5 * correlate(random.standard_normal((campaigns, n)), correlation))
            tried = {f"p{p:g}": (np.exp(0.5 * stats.norm.ppf(p / 100)), p) for p in (99.0, 99.9)}
            for name, (true, p) in tried.items():
                found = [percentile(one, p) for one in series]
                rows.append((correlation, n, name, *_judged(found, true)))
    columns = ["correlation", "n", "statistic", "coverage", "no_upper", "warned", "label"]
    return pd.DataFrame(rows, columns=columns)


def mark_table(campaigns: int = 2000, seed: int = 1) -> pd.DataFrame:
    """Return how often a value of a clean case is marked, and how often one that is 20 % too low.

    Parameters
    ----------
    campaigns : int
        Simulated per row, with noise of 3 %.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    DataFrame
        One row per number of repetitions: ``false_marks`` (share of cases with a mark), ``found``.
    """
    rows: list[tuple[Any, ...]] = []
    for n in (5, 6, 8, 10, 20):
        rates = np.exp(np.random.default_rng([seed, n]).normal(0, 0.03, (campaigns, n)))
        clean = mark_outliers(xr.DataArray(rates, dims=("case", "repetition")))
        rates[:, 0] *= 0.8
        low = mark_outliers(xr.DataArray(rates, dims=("case", "repetition")))
        rows.append((n, float(clean.any("repetition").mean()), float(low.isel(repetition=0).mean())))
    return pd.DataFrame(rows, columns=["n", "false_marks", "found"])


def _judged(found: list[Interval], true: float) -> tuple[float, float, float, str]:
    """Return coverage, share without an upper bound, share with a caveat, and the label of the coverage."""
    coverage = float(np.mean([one.low <= true <= one.high for one in found]))
    no_upper = float(np.mean([np.isinf(one.high) for one in found]))
    warned = float(np.mean([bool(one.caveat) for one in found]))
    return coverage, no_upper, warned, label_coverage(coverage, campaigns=len(found))
