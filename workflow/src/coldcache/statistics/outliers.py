"""Mark repetitions that lie far from the others of their case; none is ever dropped."""

from functools import lru_cache

import numpy as np
import numpy.typing as npt
import xarray as xr

#: Share of clean cases in which a value is marked by mistake.
FALSE_MARKS = 0.01

#: Repetitions from which a case has marks at all.
LEAST_VALUES = 5

_SAMPLES = 40_000


def mark_outliers(rate: xr.DataArray, dim: str = "repetition") -> xr.DataArray:
    """Return which repetitions lie far from the others of their case.

    The distance of the logarithm from the median, in median absolute deviations (Iglewicz and Hoaglin 1993, How to
    Detect and Handle Outliers), is compared with the distance that one clean case in a hundred exceeds at its number
    of repetitions: their fixed limit of 3.5 marks a value in one of five clean cases with five repetitions. A marked
    trial stays in every estimate, which is why the usual one is the median; it is shown, and its logs are worth
    reading.

    Parameters
    ----------
    rate : DataArray
        Positive, in any unit; dims must include `dim`; NaN is a repetition that is missing.
    dim : str
        The dimension that counts the repetitions.

    Returns
    -------
    DataArray of bool
        The dims of `rate`. False if a case has fewer than `LEAST_VALUES` repetitions, or if more than half of them are
        equal.
    """
    logs = xr.apply_ufunc(np.log, rate.astype(float).where(rate > 0))
    distance = abs(logs - logs.median(dim))
    deviation = distance.median(dim)
    score = (distance / deviation.where(deviation > 0)).fillna(0)
    count = logs.notnull().sum(dim)
    limits = xr.apply_ufunc(np.vectorize(_limit, otypes=[float]), count)
    return (score > limits).transpose(*rate.dims).rename("outlier").assign_attrs(units="1")


@lru_cache(maxsize=256)
def _limit(n: int) -> float:
    """Return the largest distance, in median absolute deviations, that clean cases of `n` values stay within."""
    if n < LEAST_VALUES:
        return np.inf
    clean = np.random.default_rng(n).standard_normal((max(_SAMPLES // n, 4000), n))
    distance = np.abs(clean - np.median(clean, axis=1, keepdims=True))
    largest: npt.NDArray[np.float64] = distance.max(axis=1) / np.median(distance, axis=1)
    return float(np.quantile(largest, 1 - FALSE_MARKS))
