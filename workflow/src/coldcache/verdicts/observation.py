"""The input of the rules: a trial's outcome and records, the site's thresholds, and how the campaign began."""

from collections.abc import Sequence
from operator import mul
from typing import NamedTuple

from coldcache.core.outcome import Outcome
from coldcache.core.records import Record
from coldcache.core.stamp import Stamp
from coldcache.verdicts.thresholds import Ceilings, Thresholds

#: The reason why a rule objects to a trial; None if it does not.
Finding = str | None


class Baseline(NamedTuple):
    """The state in which the campaign began; None where it was not recorded.

    Attributes
    ----------
    tool_version, kernel : str or None
        Version of the first trial that ran the tool, and kernel of the first one on the machine.
    fill : float or None
        Share of the file system that others' data held before the first trial of the sweep.
    drift : float or None
        Distance of the sentinel from its median around the trial, as a share of the median.
    """

    tool_version: str | None = None
    kernel: str | None = None
    fill: float | None = None
    drift: float | None = None


class Observation(NamedTuple):
    """All that the rules know of a trial.

    Attributes
    ----------
    outcome : Outcome
        What happened in the trial.
    records : sequence of Record
        The figures of its log; empty if the log was refused.
    refusal : str or None
        Why the log was refused; None if it was read.
    thresholds : Thresholds
        The site's.
    ceilings : Ceilings
        The most that the target can carry, as the site states it.
    baseline : Baseline
        The state in which the campaign began.
    states_version : bool
        Whether the log states the tool's version exactly as the tool itself does.
    stamp : Stamp
        When and where the log says that it was written.
    exit_codes : tuple of int
        Exit statuses that count as success.
    """

    outcome: Outcome
    records: Sequence[Record]
    refusal: str | None
    thresholds: Thresholds
    ceilings: Ceilings = Ceilings()
    baseline: Baseline = Baseline()
    states_version: bool = False
    stamp: Stamp = Stamp()
    exit_codes: tuple[int, ...] = (0,)


def measured_seconds(trial: Observation, operation: str) -> float | None:
    """Return how long an operation was measured, in s: as the log states it, else bytes over rate; None if unknown."""
    own = [record for record in trial.records if record.operation == operation]
    stated = [record.value for record in own if record.metric == "elapsed" and record.statistic == "value"]
    if stated:
        # IOR states parts of the interval, too.
        return max(stated)
    factors = trial.outcome.factors
    for record in own:
        if record.metric == "throughput" and record.statistic == "value" and "file_size" in factors:
            return factors["file_size"] * factors["threads"] / record.value
    return None


def moved_bytes(trial: Observation, operation: str) -> float | None:
    """Return the bytes that an operation moved, in B: rate times interval; None where the log states neither."""
    seconds = measured_seconds(trial, operation)
    for record in trial.records:
        if record.operation == operation and record.metric == "throughput" and record.statistic == "value":
            return record.value * seconds if seconds else None
    # A log without totals has a rate and a time for each process.
    own = [r for r in trial.records if r.operation == operation and r.definition.startswith("one process of several")]
    rates = [record.value for record in own if record.metric == "throughput_per_process"]
    times = [record.value for record in own if record.metric == "elapsed"]
    return sum(map(mul, rates, times)) if rates and len(rates) == len(times) else None


def crossed_bytes(trial: Observation, direction: str) -> int | None:
    """Return the ``read_bytes`` or ``written_bytes`` that crossed the device; None where nothing counts them."""
    counters = trial.outcome.counters
    return counters.difference(direction) if counters else None


def crossing(trial: Observation) -> str:
    """Return what the counted bytes crossed: ``device``, or the ``wire`` to a server."""
    counters = trial.outcome.counters
    return counters.crossing if counters else "device"
