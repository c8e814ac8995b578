"""What a trial recorded about how it ran, as the rows of the tables on its page."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from markupsafe import Markup

from coldcache.core.outcome import Counters, Outcome
from coldcache.core.units import show_seconds
from coldcache.report.site.format import show_levels, show_noted
from coldcache.report.site.html import escape_html
from coldcache.report.site.recorded_system import show_recorded
from coldcache.report.site.trials import ReportedTrial


def list_main_facts(trial: ReportedTrial, outcome: Outcome) -> Iterator[tuple[str, Any]]:
    """Yield the levels of a trial, its verdict with the reasons, its proof of cold reads, and how it ran."""
    if levels := show_levels([outcome.factors]):
        yield "Levels", levels
    reasons = f": {trial.reasons} ({', '.join(trial.codes.split())})" if trial.reasons else ""
    yield "Verdict", Markup("<strong>{}</strong>{}").format(trial.verdict, reasons)
    if trial.proof:
        proof = trial.proof
        parts = [proof["why"]]
        if proof.get("resident_bytes"):
            parts.append(
                f"the page cache held {int(proof['resident_bytes']):,} B of the files' {int(proof['file_bytes']):,} B "
                f"before it ({proof['method']})"
            )
        yield "Read", Markup("<strong>{}</strong>: {}").format(trial.cold, "; ".join(filter(None, parts)))
    yield "Tool", f"{outcome.tool} {outcome.tool_version or 'of unknown version'}"
    if outcome.started and outcome.ended:
        yield "Ran", _show_span(outcome.started.astimezone(UTC), outcome.ended.astimezone(UTC))
    if outcome.seconds is not None:
        limit = f", of at most {show_seconds(outcome.time_limit)}" if outcome.time_limit else ""
        yield "Took", f"{outcome.seconds:.2f} s{limit}"
    if outcome.exit_status is not None:
        yield "Exit status", f"{outcome.exit_status}{', ended at its time limit' if outcome.timed_out else ''}"
    if outcome.failure:
        yield "Failure", f"{outcome.failure.message} ({outcome.failure.code})"


def list_properties(outcome: Outcome) -> list[tuple[str, Any]]:
    """Return the recorded properties of machine, target and environment, one row each."""
    rows: list[tuple[str, str, Any]] = []
    for part, described in (("system", outcome.system), ("target", outcome.target)):
        for name, value in (described or {}).items():
            inner = value if isinstance(value, dict) else {"": value}
            rows += [(f"{part} {name} {key}", key or name, found) for key, found in inner.items()]
    noted = (("free_bytes before", "free_bytes", outcome.free_bytes), ("load before", "load", outcome.load))
    rows += [row for row in noted if row[-1] is not None]
    return [
        (head.replace("_bytes", "").replace("_", " ").strip(), escape_html(show_noted(key, show_recorded(found))))
        for head, key, found in rows
    ]


def _show_span(start: datetime, end: datetime) -> str:
    """Return when a trial began and ended, in UTC; the end has a date only if it differs."""
    until = f"{end:%H:%M:%S}" if start.date() == end.date() else f"{end:%Y-%m-%d %H:%M:%S}"
    return f"{start:%Y-%m-%d %H:%M:%S} to {until} UTC"


def list_counters(counters: Counters | None) -> list[tuple[str, str, str, str]]:
    """Return the counters of the device before and after a trial, and what they grew by; empty if none were read."""
    if not counters:
        return []
    return [
        (name.replace("_", " "), f"{old:,}", f"{counters.after[name]:,}", f"{counters.after[name] - old:,}")
        for name, old in counters.before.items()
        if name in counters.after
    ]
