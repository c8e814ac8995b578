"""Describe how a rate scales with threads: peak, knee, plateau, sustained rate, drop, efficiency."""

from typing import Any

import numpy as np
import numpy.typing as npt
import xarray as xr

from coldcache.core.errors import ColdCacheError
from coldcache.statistics.intervals import Interval, interval
from coldcache.statistics.ratios import paired_ratio
from coldcache.statistics.scaling.knee import Knee, fit_knee

#: Variables of `describe_scaling` that carry the unit of the rate.
_RATES = ("peak", "peak_low", "peak_high", "sustained", "sustained_low", "sustained_high")
_THREADS = ("peak_threads", "knee", "knee_low", "knee_high", "plateau_from")
_FACTORS = ("growth_first", "growth_last", "growth_last_low", "growth_last_high", "last_to_plateau",
            "last_to_plateau_low", "last_to_plateau_high")  # fmt: skip


class NoPlateau(ColdCacheError):  # noqa: N818
    """A rate still rises at the last thread count, or there are too few thread counts to decide."""


def peak(rate: xr.DataArray) -> xr.Dataset:
    """Return the highest rate over all thread counts, and the thread count that reaches it.

    Parameters
    ----------
    rate
        As for `sustained`.

    Returns
    -------
    Dataset
        ``peak`` in the unit of `rate` and ``peak_threads``, over the other dims; NaN if there is no rate. Like every
        maximum of measured values, it exceeds the true one by part of their spread.
    """
    medians = _medians(rate)
    filled = medians.fillna(-np.inf)
    threads = medians["threads"].astype(float).isel(threads=filled.argmax("threads")).drop_vars("threads")
    highest = medians.max("threads", keep_attrs=True)
    return xr.Dataset({"peak": highest, "peak_threads": threads.where(highest.notnull())})


def plateau(rate: xr.DataArray) -> xr.DataArray:
    """Return which thread counts belong to the plateau.

    Parameters
    ----------
    rate
        As for `sustained`.

    Returns
    -------
    DataArray
        True from the first thread count at which doubling no longer raises the fitted rate by more than
        `coldcache.statistics.scaling.knee.LEVEL_GROWTH` to the last one; the dims of `rate` without ``repetition``.

    Raises
    ------
    NoPlateau
        As for `sustained`.
    """
    start = _over_cells(rate, lambda *curve: _knee_of_plateau(*curve).first_level)
    return (rate["threads"] >= start).transpose(*_medians(rate).dims)


def sustained(rate: xr.DataArray) -> xr.DataArray:
    """Return the rate that a system holds once it no longer grows with threads.

    Parameters
    ----------
    rate : DataArray
        Bytes or operations per second; dims must include ``threads``; over ``repetition`` the median is taken.

    Returns
    -------
    DataArray
        Same unit; the dims of `rate` without ``threads``. The minimum over the plateau (from the knee to the last
        thread count), as the PixStor document uses the word in table 4 and the text on its figure 5: stat peaks at
        6.88 M op/s and never falls below 3.2 M op/s afterwards. Its sequential write does not fit: 40.0 GB/s sustained
        with a peak of 40.9, although it loses a tenth at the last thread count.

    Raises
    ------
    NoPlateau
        If the rate still rises at the last thread count: there is nothing to sustain yet; or if fewer than four
        thread counts were measured.
    """
    lowest = _medians(rate).where(plateau(rate)).min("threads")
    return lowest.assign_attrs(rate.attrs)


def rate_per(rate: xr.DataArray, dim: str = "threads") -> xr.DataArray:
    """Return the rate per thread, node or core.

    Parameters
    ----------
    rate : DataArray
        Aggregate bytes or operations per second; dims must include `dim`.
    dim : str
        ``threads``, ``nodes`` or ``cores``; its coordinate counts them.

    Returns
    -------
    DataArray
        Same dims; the unit of `rate`, per one of what `dim` counts.
    """
    return (rate / rate[dim]).assign_attrs(rate.attrs)


