"""Describe how a rate scales with threads: peak, knee, plateau, sustained rate, drop."""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import xarray as xr

from coldcache.statistics.dependence import Rounds, rounds_of
from coldcache.statistics.intervals import Interval, interval
from coldcache.statistics.ratios import paired_ratio
from coldcache.statistics.scaling.knee import Knee, fit_knee

#: Variables of `describe_scaling` that carry the unit of the rate.
_RATES = ("peak", "peak_low", "peak_high", "sustained", "sustained_low", "sustained_high")
_THREADS = ("peak_threads", "knee", "knee_low", "knee_high", "plateau_from")
_FACTORS = ("growth_first", "growth_last", "growth_last_low", "growth_last_high", "last_to_plateau",
            "last_to_plateau_low", "last_to_plateau_high")  # fmt: skip


def describe_scaling(rate: xr.DataArray, level: float = 0.95) -> xr.Dataset:
    """Return the full description of every scaling curve of an array.

    Parameters
    ----------
    rate : DataArray
        Bytes or operations per second; dims must include ``threads`` and may include ``repetition``.
    level : float
        Wanted coverage of the intervals.

    Returns
    -------
    Dataset
        Over the dims of `rate` without ``threads`` and ``repetition``: ``peak`` and ``sustained`` with ``_low`` and
        ``_high`` in the unit of `rate`; ``peak_threads``, ``knee`` with ``_low`` and ``_high``, ``plateau_from`` in
        threads; ``growth_first``, ``growth_last`` (per doubling) and ``last_to_plateau``, without unit; ``why``, the
        reason if there is no plateau, else empty. Missing values are NaN. The bounds of peak and sustained are those
        of the median at their thread counts. Sustained is the least rate of the plateau, as the PixStor document uses
        the word in table 4 and the text on its figure 5: stat peaks at 6.88 M op/s and never falls below 3.2 M op/s
        afterwards. Its sequential write does not fit: 40.0 GB/s sustained with a peak of 40.9, although it loses a
        tenth at the last thread count.
    """
    names = (*_RATES, *_THREADS, *_FACTORS)
    rounds = rounds_of(rate)
    rows = _over_cells(rate, lambda threads, cells: _describe(threads, cells, level, rounds), len(names) + 1)
    described = xr.Dataset({name: rows.isel(column=place).astype(float) for place, name in enumerate(names)})
    for name in names:
        described[name].attrs = {"units": rate.attrs.get("units", "") if name in _RATES else "1"}
    described["why"] = rows.isel(column=-1).astype(str)
    described.attrs = {"level": level}
    return described


def _describe(
    threads: npt.NDArray[np.float64], cells: npt.NDArray[np.float64], level: float, rounds: Rounds
) -> list[object]:
    """Return the numbers of one curve in the order of `describe_scaling`, and then why it has no plateau."""
    found = dict.fromkeys((*_RATES, *_THREADS, *_FACTORS), np.nan)
    medians = _row_medians(cells)
    if np.isfinite(medians).any():
        top = int(np.nanargmax(medians))
        found["peak"], found["peak_low"], found["peak_high"] = interval(cells[top], level, rounds)[:3]
        found["peak_threads"] = threads[top]
    try:
        knee = fit_knee(threads, cells, level, rounds)
    except ValueError as reason:
        return [*found.values(), str(reason)]
    found |= {"growth_first": knee.growth_first, "growth_last": knee.growth_last}
    found |= {"growth_last_low": knee.growth_last_low, "growth_last_high": knee.growth_last_high}
    if knee.rises_to_the_end:
        return [*found.values(), _still_rising(knee, threads)]
    found |= {"knee": knee.threads, "knee_low": knee.low, "knee_high": knee.high, "plateau_from": knee.first_level}
    bottom = int(np.nanargmin(np.where(threads >= knee.first_level, medians, np.nan)))
    found["sustained"], found["sustained_low"], found["sustained_high"] = interval(cells[bottom], level, rounds)[:3]
    fall = _last_over_plateau(threads, cells, knee.first_level, level, rounds)
    if fall:
        found["last_to_plateau"], found["last_to_plateau_low"], found["last_to_plateau_high"] = fall[:3]
    return [*found.values(), ""]


def _last_over_plateau(
    threads: npt.NDArray[np.float64], cells: npt.NDArray[np.float64], first_level: float, level: float, rounds: Rounds
) -> Interval | None:
    """Return the last rate over that in the middle of the plateau; None if the plateau starts at the last rate.

    One level is compared with one other: a mean of several has less of the skew of a rate, which biases the interval.
    """
    last = threads[~np.isnan(cells).all(axis=1)].max()
    before = np.flatnonzero((threads >= first_level) & (threads < last) & ~np.isnan(cells).all(axis=1))
    if not before.size:
        return None
    return paired_ratio(cells[threads == last][0], cells[before[(before.size - 1) // 2]], level, rounds)


def _still_rising(knee: Knee, threads: npt.NDArray[np.float64]) -> str:
    """Return why a curve that rises to the end has no plateau."""
    return (
        f"the rate still rises by {100 * (knee.growth_last - 1):.0f} % over the last doubling to "
        f"{np.max(threads):g} threads: measure at more threads"
    )


def _row_medians(cells: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the median of each row, NaN if the row has no value."""
    medians = np.full(len(cells), np.nan)
    there = ~np.isnan(cells).all(axis=1)
    medians[there] = np.nanmedian(cells[there], axis=1)
    return medians


def _over_cells(rate: xr.DataArray, function: Callable[..., list[object]], columns: int) -> xr.DataArray:
    """Apply a function of threads and rates to every curve of an array; it returns so many columns."""
    rate = rate.sortby("threads")
    if "repetition" not in rate.dims:
        rate = rate.expand_dims("repetition")
    others = [dim for dim in rate.dims if dim not in ("threads", "repetition")]
    cells = rate.transpose(*others, "threads", "repetition")
    shape = tuple(cells.sizes[dim] for dim in others)
    results: npt.NDArray[Any] = np.empty((*shape, columns), dtype=object)
    threads = cells["threads"].values.astype(float)
    for place in np.ndindex(*shape):
        results[place] = function(threads, cells.values[place].astype(float))
    coordinates = {name: value for name, value in cells.coords.items() if set(value.dims) <= set(others)}
    return xr.DataArray(results, dims=[*others, "column"], coords=coordinates)
