"""Rules that mark a trial as suspect: it counts, but something may have disturbed it."""

from coldcache.core.units import show_bytes, show_rate
from coldcache.core.vocabulary import DATA_OPERATIONS
from coldcache.verdicts.cold_proof import judge_cold
from coldcache.verdicts.observation import Finding, Observation, crossed_bytes, crossing, measured_seconds, moved_bytes

#: Bytes that a journal or the tool's own files may add.
_SLACK = 8 * 2**20


def above_ceiling(trial: Observation) -> Finding:
    """Suspect: the rate is higher than the target can carry, according to the site."""
    limits = trial.ceilings
    for metric, unit, read, write in (
        ("throughput", "B/s", limits.read_rate, limits.write_rate), ("rate", "1/s", limits.read_iops, limits.write_iops)
    ):  # fmt: skip
        above = _above(trial, metric, read, write)
        if above:
            rate, most = show_rate(above[1], unit), show_rate(above[2], unit)
            return f"{above[0]} at {rate} is above the {most} that the target can carry"
    return None


def on_burst_credit(trial: Observation) -> Finding:
    """Suspect: the rate is higher than the target sustains once its burst credit is spent."""
    above = _above(trial, "throughput", trial.ceilings.baseline_read_rate, trial.ceilings.baseline_write_rate)
    if not above:
        return None
    rate, baseline = show_rate(above[1], "B/s"), show_rate(above[2], "B/s")
    return f"{above[0]} at {rate} is above the baseline of {baseline}, so it uses burst credit"


def _above(trial: Observation, metric: str, read: float | None, write: float | None) -> tuple[str, float, float] | None:
    """Return the first operation whose figure is above its limit, with the figure and the limit."""
    limits = {"read": read, "write": write}
    for record in trial.records:
        limit = limits.get(record.operation.removeprefix("random-"))
        if limit and record.metric == metric and record.statistic == "value" and record.value > limit:
            return record.operation, record.value, limit
    return None


def slow_process_hidden(trial: Observation) -> Finding:
    """Suspect: the fastest process ended the test while another was far behind."""
    rates = {
        record.statistic: record.value
        for record in trial.records
        if "stonewalled" in record.caveats and "over the processes" in record.definition and record.unit != "s"
    }
    least, most = rates.get("min"), rates.get("max")
    if least is None or not most or least >= trial.thresholds.least_moved * most:
        return None
    return f"a process had moved {least / most:.0%} of what the fastest one had when that one ended the test"


def foreign_transfers(trial: Observation) -> Finding:
    """Suspect: the device moved many more bytes than the tool."""
    operation = trial.outcome.operations[0] if trial.outcome.operations else ""
    moved = moved_bytes(trial, operation)
    if operation not in DATA_OPERATIONS or moved is None:
        return None
    allowed = moved * trial.thresholds.foreign_share + _SLACK
    for direction, own in (("read_bytes", operation.endswith("read")), ("written_bytes", operation.endswith("write"))):
        crossed = crossed_bytes(trial, direction)
        excess = (crossed or 0) - (moved if own else 0)
        if excess > allowed:
            word = "read from" if direction == "read_bytes" else "written to"
            return f"{show_bytes(excess)} more were {word} the {crossing(trial)} than the tool moved"
    return None


def busy_machine(trial: Observation) -> Finding:
    """Suspect: the machine was busy before the tool started."""
    load, cores = trial.outcome.load, trial.outcome.cores
    if load is None or not cores or load <= trial.thresholds.load_per_core * cores:
        return None
    return f"the load average was {load:.1f} on {cores} cores before it started"


def foreign_load(trial: Observation) -> Finding:
    """Suspect: other programs kept the processors busy while the tool ran."""
    outcome = trial.outcome
    cores = outcome.cores
    if outcome.busy_cpu is None or outcome.own_cpu is None or not cores or not outcome.seconds:
        return None
    share = (outcome.busy_cpu - outcome.own_cpu) / (cores * outcome.seconds)
    return (
        f"others used {share:.0%} of the {cores} cores while it ran" if share > trial.thresholds.foreign_cpu else None
    )


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
    return f"the sentinel was {drift:+.0%} off its median around that time"


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
    return f"the file system was {now:.0%} full beside the campaign's own files, {first:.0%} when the sweep began"


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
            return f"{operation} was measured over {_show_below(seconds, least)} s, less than {least:g} s"
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
    """Suspect: a read that was to come from the device came from memory."""
    coldness = judge_cold(trial)
    return coldness.why if coldness.verdict == "warm" else None
