"""Rules that mark a trial as suspect: it counts, but something may have disturbed it."""

from collections.abc import Iterator
from typing import Any

from coldcache.core.records import UNIT_OF_METRIC
from coldcache.core.trial_figure import choose_record
from coldcache.core.units import show_bytes, show_percent, show_rate
from coldcache.core.vocabulary import DATA_OPERATIONS, IGNORES_FLUSHES, METRIC_OF_OPERATION
from coldcache.verdicts.cold_proof import READS, judge_read
from coldcache.verdicts.evidence import SLACK, direction_of, find_evidence
from coldcache.verdicts.modes import describe_modes
from coldcache.verdicts.observation import (
    Finding,
    Observation,
    crossed_bytes,
    crossing,
    list_operations,
    measured_seconds,
    moved_range,
    ramp_share,
)
from coldcache.verdicts.remedy import name_longer, name_remedy
from coldcache.verdicts.windows import find_change

#: A limit lets a burst pass at its start, so the rate over some seconds may be this many times higher.
_BURST = 1.05

#: A second's measurement may miss the most that a target can carry by this factor.
MEASURED_SLACK = 1.25


def above_ceiling(trial: Observation) -> Finding:
    """Suspect: the rate is higher than the target can carry.

    The most it carries is what the site states, or the limits set on it here, or what was measured at the campaign's
    begin. A trial whose bytes are counted at the device has shown that such a measurement was too low.
    """
    stated = [(getattr(trial.ceilings, name), "that the target can carry") for name in _CEILINGS]
    limits = _read_limits(trial)
    found = [
        (limits[name] * _BURST if name in limits else None, f"that {limits.get('by')} lets pass") for name in _CEILINGS
    ]
    for ceilings in (stated, found):
        for metric, unit, (read, write) in (("throughput", "B/s", ceilings[:2]), ("rate", "1/s", ceilings[2:])):
            if above := next(_above(trial, metric, read[0], write[0]), None):
                operation, rate, most = above[0], show_rate(above[1], unit), show_rate(above[2], unit)
                return f"{operation} at {rate} is above the {most} {read[1]}"
    return _above_measured(trial)


def _above_measured(trial: Observation) -> str | None:
    """Return why a rate is higher than what was measured at the campaign's begin allows."""
    read, write, memory = (trial.measured.get(name) for name in ("read_rate", "write_rate", "memory_rate"))
    for limits, what in (((read, write), "target carried"), ((memory, memory), "memory was copied")):
        allowed = [limit and limit * MEASURED_SLACK for limit in limits]
        for operation, rate, most in _above(trial, "throughput", allowed[0], allowed[1]):
            if what == "target carried" and find_evidence(trial, operation).reached == "storage":
                continue
            shown, limit = show_rate(rate, "B/s"), show_rate(most / MEASURED_SLACK, "B/s")
            return f"{operation} at {shown} is above the {limit} at which the {what} when the campaign began"
    return None


_CEILINGS = ("read_rate", "write_rate", "read_iops", "write_iops")


def _read_limits(trial: Observation) -> dict[str, Any]:
    """Return the limits in force on the target that bound the trial: those of one node, in B/s and 1/s."""
    outcome = trial.outcome
    limits = dict((outcome.target or {}).get("limits", {}))
    if outcome.factors.get("nodes", 1) > 1:
        return {}
    if limits.get("by", "").endswith("version 1") and not outcome.factors.get("direct_io"):
        # The kernel writes pages back in a group of its own.
        limits = {name: limit for name, limit in limits.items() if not name.startswith("write")}
    return limits


def on_burst_credit(trial: Observation) -> Finding:
    """Suspect: the rate is higher than the target sustains once its burst credit is spent."""
    baselines = trial.ceilings.baseline_read_rate, trial.ceilings.baseline_write_rate
    above = next(_above(trial, "throughput", *baselines), None)
    if not above:
        return None
    rate, baseline = show_rate(above[1], "B/s"), show_rate(above[2], "B/s")
    return f"{above[0]} at {rate} is above the baseline of {baseline}, so it uses burst credit"


def _above(
    trial: Observation, metric: str, read: float | None, write: float | None
) -> Iterator[tuple[str, float, float]]:
    """Yield each operation whose figure is above its limit, with the figure and the limit."""
    limits = {"read": read, "write": write}
    for operation in list_operations(trial):
        limit, record = limits.get(operation.removeprefix("random-")), choose_record(operation, trial.records, metric)
        if limit and record and record.statistic == "value" and record.value > limit:
            yield operation, record.value, limit


