"""The input of the rules: a trial's outcome and records, the site's thresholds, and how the campaign began."""

from collections.abc import Mapping, Sequence
from math import expm1
from operator import mul
from typing import NamedTuple

from coldcache.core.outcome import Outcome
from coldcache.core.records import RANK_0_ONLY, Record
from coldcache.core.stamp import Stamp
from coldcache.core.trial_figure import choose_record
from coldcache.verdicts.thresholds import Ceilings, Thresholds

#: How many times faster than what follows a burst may be.
_BURST = 4

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
    figures : mapping of str to tuple of float
        The figures of all trials of the case that are not void, in B/s or 1/s, by operation.
    """

    tool_version: str | None = None
    kernel: str | None = None
    fill: float | None = None
    drift: float | None = None
    figures: Mapping[str, tuple[float, ...]] = {}


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
    durable_words : tuple of str
        Words of the command line by which the tool's writes are on storage when it ends; a word that ends with ``=``
        takes any value.
    tick : float or None
        The finest step of the clock from which the tool computes its rates, in s; None if unknown.
    windows : mapping of str to sequence of float
        The rate of all processes together over time, by operation, in B/s, as `coldcache.verdicts.windows` sums it.
    measured : mapping of str to float
        ``read_rate``, ``write_rate`` and ``memory_rate`` as measured at the campaign's begin, in B/s.
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
    durable_words: tuple[str, ...] = ()
    tick: float | None = None
    windows: Mapping[str, Sequence[float]] = {}
    measured: Mapping[str, float] = {}


class MovedBytes(NamedTuple):
    """The least and the most that an operation moved according to its log, in B."""

    least: float
    most: float


def measured_seconds(trial: Observation, operation: str) -> float | None:
    """Return how long an operation was measured, in s: as the log states it, else by its rate; None if unknown."""
    own = [record for record in trial.records if record.operation == operation]
    stated = [record for record in own if record.metric == "elapsed" and record.statistic == "value"]
    of_all = [record.value for record in stated if RANK_0_ONLY not in record.caveats]
    if of_all:
        # IOR states parts of the interval, too.
        return max(of_all)
    if stated:
        return _seconds_of_names(trial, operation, len({record.repetition for record in stated}))
    rate, factors = choose_record(operation, own, "throughput"), trial.outcome.factors
    if rate is None or rate.statistic != "value":
        return None
    moved = next((record.factors["moved"] for record in own if "moved" in record.factors), None)
    if moved:
        return moved[0] / rate.value
    return factors["file_size"] * factors["threads"] / rate.value if "file_size" in factors else None


def _seconds_of_names(trial: Observation, operation: str, iterations: int) -> float | None:
    """Return how long the slowest rank took in an iteration, in s: mdtest prints the time of rank 0 alone."""
    names, rate = count_names(trial, operation), choose_record(operation, trial.records, "rate")
    return names / iterations / rate.value if names and rate and rate.value else None


def moved_bytes(trial: Observation, operation: str) -> float | None:
    """Return the bytes that an operation moved, in B: rate times interval; None where the log states neither."""
    seconds = measured_seconds(trial, operation)
    rate = choose_record(operation, trial.records, "throughput")
    if rate and rate.statistic == "value":
        return rate.value * seconds if seconds else None
    # A log without totals has a rate and a time for each process.
    own = [
        record
        for record in trial.records
        if (record.operation, record.statistic) == (operation, "value")
        and record.definition.startswith("one process of several")
    ]
    rates = [record.value for record in own if record.metric == "throughput_per_process"]
    times = [record.value for record in own if record.metric == "elapsed"]
    return sum(map(mul, rates, times)) if rates and len(rates) == len(times) else None


def list_operations(trial: Observation) -> list[str]:
    """Return the operations that were planned, then others of which the log states how fast they were."""
    rates = ("throughput", "throughput_per_process", "rate")
    stated = (record.operation for record in trial.records if record.metric in rates)
    return list(dict.fromkeys((*trial.outcome.operations, *stated)))


def moved_range(trial: Observation, operation: str) -> MovedBytes | None:
    """Return the least and the most bytes of an operation that must cross, in B; None where the log does not say.

    A test that its fastest process ended for the others states only that each process moved between the least that
    any moved and its whole file. Of buffered writes only the last to each block must cross.
    """
    bounds = (record.factors.get("moved") for record in trial.records if record.operation == operation)
    found = next((bound for bound in bounds if bound), None)
    moved = moved_bytes(trial, operation)
    least, most = found or (moved, moved)
    if least is None or most is None:
        return None
    return MovedBytes(_count_distinct(trial, operation, least), most)


def ramp_share(trial: Observation, operation: str) -> float:
    """Return how much more than an operation moved crossed before its tool began to time it, as a share at most."""
    seconds = measured_seconds(trial, operation)
    # A burst, which the ramp lets pass, is faster.
    return _BURST * trial.outcome.ramp / seconds if trial.outcome.ramp and seconds else 0.0


def _count_distinct(trial: Observation, operation: str, moved: float) -> float:
    """Return the least bytes that must cross of `moved` ones, in B: a cache may absorb what is overwritten in it.

    n writes at random places of N blocks reach N (1 - exp(-n / N)) different ones on average; a tenth is chance. Those
    in order begin again once they have passed the end.
    """
    factors = trial.outcome.factors
    size = float(factors.get("file_size") or 0) * float(factors.get("threads") or 1)
    if factors.get("direct_io") or not size or operation not in ("write", "random-write"):
        return moved
    return min(moved, size) if operation == "write" else 0.9 * size * -expm1(-moved / size)


def count_names(trial: Observation, operation: str) -> float | None:
    """Return how many files or directories an operation handled; None where neither log nor plan says."""
    own = [record for record in trial.records if record.operation == operation and record.statistic == "value"]
    stated = sum(record.value for record in own if record.metric == "count")
    factors = trial.outcome.factors
    each = factors.get("files") or factors.get("directories_per_thread", 0) * factors.get("items_per_directory", 0)
    iterations = len({record.repetition for record in own})
    return stated or each * factors.get("threads", 1) * iterations or None


def crossed_bytes(trial: Observation, direction: str) -> int | None:
    """Return the ``read_bytes`` or ``written_bytes`` that crossed the device; None where nothing counts them."""
    counters = trial.outcome.counters
    return counters.difference(direction) if counters else None


def crossing(trial: Observation) -> str:
    """Return what the counted bytes crossed: ``device``, or the ``wire`` to a server."""
    counters = trial.outcome.counters
    return counters.crossing if counters else "device"
