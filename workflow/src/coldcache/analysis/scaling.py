"""How a sweep scales with threads, computed once: sentences, tables and figures share it."""

import xarray as xr

from coldcache.analysis.estimates import Estimates
from coldcache.statistics.scaling.describe import describe_scaling

#: What was computed of each cube, with the cube itself, so that no other gets its identity.
_KNOWN: dict[int, tuple[xr.DataArray, xr.Dataset]] = {}


def find_scaling(estimates: Estimates) -> xr.Dataset:
    """Return peak, knee, plateau and sustained rate of each operation over threads, as `describe_scaling` does."""
    runs = estimates.runs
    known = _KNOWN.get(id(estimates.cube))
    if known is None or not known[0].identical(runs):
        known = _KNOWN[id(estimates.cube)] = (runs, describe_scaling(runs))
    return known[1]


def find_knee(estimates: Estimates, operation: str) -> int | None:
    """Return the number of threads from which an operation is level; None where it is not, or too few were tried."""
    level = float(find_scaling(estimates).plateau_from.sel(operation=operation))
    return int(level) if level == level else None