def slow_process_hidden(trial: Observation) -> Finding:
    """Suspect: the fastest process ended the test while another was far behind."""
    rates: dict[tuple[str, int | None], dict[str, float]] = {}
    for record in trial.records:
        is_rate = record.unit in ("B/s", "1/s") and "over the processes" in record.definition
        if is_rate and "stonewalled" in record.caveats:
            rates.setdefault((record.operation, record.repetition), {})[record.statistic] = record.value
    shares = [of_run["min"] / of_run["max"] for of_run in rates.values() if of_run.get("max") and "min" in of_run]
    least = min(shares, default=1.0)
    if least >= trial.thresholds.least_moved:
        return None
    return f"a process ran at {show_percent(least)} of the rate of the fastest one, which ended the test"


def foreign_transfers(trial: Observation) -> Finding:
    """Suspect: the device moved many more bytes than the tool."""
    if not trial.outcome.operations or trial.outcome.operations[0] not in DATA_OPERATIONS:
        return None
    moved = {operation: moved_range(trial, operation) for operation in list_operations(trial)}
    if not moved or None in moved.values():
        return None
    most = {
        direction: sum(
            range_.most * (1 + ramp_share(trial, name))
            for name, range_ in moved.items()
            if range_ and direction_of(name) == direction
        )
        for direction in ("read", "written")
    }
    allowed = sum(most.values()) * trial.thresholds.foreign_share + SLACK
    for direction, own in most.items():
        excess = (crossed_bytes(trial, f"{direction}_bytes") or 0) - own
        if excess > allowed:
            word = "read from" if direction == "read" else "written to"
            return f"{show_bytes(excess)} more were {word} the {crossing(trial)} than the tool moved"
    return None


def busy_machine(trial: Observation) -> Finding:
    """Suspect: the machine was busy before the tool started, and nobody knows what others did while it ran.

    A load average holds the threads of the trials before. Where the time of others was measured, it decides.
    """
    outcome = trial.outcome
    load, cores = outcome.load, outcome.cores
    if outcome.busy_cpu is not None and outcome.own_cpu is not None:
        return None
    if load is None or not cores or load <= trial.thresholds.load_per_core * cores:
        return None
    return f"the load average was {load:.1f} on {cores} cores before it started"


def foreign_load(trial: Observation) -> Finding:
    """Suspect: other programs kept the processors busy while the tool ran."""
    outcome = trial.outcome
    cores = outcome.cores
    if outcome.busy_cpu is None or outcome.own_cpu is None or not cores or not outcome.seconds or _is_of_model(trial):
        return None
    share = (outcome.busy_cpu - outcome.own_cpu) / (cores * outcome.seconds)
    return (
        f"others used {show_percent(share)} of the {cores} cores while it ran"
        if share > trial.thresholds.foreign_cpu
        else None
    )


def model_saturated(trial: Observation) -> Finding:
    """Suspect: the machine was itself the limit of the scale model that runs on it.

    Ranks of MPI never sleep while they wait, but they give way to all else: their time does not count.
    """
    outcome = trial.outcome
    cores = outcome.cores
    counters = outcome.counters
    if counters is None or not _is_of_model(trial) or outcome.busy_cpu is None or not cores or not outcome.seconds:
        return None
    gave_way = (counters.difference("ranks.cpu_ms") or 0) / 1000
    share = (outcome.busy_cpu - gave_way) / (cores * outcome.seconds)
    if share <= trial.thresholds.saturated:
        return None
    own = (counters.difference("cpu_ms") or 0) / 1000 / (cores * outcome.seconds)
    return (
        f"{show_percent(share)} of the {cores} cores were busy while it ran, {show_percent(own)} by the model: the "
        "machine may be the limit"
    )


def _is_of_model(trial: Observation) -> bool:
    """Return whether the storage was a scale model, whose servers use the machine's own cores."""
    return trial.outcome.counters is not None and trial.outcome.counters.of == "model"


def suspended(trial: Observation) -> Finding:
    """Suspect: a process of the tool was stopped by a signal, or the machine slept, while the tool ran."""
    if trial.outcome.stops:
        return "a process of the tool was stopped by a signal while it ran"
    asleep = trial.outcome.suspended or 0
    return f"the machine slept for {asleep:.1f} s while it ran" if asleep > 0.5 else None


def drifted(trial: Observation) -> Finding:
    """Suspect: the sentinel, repeated through the campaign, was far from its median before and after the trial."""
    drift = trial.baseline.drift
    if drift is None or abs(drift) <= trial.thresholds.drift:
        return None
    return f"the sentinel was {show_percent(drift, signed=True)} off its median around that time"


