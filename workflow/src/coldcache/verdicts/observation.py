"""What the rules see of a trial, and how long and how much it measured."""

from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

from coldcache.core.outcome import Outcome
from coldcache.core.records import Record
from coldcache.core.stamp import Stamp
from coldcache.verdicts.thresholds import Ceilings, Thresholds

#: What a rule objects to, in words; None where it does not.
Finding = str | None


class Baseline(NamedTuple):
    """How it was when the campaign began; None where that was not noted.

    Attributes
    ----------
    tool_version, kernel : str or None
        Of the first trial that ran with the tool, and of the first one on the machine.
    fill : float or None
        Share of the file system that others' data held before the first trial of the sweep.
    drift : float or None
        How far the sentinel was off its median around the trial, as a share of it.
    """

    tool_version: str | None = None
    kernel: str | None = None
    fill: float | None = None
    drift: float | None = None


class Observation(NamedTuple):
    """What the rules see of a trial.

    Attributes
    ----------
    outcome : Outcome
        What happened in it.
    records : sequence of Record
        What its log states; empty where the log was refused.
    refusal : str
        Why the log was refused; empty where it was read.
    thresholds : Thresholds
        The site's.
    ceilings : Ceilings
        What the site says that the target can carry.
    baseline : Baseline
        How it was when the campaign began.
    states_version : bool
        Whether the log states the tool's version exactly as the tool itself does.
    stamp : Stamp
        When and where the log says that it was written.
    """

    outcome: Outcome
    records: Sequence[Record]
    refusal: str
    thresholds: Thresholds
    ceilings: Ceilings = Ceilings()
    baseline: Baseline = Baseline()
    states_version: bool = False
    stamp: Stamp = Stamp()


def measured_seconds(trial: Observation, operation: str) -> float | None:
    """Return the interval over which an operation was measured, in s: as the log states it, else bytes over rate."""
    own = [record for record in trial.records if record.operation == operation]
    stated = [record.value for record in own if record.metric == "elapsed" and record.statistic == "value"]
    if stated:
        # IOR states the parts of the interval beside the whole.
        return max(stated)
    factors = trial.outcome.factors
    for record in own:
        if record.metric == "throughput" and record.statistic == "value" and "file_size" in factors:
            return factors["file_size"] * factors["threads"] / record.value
    return None


def moved_bytes(trial: Observation, operation: str) -> float | None:
    """Return the bytes that an operation moved, in B: its rate over its interval; None where the log tells neither."""
    seconds = measured_seconds(trial, operation)
    for record in trial.records:
        if record.operation == operation and record.metric == "throughput" and record.statistic == "value":
            return record.value * seconds if seconds else None
    # Where a log states each process alone, its rate and its own time stand side by side.
    own = [r for r in trial.records if r.operation == operation and r.definition.startswith("one process of several")]
    rates = [record.value for record in own if record.metric == "throughput_per_process"]
    times = [record.value for record in own if record.metric == "elapsed"]
    return sum(map(mul, rates, times)) if rates and len(rates) == len(times) else None


def crossed_bytes(trial: Observation, direction: str) -> int | None:
    """Return the bytes that crossed the device, ``read_bytes`` or ``written_bytes``; None where nothing counts them."""
    counters = trial.outcome.counters
    return counters.difference(direction) if counters else None


def crossing(trial: Observation) -> str:
    """Return what the counted bytes crossed: ``device``, or ``wire`` where a server has the device."""
    counters = trial.outcome.counters
    return counters.crossing if counters else "device"
