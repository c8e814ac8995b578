"""The cases of a sweep at each level of a factor, as ratios to the same case at its reference level."""

from typing import Any, NamedTuple

from coldcache.analysis.estimates import Estimates, Ratio
from coldcache.analysis.report_links import page_of
from coldcache.statistics.intervals import Interval
from coldcache.statistics.ratios import paired_ratio

#: The level that the others of a factor are compared with, where it is not the smallest.
REFERENCE_LEVELS = {
    "write_cache": ("writethrough", "off"), "write_barrier": ("off", "nobarrier"), "sas_driver": ("native",),
    "sysctl": ("defaults",), "tuned_profile": ("balanced",), "mount_option": ("defaults",), "write_mode": ("sync",),
    "outage_option": ("hard",), "server_cache": ("none",),
}  # fmt: skip


def reference_level(estimates: Estimates, factor: str) -> Any:
    """Return the level of a factor that the others are divided by."""
    levels = estimates.cells[factor].values.tolist()
    return next((level for level in REFERENCE_LEVELS.get(factor, ()) if level in levels), min(levels))


class Pair(NamedTuple):
    """One case at a level of a factor against the same case at the reference level."""

    place: dict[str, Any]
    level: Any
    ratio: Interval


def pairs(estimates: Estimates, factor: str) -> list[Pair]:
    """Return the ratio of each level of a factor to the reference level, at every combination of the other dims.

    Combinations of which one side has no trial that counts are left out.
    """
    reference = reference_level(estimates, factor)
    others = [str(dim) for dim in estimates.cells.estimate.dims if dim != factor]
    found = []
    stacked = estimates.values.stack(place=others) if others else estimates.values
    for index in range(stacked.sizes.get("place", 1)):
        cell = stacked.isel(place=index) if others else stacked
        place = {dim: cell[dim].item() for dim in others}
        values = {level: cell.sel({factor: level}).values for level in cell[factor].values.tolist()}
        for level, row in values.items():
            if level != reference:
                ratio = Ratio(*paired_ratio(row, values[reference]))
                ratio.page = page_of(estimates.cube.attrs["study"], estimates.cube.attrs["sweep"])
                if ratio.n:
                    found.append(Pair(place, level, ratio))
    return found
