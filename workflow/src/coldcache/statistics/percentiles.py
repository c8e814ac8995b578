"""Percentiles of long series whose values depend on the previous ones, and drift over a campaign.

A throughput sampled every second is not a sample of independent values: a burst is many high values in a row. Here the
dependence is measured, and the series counts as a smaller number of independent values.
"""

import numpy as np
import numpy.typing as npt
import scipy

from coldcache.statistics.array import Array
from coldcache.statistics.intervals import Interval

#: Independent values that trusted bounds need, and how many values of the series may make one of these.
_LEAST_WORTH = 50
_STRONG_DEPENDENCE = 6


def effective_count(values: npt.ArrayLike) -> float:
    """Return the effective sample size of a series for its mean.

    n / (1 + 2 * sum of autocorrelations), summed while neighbouring pairs of lags are positive (initial positive
    sequence: Geyer 1992, Statistical Science 7:473).

    Parameters
    ----------
    values : array of float, shape (n,)
        At equal distances in time; NaN is left out.

    Returns
    -------
    float
        Between 1 and n; n for a series that does not vary.
    """
    series = np.asarray(values, dtype=float)
    series = series[~np.isnan(series)]
    n = series.size
    centred = series - series.mean() if n else series
    if n < 4 or not centred.any():
        return float(n)
    correlation = scipy.signal.correlate(centred, centred, method="fft")[n - 1 :] / (centred @ centred)
    pairs = correlation[: n // 2 * 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs <= 0)
    positive = pairs[: negative[0]] if negative.size else pairs
    return float(np.clip(n / max(2 * positive.sum() - 1, 1.0), 1.0, n))


def percentile(values: npt.ArrayLike, p: float = 99.9, level: float = 0.95) -> Interval:
    """Return a percentile of a series with an interval that takes the dependence into account.

    The interval lies between order statistics (Conover 1999, Practical Nonparametric Statistics, section 3.2), with
    the ranks of a sample as small as the exceedances are worth: their autocorrelation, not that of the values,
    decides (Heidelberger and Lewis 1984, Operations Research 32:185).

    Parameters
    ----------
    values : array of float, shape (n,)
        At equal distances in time, in any unit; NaN is left out.
    p : float
        Percent, between 0 and 100.
    level : float
        Wanted coverage.

    Returns
    -------
    Interval
        A bound is infinite if the series is too short for it, and `caveat` says so: at 95 %, p99.9 has an upper bound
        from 3,688 independent values on, and 180 values bound nothing above p97.9. `n` counts the values; NaN without
        any.

    Raises
    ------
    ValueError
        If `p` or `level` is out of range.
    """
    if not 0 < p < 100 or not 0 < level < 1:
        raise ValueError(f"percentile: p {p!r} or level {level!r} is out of range: write p99.9 as 99.9, 95 % as 0.95")
    series = np.sort(_present(values))
    n = series.size
    if n == 0:
        return Interval(np.nan, np.nan, np.nan, 0, level, "no interval from 0 values")
    share = p / 100
    estimate = float(np.quantile(series, share))
    worth = effective_count((_present(values) > estimate).astype(float))
    lower, upper = ranks(share, n, worth, level)
    low = series[lower - 1] if lower >= 1 else -np.inf
    high = series[upper - 1] if upper <= n else np.inf
    caveat = _dependence(n, worth)
    missing = [side for side, bound in (("lower", low), ("upper", high)) if not np.isfinite(bound)]
    if missing:
        caveat = f"{n} values, worth {worth:.0f} independent ones, give p{p:g} no {' and no '.join(missing)} bound"
    return Interval(estimate, float(low), float(high), n, level, caveat)


def ranks(share: float, n: int, worth: float, level: float) -> tuple[int, int]:
    """Return the ranks of the order statistics that bound a quantile of a series.

    Parameters
    ----------
    share : float
        Of the quantile, between 0 and 1.
    n : int
        Values of the series.
    worth : float
        Its effective sample size; the exact ranks for that size are stretched to `n`.
    level : float
        Wanted coverage.

    Returns
    -------
    lower, upper : int
        Counted from 1; 0 and n + 1 mean no bound.
    """
    size = int(worth)
    lower = scipy.stats.binom.ppf((1 - level) / 2, size, share)
    upper = scipy.stats.binom.ppf((1 + level) / 2, size, share) + 1
    return int(lower * n / size), n + 1 if upper > size else int(np.ceil(upper * n / size))


def drift(values: npt.ArrayLike, times: npt.ArrayLike) -> tuple[float, float]:
    """Return how fast a rate drifts, and the probability of such a trend by chance.

    Parameters
    ----------
    values : array of float, shape (n,)
        Rates of repetitions or blocks, positive; NaN is left out.
    times : array of float, shape (n,)
        When each was measured, in seconds.

    Returns
    -------
    slope : float
        Relative change per second: the median of all slopes between two logarithms (Sen 1968, Journal of the
        American Statistical Association 63:1379). NaN from fewer than three values.
    p : float
        p-value of Kendall's test of no trend (Mann 1945, Econometrica 13:245).
    """
    rates, seconds = np.asarray(values, dtype=float), np.asarray(times, dtype=float)
    there = ~np.isnan(rates) & ~np.isnan(seconds)
    if there.sum() < 3:
        return np.nan, np.nan
    logs, seconds = np.log(rates[there]), seconds[there]
    return float(scipy.stats.theilslopes(logs, seconds).slope), float(scipy.stats.kendalltau(seconds, logs).pvalue)


def _dependence(n: int, worth: float) -> str | None:
    """Return why the interval of a series that depends strongly on its past cannot be trusted; None if it can."""
    if worth >= _LEAST_WORTH and n / worth <= _STRONG_DEPENDENCE:
        return None
    return f"{n} values of this series are worth {worth:.0f} independent ones only: its bounds may be too narrow"


def _present(values: npt.ArrayLike) -> Array:
    """Return the values without NaN, in their order."""
    series = np.asarray(values, dtype=float)
    return series[~np.isnan(series)]
