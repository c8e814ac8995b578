"""What the rules see of a trial, and how long and how much it measured."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from coldcache.records import Record
from coldcache.site import Thresholds


class Trial(NamedTuple):
    """What the rules see of a trial.

    Attributes
    ----------
    story : mapping
        What `trial.json` holds.
    records : list of Record
        What its log states; empty where the log was refused.
    refusal : str
        Why the log was refused; empty where it was read.
    thresholds : Thresholds
        The site's.
    """

    story: Mapping[str, Any]
    records: list[Record]
    refusal: str
    thresholds: Thresholds


def measured_seconds(trial: Trial, operation: str) -> float | None:
    """Return the interval over which an operation was measured, in s: as the log states it, else bytes over rate."""
    own = [record for record in trial.records if record.operation == operation]
    stated = [record.value for record in own if record.metric == "elapsed" and record.statistic == "value"]
    if stated:
        # IOR states the parts of the interval beside the whole.
        return max(stated)
    factors = trial.story["factors"]
    for record in own:
        if record.metric == "throughput" and record.statistic == "value" and "file_size" in factors:
            return factors["file_size"] * factors["threads"] / record.value
    return None


def moved_bytes(trial: Trial, operation: str) -> float | None:
    """Return the bytes that an operation moved, in B: its rate over its interval; None where the log tells neither."""
    seconds = measured_seconds(trial, operation)
    for record in trial.records:
        if record.operation == operation and record.metric == "throughput" and record.statistic == "value":
            return record.value * seconds if seconds else None
    return None


def crossed_bytes(trial: Trial, direction: str) -> int | None:
    """Return the bytes that crossed the device, ``read_bytes`` or ``written_bytes``; None where nothing counts them."""
    counters = trial.story["counters"]
    return counters["after"][direction] - counters["before"][direction] if counters else None
