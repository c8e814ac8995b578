"""One rule, one function, one code: whether a trial counts, and whether its reads were cold."""

from collections.abc import Callable
from datetime import datetime
from typing import NamedTuple

from coldcache.core.parts import name_share
from coldcache.verdicts import suspect_rules as doubts
from coldcache.verdicts.cold_proof import Coldness, judge_cold
from coldcache.verdicts.observation import Finding, Trial, measured_seconds


class Judgement(NamedTuple):
    """A trial's verdict, the codes of the rules that decided, the sentence of each, and whether its reads were cold."""

    verdict: str
    codes: tuple[str, ...]
    reasons: tuple[str, ...]
    cold: str
    coldness: Coldness | None = None


def preparation_failed(trial: Trial) -> Finding:
    """Void: the files or settings that the trial needs could not be had."""
    failure = trial.story["failure"]
    return failure["message"] if failure and failure["code"] != "target-lost" else None


def target_lost(trial: Trial) -> Finding:
    """Void: the target was unmounted, replaced, made read-only or taken by another runner while the trial ran."""
    failure = trial.story["failure"]
    return failure["message"] if failure and failure["code"] == "target-lost" else None


def setting_not_in_force(trial: Trial) -> Finding:
    """Void: a factor's level is not what was read back from the live system."""
    for factor, level in trial.story["settings"].items():
        if level["asked"] != level["read"]:
            return f"{factor} was to be {level['asked']}, the system says {level['read']}"
        if level.get("read_after", level["read"]) != level["read"]:
            return f"{factor} was {level['read']} before the run and {level['read_after']} after it"
    return None


def time_limit(trial: Trial) -> Finding:
    """Void: the tool had to be ended."""
    return f"ended after {trial.story['time_limit']:g} s" if trial.story["timed_out"] else None


def exit_status(trial: Trial) -> Finding:
    """Void: the tool itself says that it failed, or was killed."""
    status = trial.story["exit_status"]
    if status in (0, None) or trial.story["timed_out"]:
        return None
    return f"killed by signal {-status}" if status < 0 else f"exit status {status}"


def log_refused(trial: Trial) -> Finding:
    """Void: the log has an error line, a zero rate or no end marker, or is otherwise not to be trusted."""
    if trial.refusal and trial.story["failure"] is None and not setting_not_in_force(trial):
        return trial.refusal
    return None


def wrong_operation(trial: Trial) -> Finding:
    """Void: the log does not state what the trial was to measure."""
    if trial.refusal or trial.story["failure"]:
        return None
    missing = set(trial.story["operations"]) - {record.operation for record in trial.records}
    return f"the log states no {', '.join(sorted(missing))}" if missing else None


def contradicted(trial: Trial) -> Finding:
    """Void: a harness states a figure otherwise than the log of the tool that it ran."""
    return trial.story.get("contradiction")


def ambiguous_figure(trial: Trial) -> Finding:
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


def too_short(trial: Trial) -> Finding:
    """Suspect: the measured interval is so short that start and end weigh in it."""
    for operation in trial.story["operations"]:
        seconds = measured_seconds(trial, operation)
        if seconds is not None and seconds < trial.thresholds.shortest_run:
            least = trial.thresholds.shortest_run
            return f"{operation} was measured over {_show_below(seconds, least)} s, less than {least:g} s"
    return None


def _show_below(figure: float, limit: float) -> str:
    """Return a figure with two digits, or as many more as show that it is below a limit."""
    texts = (f"{figure:.{digits}g}" for digits in range(2, 18))
    return next(text for text in texts if float(text) < limit)


def clock_step(trial: Trial) -> Finding:
    """Suspect: the wall clock moved against the steady clock while the tool ran."""
    story = trial.story
    if story["start"] is None or story["end"] is None:
        return None
    wall = (datetime.fromisoformat(story["end"]) - datetime.fromisoformat(story["start"])).total_seconds()
    step = wall - story["seconds"]
    return f"the clock was set by {step:+.1f} s during the run" if abs(step) > 0.5 else None


def served_from_cache(trial: Trial) -> Finding:
    """Suspect: a read whose bytes were to come from the device came from memory."""
    coldness = judge_cold(trial)
    return coldness.why if coldness.verdict == "warm" else None


#: Every rule with the verdict that it forces, worst first.
RULES: tuple[tuple[str, str, Callable[[Trial], Finding]], ...] = (
    ("preparation-failed", "void", preparation_failed),
    ("target-lost", "void", target_lost),
    ("setting-not-in-force", "void", setting_not_in_force),
    ("time-limit", "void", time_limit),
    ("exit-status", "void", exit_status),
    ("log-refused", "void", log_refused),
    ("wrong-operation", "void", wrong_operation),
    ("contradicted", "void", contradicted),
    ("ambiguous-figure", "void", ambiguous_figure),
    ("tool-changed", "void", doubts.tool_changed),
    ("too-short", "suspect", too_short),
    ("clock-step", "suspect", clock_step),
    ("served-from-cache", "suspect", served_from_cache),
    ("above-ceiling", "suspect", doubts.above_ceiling),
    ("burst-credit", "suspect", doubts.on_burst_credit),
    ("slow-process-hidden", "suspect", doubts.slow_process_hidden),
    ("foreign-transfers", "suspect", doubts.foreign_transfers),
    ("busy-machine", "suspect", doubts.busy_machine),
    ("foreign-load", "suspect", doubts.foreign_load),
    ("suspended", "suspect", doubts.suspended),
    ("drift", "suspect", doubts.drifted),
    ("little-space", "suspect", doubts.little_space),
    ("fill-drift", "suspect", doubts.fill_drift),
    ("kernel-changed", "suspect", doubts.kernel_changed),
)


def judge(trial: Trial) -> Judgement:
    """Return the verdict of a trial: void if any rule says so, else suspect if any does, else valid."""
    found = [(code, verdict, finding) for code, verdict, rule in RULES if (finding := rule(trial))]
    verdict = next((worst for worst in ("void", "suspect") if any(worst == one for _, one, _ in found)), "valid")
    coldness = judge_cold(trial)
    codes, reasons = tuple(code for code, _, _ in found), tuple(text for _, _, text in found)
    return Judgement(verdict, codes, reasons, coldness.verdict, coldness)
