"""Store the results of the benchmarks by commit, and update the pages that quote them."""

import json
import os
import re
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from costs import ROOT
from figures import Measurement

from coldcache.analysis.questions.program_speed import STORED, LedgerEntry, latest, read_entries
from coldcache.analysis.questions.program_speed_goals import FIGURES, format_speed
from coldcache.measure.host.inventory import describe_system
from coldcache.workflow.execute_notebook import execute_notebook

RESULTS = STORED
PAGE = ROOT / "docs/speed.md"
NOTEBOOK = ROOT / "notebooks/how-fast-the-program-is.ipynb"

#: Figures count as disturbed from this load average over 15 minutes; the benchmarks themselves cause up to 2. The tests
#: cause more, so theirs do not count.
_BUSY, _TESTS = 3.0, "test-"

#: How many commits the trend shows.
_COMMITS = 6

#: The figures that the page quotes first.
_QUOTED = (
    "trial-cpu", "trial-files", "plan-seconds", "dry-run-seconds", "resume-seconds", "logs-share", "dataset-build",
    "dataset-save", "dataset-open", "report-all", "notebook-cpu", "first-page", "report-nothing", "report-one-log",
    "help-seconds", "parse-seconds",
    "fidelity", "disturbance-cpu", "large-seconds", "test-fast", "test-all",
)  # fmt: skip


def describe_machine() -> str:
    """Return the machine in a few words, without its name."""
    system = describe_system()
    memory = f"{system['memory_bytes'] / 1e9:.0f} GB"
    return f"{system['cores']} cores of {system['processor']}, {memory}, {system['os']}, Linux {system['kernel']}"


def name_commit() -> str:
    """Return the commit that is measured, with a plus sign if files differ from it."""
    commit = _git("rev-parse", "--short=10", "HEAD").strip()
    kept = {str(path.relative_to(ROOT)) for path in (RESULTS, PAGE, NOTEBOOK)}
    changed = {line[3:] for line in _git("status", "--porcelain", "--untracked-files=no").splitlines()} - kept
    return commit + ("+" if changed else "")


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def keep(found: Mapping[str, Measurement], machine: str) -> list[LedgerEntry]:
    """Store figures, one line each, replacing those of the same commit and machine; return all."""
    own = {
        "commit": name_commit(), "date": datetime.now(UTC).date().isoformat(), "machine": machine,
        "load": round(os.getloadavg()[2], 2),
    }  # fmt: skip
    new = [
        {"figure": name, **{key: _round(value) for key, value in measured._asdict().items()}, **own}
        for name, measured in found.items()
    ]
    keys = {_key(entry) for entry in new}
    entries = [entry for entry in read_entries(RESULTS) if _key(entry) not in keys] + new
    RESULTS.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return entries


def _key(entry: LedgerEntry) -> tuple[str, str, str, bool]:
    return entry["figure"], entry["commit"], entry["machine"], bool(entry["peers"])


def _round(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _round(one) for key, one in value.items()}
    return value if value is None else float(f"{value:.4g}")


def show_measured(measured: Measurement, unit: str) -> str:
    """Return a value with its interval, if it has one."""
    shown = format_speed(measured.value, unit)
    return shown if measured.low is None else f"{measured.value:.3f} ({measured.low:.3f} to {measured.high:.3f})"


def _measured(entry: LedgerEntry) -> Measurement:
    return Measurement(**{field: entry[field] for field in Measurement._fields})


def renew_pages(entries: list[LedgerEntry]) -> None:
    """Update the tables of the page on speed, and the notebook's outputs."""
    newest, compared = latest(entries), latest(entry for entry in entries if entry["peers"])
    _replace(PAGE, "speed", f"{sum_up(newest)}\n\n{quote(newest)}")
    _replace(PAGE, "figures", _write_figures(newest))
    _replace(PAGE, "peers", _write_peers(compared))
    _replace(PAGE, "trend", _write_trend(entries))
    execute_notebook(NOTEBOOK, NOTEBOOK, ROOT / "logs" / NOTEBOOK.name)


