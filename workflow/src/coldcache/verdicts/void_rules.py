"""Rules that make a trial void: its figures do not count."""

from coldcache.core.records import name_share
from coldcache.core.units import show_rate
from coldcache.verdicts.observation import Finding, Observation, measured_seconds
from coldcache.verdicts.remedy import name_remedy


def preparation_failed(trial: Observation) -> Finding:
    """Void: the files or settings that the trial needs could not be prepared."""
    failure = trial.outcome.failure
    return failure.message if failure and failure.code != "target-lost" else None


def target_lost(trial: Observation) -> Finding:
    """Void: the target was unmounted, replaced, made read-only or taken by another runner while the trial ran."""
    failure = trial.outcome.failure
    return failure.message if failure and failure.code == "target-lost" else None


def setting_not_in_force(trial: Observation) -> Finding:
    """Void: the live system did not have the level that was asked for."""
    for factor, level in trial.outcome.settings.items():
        if not level.is_in_force:
            return f"{factor} was to be {level.asked}, the system says {level.read}"
        if level.read_after not in (None, level.read):
            return f"{factor} was {level.read} before the run and {level.read_after} after it"
    return None


def time_limit(trial: Observation) -> Finding:
    """Void: the tool did not end within its time limit."""
    return f"ended after {trial.outcome.time_limit:g} s" if trial.outcome.timed_out else None


def exit_status(trial: Observation) -> Finding:
    """Void: the tool reported a failure or was killed."""
    status = trial.outcome.exit_status
    if status is None or status in trial.exit_codes or trial.outcome.timed_out:
        return None
    return f"killed by signal {-status}" if status < 0 else f"exit status {status}"


def log_refused(trial: Observation) -> Finding:
    """Void: the log cannot be trusted: it has an error line, a zero rate, no end marker, or the like."""
    if trial.refusal and trial.outcome.failure is None and not setting_not_in_force(trial):
        return trial.refusal
    return None


def wrong_operation(trial: Observation) -> Finding:
    """Void: the log lacks an operation that the trial was to measure."""
    if trial.refusal or trial.outcome.failure:
        return None
    missing = set(trial.outcome.operations) - {record.operation for record in trial.records}
    return f"the log states no {', '.join(sorted(missing))}" if missing else None


def contradicted(trial: Observation) -> Finding:
    """Void: a harness and the tool that it ran report different figures."""
    return trial.outcome.contradiction


def ambiguous_figure(trial: Observation) -> Finding:
    """Void: the log states several figures for one trial and does not say how they differ."""
    seen = set()
    for record in trial.records:
        if record.metric not in ("throughput", "rate") or record.statistic != "value" or name_share(record):
            continue
        figure = (record.operation, record.metric, record.definition, record.repetition)
        if figure in seen:
            return f"the log states several figures of {record.operation} for the same factors, such as of several jobs"
        seen.add(figure)
    return None


#: A rate from fewer ticks of its clock is off by up to a hundredth, and more for each end of the interval.
_LEAST_TICKS = 100


def coarse_clock(trial: Observation) -> Finding:
    """Void: an interval is so short that the tool's clock cannot measure it."""
    for operation in trial.outcome.operations if trial.tick else ():
        seconds = measured_seconds(trial, operation)
        ticks = round(seconds / trial.tick) if seconds is not None and trial.tick else _LEAST_TICKS
        if seconds is not None and trial.tick and ticks < _LEAST_TICKS:
            clock = f"{trial.outcome.tool}'s clock ({show_rate(trial.tick, 's')} each)"
            least = max(_LEAST_TICKS * trial.tick, trial.thresholds.shortest_run)
            remedy = name_remedy(trial, operation, seconds, least)
            coarse = f"{operation} was measured over {ticks} ticks of {clock}, less than {_LEAST_TICKS}"
            return f"{coarse}: {remedy}" if remedy else coarse
    return None


def tool_changed(trial: Observation) -> Finding:
    """Void: the tool's version has changed since the campaign or its block began."""
    before, tool = trial.baseline.tool_version, trial.outcome.tool
    versions = {trial.outcome.tool_version} if trial.outcome.tool_version is not None else set()
    if trial.states_version:
        versions |= {record.tool_version for record in trial.records if record.tool == tool and record.tool_version}
    others = sorted(version for version in versions if version != before)
    return f"{tool} {others[0]} ran, {before} when the campaign began" if before is not None and others else None
