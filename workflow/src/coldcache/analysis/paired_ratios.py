"""The cases of a sweep at each level of a factor, as ratios to the same case at its reference level."""

from dataclasses import dataclass
from typing import Any

import xarray as xr

from coldcache.analysis.estimates import LEVEL, Estimates
from coldcache.analysis.results import Ratio
from coldcache.statistics.ratios import paired_ratio, paired_ratio_over

#: The level that the others of a factor are compared with, where it is not the smallest.
REFERENCE_LEVELS = {
    "write_cache": ("writethrough", "off"), "write_barrier": ("off", "nobarrier"), "sas_driver": ("native",),
    "sysctl": ("defaults",), "tuned_profile": ("balanced",), "mount_option": ("defaults",), "write_mode": ("sync",),
    "outage_option": ("hard",), "server_cache": ("none",),
}  # fmt: skip

#: Metrics of which zero is a figure, without a ratio: calls that were not made, and the time that they did not take.
_MAY_BE_ZERO = ("count", "elapsed")


def reference_level(estimates: Estimates, factor: str) -> Any:
    """Return the level of a factor that the others are divided by; one that is not stated is none."""
    levels = [level for level in estimates.cells[factor].values.tolist() if level == level]
    known = [level for level in REFERENCE_LEVELS.get(factor, ()) if level in levels]
    return known[0] if known else min(levels)


@dataclass(frozen=True, slots=True)
class Pair:
    """One case at a level of a factor, and its ratio to the same case at the reference level.

    Attributes
    ----------
    place : dict of str to object
        The levels of the other factors, ``operation`` among them.
    level : object
        The level of the factor.
    ratio : Ratio
        Paired by repetition.
    """

    place: dict[str, Any]
    level: Any
    ratio: Ratio


def paired_ratios(runs: xr.DataArray, reference: xr.DataArray) -> xr.Dataset:
    """Return the typical ratio of runs to the runs of the same repetition at a reference level, with its interval.

    Parameters
    ----------
    runs : DataArray
        Positive rates or times; dims must include ``repetition``.
    reference : DataArray
        The same at one level of a factor, as ``runs.sel(write_cache="off")``.

    Returns
    -------
    Dataset
        ``estimate``, ``low``, ``high`` and ``n``, without unit, over the dims of `runs` without ``repetition``; 1 at
        the reference level itself.
    """
    return paired_ratio_over(runs, reference.reset_coords(drop=True), level=LEVEL)


def pairs(estimates: Estimates, factor: str) -> list[Pair]:
    """Return the ratio of each level of a factor to the reference level, at every combination of the other dims.

    Combinations without a trial that counts on both sides are left out, and so are those with a count or time of zero.
    """
    reference = reference_level(estimates, factor)
    others = [str(dim) for dim in estimates.cells.estimate.dims if dim != factor]
    found = []
    stacked = estimates.runs.stack(place=others) if others else estimates.runs
    may_be_zero = estimates.metric in _MAY_BE_ZERO
    for index in range(stacked.sizes.get("place", 1)):
        cell = stacked.isel(place=index) if others else stacked
        place = {dim: cell[dim].item() for dim in others}
        levels = [level for level in cell[factor].values.tolist() if level == level]
        values = {level: cell.sel({factor: level}).reset_coords(drop=True).drop_vars("place", errors="ignore")
                  for level in levels}  # fmt: skip
        for level, row in values.items():
            has_zero = may_be_zero and any((side == 0).any() for side in (row, values[reference]))
            if level != reference and not has_zero:
                ratio = estimates.as_ratio(paired_ratio(row, values[reference]))
                if ratio.n:
                    found.append(Pair(place, level, ratio))
    return found