def efficiency(rate: xr.DataArray, dim: str = "threads") -> xr.DataArray:
    """Return the rate per thread, node or core over that at the smallest count: 1 is linear scaling.

    This is parallel efficiency S(n) / n with the smallest tested count as its base (Hoefler and Belli 2015, rule 1,
    asks that the base be named: it is the attribute ``base``). With ``repetition`` kept, every repetition is set
    against its own base, and `coldcache.statistics.intervals.interval_over` gives the interval.

    Parameters
    ----------
    rate : DataArray
        Aggregate bytes or operations per second; dims must include `dim`.
    dim : str
        ``threads``, ``nodes`` or ``cores``; its coordinate counts them.

    Returns
    -------
    DataArray
        Same dims, without unit.
    """
    each = rate_per(rate.sortby(dim), dim)
    base = each.isel({dim: 0}, drop=True)
    return (each / base).assign_attrs(units="1", base=f"{dim} = {each[dim].values[0]:g}")


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
        of the median at their thread counts.
    """
    names = (*_RATES, *_THREADS, *_FACTORS)
    rows = _over_cells(rate, lambda threads, cells, _: _describe(threads, cells, level), len(names) + 1, object)
    described = xr.Dataset({name: rows.isel(column=place).astype(float) for place, name in enumerate(names)})
    for name in names:
        described[name].attrs = {"units": rate.attrs.get("units", "") if name in _RATES else "1"}
    described["why"] = rows.isel(column=-1).astype(str)
    described.attrs = {"level": level}
    return described


def _describe(threads: npt.NDArray[np.float64], cells: npt.NDArray[np.float64], level: float) -> list[object]:
    """Return the numbers of one curve in the order of `describe_scaling`, and then why it has no plateau."""
    found = dict.fromkeys((*_RATES, *_THREADS, *_FACTORS), np.nan)
    medians = _row_medians(cells)
    if np.isfinite(medians).any():
        top = int(np.nanargmax(medians))
        found["peak"], found["peak_low"], found["peak_high"] = interval(cells[top], level=level)[:3]
        found["peak_threads"] = threads[top]
    try:
        knee = fit_knee(threads, cells, level)
    except ValueError as reason:
        return [*found.values(), str(reason)]
    found |= {"growth_first": knee.growth_first, "growth_last": knee.growth_last}
    found |= {"growth_last_low": knee.growth_last_low, "growth_last_high": knee.growth_last_high}
    if knee.rises_to_the_end:
        return [*found.values(), _still_rising(knee, threads)]
    found |= {"knee": knee.threads, "knee_low": knee.low, "knee_high": knee.high, "plateau_from": knee.first_level}
    bottom = int(np.nanargmin(np.where(threads >= knee.first_level, medians, np.nan)))
    found["sustained"], found["sustained_low"], found["sustained_high"] = interval(cells[bottom], level=level)[:3]
    fall = _last_over_plateau(threads, cells, knee.first_level, level)
    if fall:
        found["last_to_plateau"], found["last_to_plateau_low"], found["last_to_plateau_high"] = fall[:3]
    return [*found.values(), ""]


def _last_over_plateau(
    threads: npt.NDArray[np.float64], cells: npt.NDArray[np.float64], first_level: float, level: float
) -> Interval | None:
    """Return the last rate over the median of the plateau before it; None if the plateau starts at the last rate."""
    last = threads[~np.isnan(cells).all(axis=1)].max()
    before = (threads >= first_level) & (threads < last)
    if not before.any():
        return None
    return paired_ratio(cells[threads == last][0], _row_medians(cells[before].T), level=level)


def _knee_of_plateau(threads: npt.NDArray[np.float64], cells: npt.NDArray[np.float64], case: str) -> Knee:
    """Return the knee of one curve; raise NoPlateau if it has no plateau."""
    try:
        knee = fit_knee(threads, cells)
    except ValueError as reason:
        raise NoPlateau(f"{case}: {reason}") from reason
    if knee.rises_to_the_end:
        raise NoPlateau(f"{case}: {_still_rising(knee, threads)}")
    return knee


def _still_rising(knee: Knee, threads: npt.NDArray[np.float64]) -> str:
    """Return why a curve that rises to the end has no plateau."""
    return (
        f"the rate still rises by {100 * (knee.growth_last - 1):.0f} % over the last doubling to "
        f"{np.max(threads):g} threads: measure at more threads"
    )


def _medians(rate: xr.DataArray) -> xr.DataArray:
    """Return the median over repetitions, if there are any."""
    return rate.median("repetition", keep_attrs=True) if "repetition" in rate.dims else rate


def _row_medians(cells: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the median of each row, NaN if the row has no value."""
    medians = np.full(len(cells), np.nan)
    there = ~np.isnan(cells).all(axis=1)
    medians[there] = np.nanmedian(cells[there], axis=1)
    return medians


def _over_cells(rate: xr.DataArray, function: Any, columns: int = 0, dtype: type = float) -> xr.DataArray:
    """Apply a function of (threads, rates, name of the case) to every curve of an array."""
    rate = rate.sortby("threads")
    if "repetition" not in rate.dims:
        rate = rate.expand_dims("repetition")
    others = [dim for dim in rate.dims if dim not in ("threads", "repetition")]
    cells = rate.transpose(*others, "threads", "repetition")
    shape = tuple(cells.sizes[dim] for dim in others)
    results: npt.NDArray[Any] = np.empty((*shape, columns) if columns else shape, dtype=dtype)
    threads = cells["threads"].values.astype(float)
    for place in np.ndindex(*shape):
        at = dict(zip(others, place, strict=True))
        case = ", ".join(f"{dim} {cells[dim].values[index]}" for dim, index in at.items()) or "the curve"
        results[place] = function(threads, cells.values[place].astype(float), case)
    coordinates = {name: value for name, value in cells.coords.items() if set(value.dims) <= set(others)}
    return xr.DataArray(results, dims=[*others, "column"] if columns else others, coords=coordinates)
