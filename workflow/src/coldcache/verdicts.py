"""One rule, one function, one code: whether a trial counts, and whether its reads were cold."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from coldcache.parts import name_share
from coldcache.records import Record

#: Reads are judged by where their bytes came from; writes and operations on files as such are not.
_READS = ("read", "random-read")


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
    shortest_run, cold_share : float
        Thresholds of the site: in s, and as a share of the bytes that were read.
    """

    story: Mapping[str, Any]
    records: list[Record]
    refusal: str
    shortest_run: float
    cold_share: float


class Judgement(NamedTuple):
    """A trial's verdict, the codes of the rules that decided, and the sentence of each."""

    verdict: str
    codes: tuple[str, ...]
    reasons: tuple[str, ...]
    cold: str


Finding = str | None


def preparation_failed(trial: Trial) -> Finding:
    """Void: the files or settings that the trial needs could not be had."""
    failure = trial.story["failure"]
    return failure["message"] if failure else None


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
        if seconds is not None and seconds < trial.shortest_run:
            return f"{operation} was measured over {seconds:.2g} s, less than {trial.shortest_run:g} s"
    return None


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
    if trial.story["operations"] and trial.story["operations"][0] in _READS and judge_cold(trial) == "warm":
        return "most of its bytes did not cross the device"
    return None


#: Every rule with the verdict that it forces, worst first.
RULES: tuple[tuple[str, str, Callable[[Trial], Finding]], ...] = (
    ("preparation-failed", "void", preparation_failed),
    ("setting-not-in-force", "void", setting_not_in_force),
    ("time-limit", "void", time_limit),
    ("exit-status", "void", exit_status),
    ("log-refused", "void", log_refused),
    ("wrong-operation", "void", wrong_operation),
    ("contradicted", "void", contradicted),
    ("ambiguous-figure", "void", ambiguous_figure),
    ("too-short", "suspect", too_short),
    ("clock-step", "suspect", clock_step),
    ("served-from-cache", "suspect", served_from_cache),
)


def judge(trial: Trial) -> Judgement:
    """Return the verdict of a trial: void if any rule says so, else suspect if any does, else valid."""
    found = [(code, verdict, finding) for code, verdict, rule in RULES if (finding := rule(trial))]
    verdict = next((worst for worst in ("void", "suspect") if any(worst == one for _, one, _ in found)), "valid")
    return Judgement(
        verdict, tuple(code for code, _, _ in found), tuple(text for _, _, text in found), judge_cold(trial)
    )


def judge_cold(trial: Trial) -> str:
    """Return whether the bytes of a read came from the device.

    Returns
    -------
    str
        ``cold`` if at least the site's share of them crossed the device; ``warm`` if at most the rest did; ``mixed``
        in between; ``unproved`` where nothing counts them; ``not applicable`` for all but reads.
    """
    story = trial.story
    if not story["operations"] or story["operations"][0] not in _READS:
        return "not applicable"
    moved = _moved_bytes(trial)
    if not story["counters"] or not moved:
        return "unproved"
    crossed = story["counters"]["after"]["read_bytes"] - story["counters"]["before"]["read_bytes"]
    share = crossed / moved
    if share >= trial.cold_share:
        return "cold"
    return "warm" if share <= 1 - trial.cold_share else "mixed"


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


def _moved_bytes(trial: Trial) -> float | None:
    operation = trial.story["operations"][0]
    seconds = measured_seconds(trial, operation)
    for record in trial.records:
        if record.operation == operation and record.metric == "throughput" and record.statistic == "value":
            return record.value * seconds if seconds else None
    return None