def sum_up(newest: Mapping[str, LedgerEntry]) -> str:
    """Return a sentence that says how many goals are met, where and when, and which are not."""
    missed = [FIGURES[name].what for name, entry in newest.items() if not FIGURES[name].is_met(entry["value"])]
    dates = sorted({entry["date"] for entry in newest.values()})
    machines = "; ".join(dict.fromkeys(entry["machine"] for entry in newest.values()))
    load = max((entry["load"] for name, entry in newest.items() if not name.startswith(_TESTS)), default=0.0)
    busy = f", while others loaded it ({load:.0f} processes were waiting)" if load > _BUSY else ""
    said = f"`make bench` holds {len(newest) - len(missed)} of {len(newest)} goals on {machines} ({dates[-1]}){busy}."
    return said + (f" Missed: {'; '.join(missed)}." if missed else "")


def quote(newest: Mapping[str, LedgerEntry]) -> str:
    """Return the first table of the page: the chosen figures with goal and floor."""
    lines = ["| what | measured | goal | the floor |", "|---|---|---|---|"]
    for name in (name for name in _QUOTED if name in newest):
        figure, measured = FIGURES[name], _measured(newest[name])
        goal = figure.format_goal() + ("" if figure.is_met(measured.value) else ", missed")
        floor = "" if measured.floor is None else f"{figure.floor}: {format_speed(measured.floor, figure.unit)}"
        lines.append(f"| {figure.what} | {show_measured(measured, figure.unit)} | {goal} | {floor} |")
    return "\n".join(lines)


def _write_figures(newest: Mapping[str, LedgerEntry]) -> str:
    lines = ["| what | measured | goal | | over the floor | the floor |", "|---|---|---|---|---|---|"]
    for name, entry in newest.items():
        figure, measured = FIGURES[name], _measured(entry)
        ratio, missed = measured.ratio(), figure.describe_miss(measured.value, measured.floor)
        lines.append(
            f"| {figure.what} | {show_measured(measured, figure.unit)} | {figure.format_goal()} "
            f"| {missed or ''} | {'' if ratio is None else f'{ratio:.3g}'} "
            f"| {figure.floor} |"
        )
    return "\n".join(lines)


def _write_peers(compared: Mapping[str, LedgerEntry]) -> str:
    peers = list(dict.fromkeys(peer for entry in compared.values() for peer in entry["peers"]))
    lines = [f"| what | {' | '.join(['Cold Cache', *peers])} |", "|---" * (len(peers) + 2) + "|"]
    for name, entry in compared.items():
        unit = FIGURES[name].unit
        values = [entry["value"], *(entry["peers"].get(peer) for peer in peers)]
        shown = ("" if value is None else format_speed(value, unit) for value in values)
        lines.append(f"| {FIGURES[name].what} | {' | '.join(shown)} |")
    return "\n".join(lines)


def _write_trend(entries: list[LedgerEntry]) -> str:
    """Return a row per figure and a column per commit, for the machine that measured last."""
    machine = entries[-1]["machine"]
    own = [entry for entry in entries if entry["machine"] == machine]
    commits = list(dict.fromkeys(entry["commit"] for entry in own))[-_COMMITS:]
    dates = {entry["commit"]: entry["date"] for entry in own}
    values = {(entry["figure"], entry["commit"]): entry["value"] for entry in own}
    lines = [f"| what | {' | '.join(f'`{commit}`, {dates[commit]}' for commit in commits)} |"]
    lines.append("|---" * (len(commits) + 1) + "|")
    for name, figure in FIGURES.items():
        row = [values.get((name, commit)) for commit in commits]
        if any(value is not None for value in row):
            shown = ("" if value is None else format_speed(value, figure.unit) for value in row)
            lines.append(f"| {figure.what} | {' | '.join(shown)} |")
    return "\n".join(lines)


def _replace(path: Path, name: str, text: str) -> None:
    """Replace the text between the two marks of a name in a page."""
    begin, end = f"<!-- bench: {name} -->", "<!-- bench: end -->"
    pattern = re.compile(f"({re.escape(begin)}\n).*?({re.escape(end)})", re.DOTALL)
    page, count = pattern.subn(lambda marks: f"{marks[1]}{text}\n{marks[2]}", path.read_text())
    assert count == 1, f"{path} has {count} places for {name}"
    path.write_text(page)
