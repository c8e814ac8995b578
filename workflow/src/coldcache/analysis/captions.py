"""Captions: what the marks of a figure mean, and how many of its trials count, are cold and reached the storage."""

import xarray as xr

from coldcache.analysis.format import show_level
from coldcache.dataset.reader import COUNTED
from coldcache.statistics.intervals import reached_level
from coldcache.statistics.stopping import LEAST_REPETITIONS

#: How many times the highest estimate the ends of intervals may be that a figure has room for.
_ROOM = 3.0

#: Verdicts on reads whose bytes are not proved to come from the device.
NOT_PROVED = ("warm", "mixed", "unproved")


def describe_marks(counts: xr.DataArray, has_runs: bool = True) -> str:
    """Return the meaning of points and bands: bands cover 95 %, or the coverage that few repetitions reach.

    Where single trials are drawn it says that dots are these.
    """
    most = int(counts.max())
    least = int(counts.where(counts > 0, most).min())
    if most < 2:
        return "Points: single trials; one repetition has no interval."
    repetitions = f"{least} to {most}" if least < most else f"{most}"
    runs = "; dots: single trials" if has_runs else ""
    if most < LEAST_REPETITIONS:
        return f"Points: median of {repetitions} repetitions, too few for an interval{runs}."
    reach = {n: show_level(reached_level(n)) for n in (least, most)}
    none = f", none of fewer than {LEAST_REPETITIONS}" if least < LEAST_REPETITIONS else ""
    fewer = none or (f", {reach[least]} of {least}" if reach[least] != reach[most] else "")
    return f"Points: median of {repetitions} repetitions; bands and bars: its {reach[most]} interval{fewer}{runs}."


def room_for_intervals(cells: xr.Dataset) -> float:
    """Return up to where figures show intervals: some times the highest estimate, so that few runs hide no curve."""
    return _ROOM * float(cells.estimate.max())


def describe_room(cells: xr.Dataset) -> list[str]:
    """Return a sentence on the intervals that go beyond a figure, if there are any."""
    count = int((cells.high > room_for_intervals(cells)).sum())
    if not count:
        return []
    intervals = "1 interval goes" if count == 1 else f"{count} intervals go"
    return [f"{intervals} beyond the figure; the table has all ends."]


def describe_trials(cube: xr.Dataset, has_marks: bool = True) -> list[str]:
    """Return sentences that count the trials of a sweep by verdict, and its reads by how cold they were.

    A trial of several operations counts once. Where each trial has a mark they say what hollow dots and diamonds mean.
    """
    case, number, verdict = xr.broadcast(cube.case, cube.repetition, cube.verdict)
    trials = set(zip(case.values.flat, number.values.flat, verdict.values.flat, strict=True))
    verdicts = [name for *_, name in trials]
    counted = {name: verdicts.count(name) for name in ("valid", "suspect", "void", "missing")}
    parts = ["Trials: " + ", ".join(f"{count} {name}" for name, count in counted.items() if count) + "."]
    if counted["suspect"] and has_marks:
        parts.append("Hollow dots: suspect.")
    cold = cube.cold.values[cube.cold.values != "not applicable"]
    colds = {name: int((cold == name).sum()) for name in ("cold", *NOT_PROVED)}
    if any(colds.values()):
        parts.append("Reads: " + ", ".join(f"{count} {name}" for name, count in colds.items() if count) + ".")
    if has_marks and any(colds[name] for name in NOT_PROVED):
        parts.append("Diamonds: reads that are not proved cold.")
    return parts


def describe_modes(cube: xr.Dataset, mark: str = "Bars: the two groups of") -> list[str]:
    """Return a sentence on the cases whose trials have two typical figures, if there are any, and on their mark."""
    if "codes" not in cube:
        return []
    is_of_two = (cube.codes.astype(str).str.find("two-modes") >= 0).any("repetition")
    count = int(is_of_two.sum())
    cases = "1 case" if count == 1 else f"{count} cases"
    return [f"{mark} {cases} with two modes, whose median describes neither."] if count else []


def describe_reached(cube: xr.Dataset, metric: str, has_marks: bool = True) -> list[str]:
    """Return a sentence on the figures whose work did not reach the storage, if there are any.

    Where each trial has a mark it says that theirs are diamonds.
    """
    if "reached" not in cube:
        return []
    counted = cube.verdict.isin(COUNTED) & cube[metric].notnull()
    where = cube.reached.where(counted, "")
    memory, every = int((where == "memory").sum()), int(counted.sum())
    if not memory:
        return []
    named = [str(name) for name in cube.operation.values if bool((where == "memory").sel(operation=name).any())]
    drawn = ", drawn as diamonds" if has_marks else ""
    return [f"In memory, without reaching the storage: {memory} of {every} figures ({', '.join(named)}){drawn}."]