def two_modes(trial: Observation) -> Finding:
    """Suspect: the trials of the case have two typical figures, so that one median describes neither."""
    for operation, figures in trial.baseline.figures.items():
        unit = UNIT_OF_METRIC[METRIC_OF_OPERATION[operation]]
        if found := describe_modes(figures, unit, trial.thresholds):
            return f"the trials of {operation} have two modes: {found}"
    return None


def little_space(trial: Observation) -> Finding:
    """Suspect: the file system was nearly full, which slows many file systems down."""
    free, size = trial.outcome.free_bytes, trial.outcome.size_bytes
    if not size or free is None or free >= trial.thresholds.least_free * size:
        return None
    return f"only {show_bytes(free)} of {show_bytes(size)} were free"


def fill_drift(trial: Observation) -> Finding:
    """Suspect: other data on the file system grew or shrank much since the sweep began."""
    first, now = trial.baseline.fill, trial.outcome.fill_level
    if first is None or now is None or abs(now - first) <= trial.thresholds.fill_drift:
        return None
    return (
        f"the file system was {show_percent(now)} full beside the campaign's own files, "
        f"{show_percent(first)} when the sweep began"
    )


def kernel_changed(trial: Observation) -> Finding:
    """Suspect: the machine's kernel has changed since the campaign began."""
    before, now = trial.baseline.kernel, trial.outcome.kernel
    if before is None or now == before:
        return None
    return f"the kernel was {now}, {before} when the campaign began"


def too_short(trial: Observation) -> Finding:
    """Suspect: the run was so short that starting and stopping affect the figure."""
    for operation in trial.outcome.operations:
        seconds = measured_seconds(trial, operation)
        if seconds is not None and seconds < trial.thresholds.shortest_run:
            least = trial.thresholds.shortest_run
            remedy = name_remedy(trial, operation, seconds, least)
            short = f"{operation} was measured over {_show_below(seconds, least)} s, less than {least:g} s"
            return f"{short}: {remedy}" if remedy else short
    return None


def unsteady(trial: Observation) -> Finding:
    """Suspect: the rate changed while it was measured, as a series of the tool shows."""
    for operation, windows in trial.windows.items():
        change = find_change(windows, trial.thresholds)
        if change:
            low, high = (show_rate(rate, "B/s") for rate in (min(change.rates), max(change.rates)))
            found = (
                f"{operation} was not steady: the means of five equal parts lie between {low} and {high} and change by "
                f"{show_percent(change.course.slope, signed=True)} along a line"
            )
            remedy = name_longer(trial, operation)
            return f"{found}: {remedy}" if remedy else found
    return None


def _show_below(figure: float, limit: float) -> str:
    """Return a figure with two digits, or as many as it takes to show that it is below a limit."""
    texts = (f"{figure:.{digits}g}" for digits in range(2, 18))
    return next(text for text in texts if float(text) < limit)


def clock_step(trial: Observation) -> Finding:
    """Suspect: the wall clock was set while the tool ran."""
    outcome = trial.outcome
    if outcome.started is None or outcome.ended is None or outcome.seconds is None:
        return None
    step = (outcome.ended - outcome.started).total_seconds() - outcome.seconds
    return f"the clock was set by {step:+.1f} s during the run" if abs(step) > 0.5 else None


def served_from_cache(trial: Observation) -> Finding:
    """Suspect: a read that was to come from the device came from memory, wholly or in part."""
    for operation in trial.outcome.operations:
        if operation in READS and (found := judge_read(trial, operation)).verdict in ("warm", "mixed"):
            return found.why if len(trial.outcome.operations) == 1 else f"{operation}: {found.why}"
    return None


def wrote_less(trial: Observation) -> Finding:
    """Suspect: a write that was to end on storage wrote less than the tool moved."""
    word = _find_durable_word(trial)
    for operation in trial.outcome.operations if word else ():
        if operation not in DATA_OPERATIONS or direction_of(operation) != "written":
            continue
        moved, found = moved_range(trial, operation), find_evidence(trial, operation)
        if (
            moved
            and found.crossed_bytes is not None
            and (found.crossed_bytes < trial.thresholds.cold_share * moved.least)
        ):
            return f"{operation} was to end on storage ({word}), but {found.why}"
    return None


def _find_durable_word(trial: Observation) -> str | None:
    """Return the word of the command line by which writes are on storage when the tool ends; None without one.

    A served device that ignores flushes promises nothing.
    """
    if trial.outcome.factors.get("write_cache") == IGNORES_FLUSHES:
        return None
    exact = {word for word in trial.durable_words if not word.endswith("=")}
    starts = tuple(word for word in trial.durable_words if word.endswith("="))
    return next((word for word in trial.outcome.argv if word in exact or (starts and word.startswith(starts))), None)
