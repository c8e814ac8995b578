"""Rules that doubt a trial: more than can be, hidden processes, others at work, little space, a system that changed."""

from collections.abc import Mapping
from typing import Any

from coldcache.judged import Finding, Trial, crossed_bytes, moved_bytes
from coldcache.terms import DATA_OPERATIONS
from coldcache.units import show_bytes, show_rate

#: What a journal or the tool's own files may move beside the data, in B.
_SLACK = 8 * 2**20


def above_ceiling(trial: Trial) -> Finding:
    """Suspect: the rate is above what the site says that the target can carry."""
    ceilings = {"read": trial.ceilings.read_rate, "write": trial.ceilings.write_rate}
    for record in trial.records:
        ceiling = ceilings.get(record.operation.removeprefix("random-"))
        if ceiling and record.metric == "throughput" and record.statistic == "value" and record.value > ceiling:
            rate, most = show_rate(record.value, "B/s"), show_rate(ceiling, "B/s")
            return f"{record.operation} at {rate} is above the {most} that the target can carry"
    return None


def slow_process_hidden(trial: Trial) -> Finding:
    """Suspect: the fastest process ended the test while another was far behind it."""
    rates = {
        record.statistic: record.value
        for record in trial.records
        if "stonewalled" in record.caveats and "over the processes" in record.definition and record.unit != "s"
    }
    least, most = rates.get("min"), rates.get("max")
    if least is None or not most or least >= trial.thresholds.least_moved * most:
        return None
    return f"a process had moved {least / most:.0%} of what the fastest one had when that one ended the test"


def foreign_transfers(trial: Trial) -> Finding:
    """Suspect: the device carried far more than the tool moved."""
    operation = trial.story["operations"][0] if trial.story["operations"] else ""
    moved = moved_bytes(trial, operation)
    if operation not in DATA_OPERATIONS or moved is None:
        return None
    allowed = moved * trial.thresholds.foreign_share + _SLACK
    for direction, own in (("read_bytes", operation.endswith("read")), ("written_bytes", operation.endswith("write"))):
        crossed = crossed_bytes(trial, direction)
        excess = (crossed or 0) - (moved if own else 0)
        if excess > allowed:
            word = "read from" if direction == "read_bytes" else "written to"
            return f"{show_bytes(excess)} more were {word} the device than the tool moved"
    return None


def busy_machine(trial: Trial) -> Finding:
    """Suspect: the machine was busy before the tool started."""
    load, cores = trial.story.get("load"), (trial.story.get("system") or {}).get("cores")
    if load is None or not cores or load <= trial.thresholds.load_per_core * cores:
        return None
    return f"the load average was {load:.1f} on {cores} cores before it started"


def little_space(trial: Trial) -> Finding:
    """Suspect: the file system was nearly full, which slows many of them down."""
    free, size = trial.story.get("free_bytes"), trial.story.get("size_bytes")
    if not size or free is None or free >= trial.thresholds.least_free * size:
        return None
    return f"only {show_bytes(free)} of {show_bytes(size)} were free"


def fill_drift(trial: Trial) -> Finding:
    """Suspect: the file system held much more, or less, of others' data than when the sweep began."""
    first, now = trial.baseline.fill, fill_level(trial.story)
    if first is None or now is None or abs(now - first) <= trial.thresholds.fill_drift:
        return None
    return f"the file system was {now:.0%} full beside the trial's own files, {first:.0%} when the sweep began"


def tool_changed(trial: Trial) -> Finding:
    """Suspect: the tool has another version than when the campaign began."""
    before, now = trial.baseline.tool_version, trial.story["tool_version"]
    if before is None or now == before:
        return None
    return f"{trial.story['tool']} {now} ran, {before} when the campaign began"


def kernel_changed(trial: Trial) -> Finding:
    """Suspect: the machine runs another kernel than when the campaign began."""
    before, now = trial.baseline.kernel, (trial.story.get("system") or {}).get("kernel")
    if before is None or now == before:
        return None
    return f"the kernel was {now}, {before} when the campaign began"


def fill_level(story: Mapping[str, Any]) -> float | None:
    """Return the share of the file system that others' data held before a trial; None where it was not noted."""
    if not story.get("size_bytes"):
        return None
    return 1 - min(1.0, (story["free_bytes"] + story["own_bytes"]) / story["size_bytes"])
