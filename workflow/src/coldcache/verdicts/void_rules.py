"""Rules that make a trial void: its figures do not count."""

from coldcache.core.records import name_share
from coldcache.verdicts.observation import Finding, Observation


def preparation_failed(trial: Observation) -> Finding:
    """Void: the files or settings that the trial needs could not be had."""
    failure = trial.outcome.failure
    return failure.message if failure and failure.code != "target-lost" else None


def target_lost(trial: Observation) -> Finding:
    """Void: the target was unmounted, replaced, made read-only or taken by another runner while the trial ran."""
    failure = trial.outcome.failure
    return failure.message if failure and failure.code == "target-lost" else None


def setting_not_in_force(trial: Observation) -> Finding:
    """Void: a factor's level is not what was read back from the live system."""
    for factor, level in trial.outcome.settings.items():
        if not level.is_in_force:
            return f"{factor} was to be {level.asked}, the system says {level.read}"
        if level.read_after not in (None, level.read):
            return f"{factor} was {level.read} before the run and {level.read_after} after it"
    return None


def time_limit(trial: Observation) -> Finding:
    """Void: the tool had to be ended."""
    return f"ended after {trial.outcome.time_limit:g} s" if trial.outcome.timed_out else None


def exit_status(trial: Observation) -> Finding:
    """Void: the tool itself says that it failed, or was killed."""
    status = trial.outcome.exit_status
    if status in (0, None) or trial.outcome.timed_out:
        return None
    return f"killed by signal {-status}" if status < 0 else f"exit status {status}"


def log_refused(trial: Observation) -> Finding:
    """Void: the log has an error line, a zero rate or no end marker, or is otherwise not to be trusted."""
    if trial.refusal and trial.outcome.failure is None and not setting_not_in_force(trial):
        return trial.refusal
    return None


def wrong_operation(trial: Observation) -> Finding:
    """Void: the log does not state what the trial was to measure."""
    if trial.refusal or trial.outcome.failure:
        return None
    missing = set(trial.outcome.operations) - {record.operation for record in trial.records}
    return f"the log states no {', '.join(sorted(missing))}" if missing else None


def contradicted(trial: Observation) -> Finding:
    """Void: a harness states a figure otherwise than the log of the tool that it ran."""
    return trial.outcome.contradiction


def ambiguous_figure(trial: Observation) -> Finding:
    """Void: the log states several figures where the trial has one, and does not tell them apart."""
    seen = set()
    for record in trial.records:
        if record.metric not in ("throughput", "rate") or record.statistic != "value" or name_share(record):
            continue
        figure = (record.operation, record.metric, record.definition, record.repetition)
        if figure in seen:
            return f"the log states several figures of {record.operation} for the same factors, such as of several jobs"
        seen.add(figure)
    return None


def tool_changed(trial: Observation) -> Finding:
    """Void: the tool has another version than when the campaign began, or than when its block began."""
    before, tool = trial.baseline.tool_version, trial.outcome.tool
    versions = {trial.outcome.tool_version} if trial.outcome.tool_version is not None else set()
    if trial.states_version:
        versions |= {record.tool_version for record in trial.records if record.tool == tool and record.tool_version}
    others = sorted(version for version in versions if version != before)
    return f"{tool} {others[0]} ran, {before} when the campaign began" if before is not None and others else None
