"""The pages of sweeps, cases and trials, down to the bytes of each log.

They are written without Sphinx, so that thousands of them do not slow its search and navigation.
"""

import math
import os
import shlex
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from coldcache.analysis.estimates import LEVEL
from coldcache.analysis.format import show_level
from coldcache.analysis.report_links import FOLDER
from coldcache.campaign.seal import is_sealed
from coldcache.core.errors import DatasetError
from coldcache.core.outcome import Counters, Outcome
from coldcache.core.units import show_rate, show_seconds
from coldcache.core.vocabulary import VERDICTS
from coldcache.dataset.reader import COUNTED, open_sweep
from coldcache.report.site.anchors import number_cells
from coldcache.report.site.annotated_logs import LONGEST_WHOLE_LOG, mark_log
from coldcache.report.site.context import ReportContext
from coldcache.report.site.format import show_levels, show_noted
from coldcache.report.site.html import escape_html, facts_table
from coldcache.report.site.raw_files import RawFile
from coldcache.report.site.trials import Cases, LoggedValue, ReportedTrial, count_verdicts
from coldcache.statistics.intervals import interval


def write_trial_pages(
    context: ReportContext, cases: Cases, files: dict[str, RawFile], templates: Path, site: Path
) -> None:
    """Write the pages of a campaign's sweeps, cases and trials into its report.

    Parameters
    ----------
    material : ReportContext
        The content of the report.
    cases : dict
        The campaign's trials.
    files : dict of str to RawFile
        Its raw files.
    templates : Path
        Folder with the templates ``sweep.html``, ``case.html`` and ``trial.html``.
    site : Path
        The report's folder.
    """
    writer = _Writer(context, files, templates, site)
    for (study, sweep), of_sweep in cases.items():
        writer.write_sweep(study, sweep, of_sweep)
        for case, trials in of_sweep.items():
            writer.write_case(case, trials)
            for trial in trials:
                if trial.outcome:
                    writer.write_trial(trial, trials)


class _Writer:
    """Writes the pages of one campaign from templates."""

    def __init__(self, context: ReportContext, files: dict[str, RawFile], templates: Path, site: Path):
        self._environment = Environment(
            loader=FileSystemLoader(templates), undefined=StrictUndefined, autoescape=True, trim_blocks=True,
            lstrip_blocks=True, keep_trailing_newline=True,
        )  # fmt: skip
        self._campaign, self._site, self._files = context.campaign, site, files
        self._version = version("coldcache")
        self._by_folder: dict[str, list[RawFile]] = {}
        for name, file in files.items():
            self._by_folder.setdefault(name.rpartition("/")[0], []).append(file)
        self._dataset = context.results / "dataset.nc"
        self._correlations: dict[tuple[str, str], dict[str, float]] = {}
        self._sealed = is_sealed(context.campaign.folder)
        self._titles = {
            (study.study, name): (study.title, sweep.title)
            for study in context.campaign.studies
            for name, sweep in study.sweeps.items()
        }

    def _write(self, template: str, place: str, values: dict[str, Any]) -> None:
        path = self._site / FOLDER / place
        path.parent.mkdir(parents=True, exist_ok=True)
        root = f"{os.path.relpath(self._site, path.parent)}/"
        shared = {"root": root, "campaign": self._campaign.name, "version": self._version}
        text = self._environment.get_template(template).render(**shared, **values)
        path.write_text(number_cells(text) if template != "trial.html" else text, encoding="utf-8")

    def write_sweep(self, study: str, sweep: str, cases: dict[str, list[ReportedTrial]]) -> None:
        """Write the page of a sweep: its cases with their medians."""
        metrics = list(dict.fromkeys(metric for trials in cases.values() for _, metric in _name_figures(trials)))
        rows = []
        for case, trials in cases.items():
            cells = [_summarise_metric(trials, metric, self._correlate(study, sweep, metric)) for metric in metrics]
            counted = count_verdicts(trials)
            verdicts = ", ".join(f"{counted[verdict]} {verdict}" for verdict in VERDICTS if counted[verdict])
            rows.append({"case": case, "address": f"{case}/index.html", "cells": cells, "verdicts": verdicts})
        study_title, title = self._titles[study, sweep]
        self._write("sweep.html", f"{study}/{sweep}/index.html", {
            "title": title, "lead": f"Sweep {sweep} of the study {study}: {study_title}", "here": sweep,
            "trail": [(study, f"../../../{study}/index.html")], "rows": rows,
            "columns": [metric.replace("_", " ").capitalize() for metric in metrics],
        })  # fmt: skip

    def write_case(self, case: str, trials: list[ReportedTrial]) -> None:
        """Write the page of a case: its trials with their values, and each median with its interval."""
        first = trials[0]
        names = _name_figures(trials)
        columns = [
            {"name": head, **(_summarise(trials, name, self._correlate(first.study, first.sweep, name[1])) or {})}
            for head, name in zip(_head_columns(names), names, strict=True)
        ]
        rows = [
            {
                "name": f"r{trial.repetition}", "address": f"r{trial.repetition}.html" if trial.outcome else "",
                "cells": [_show_cell(trial, name) for name in names], "verdict": trial.verdict, "cold": trial.cold,
                "why": trial.reasons or trial.proof.get("why", ""),
            }
            for trial in trials
        ]  # fmt: skip
        counted = [trial for trial in trials if trial.verdict in COUNTED]
        self._write("case.html", f"{first.study}/{first.sweep}/{case}/index.html", {
            "title": case, "lead": self._titles[first.study, first.sweep][1], "here": case, "columns": columns,
            "trail": [(first.study, f"../../../../{first.study}/index.html"), (first.sweep, "../index.html")],
            "reads": any(trial.proof for trial in trials), "rows": rows, "marks": _name_apart(trials),
            "counted": f"{len(counted)} of {len(trials)} trials count: those that are valid or suspect.",
        })  # fmt: skip

    def write_trial(self, trial: ReportedTrial, siblings: list[ReportedTrial]) -> None:
        """Write the page of a trial: how it ran, its verdict, and its logs with their numbers marked."""
        outcome = trial.outcome
        if outcome is None:
            return
        folder, here = f"{trial.study}/{trial.sweep}/{trial.case}", f"r{trial.repetition}"
        there = [other for other in siblings if other.outcome]
        at = there.index(trial)
        neighbours = [*there[max(0, at - 1) : at], *there[at + 1 : at + 2]]
        self._write("trial.html", f"{folder}/{here}.html", {
            "title": f"Trial {here} of {trial.case}", "lead": self._titles[trial.study, trial.sweep][1], "here": here,
            "trail": [
                (trial.study, f"../../../../{trial.study}/index.html"), (trial.sweep, "../index.html"),
                (trial.case, "index.html"),
            ],
            "glance": facts_table(_glance(trial, outcome)), "sealed": self._sealed,
            "figures": [_describe_figure(figure) for figure in trial.foremost],
            "others": len(trial.figures) - len(trial.foremost),
            "logs": list(self._show_logs(trial)),
            "command": shlex.join(outcome.argv).replace(" -", " \\\n  -"),
            "settings": [
                (factor, found.asked, found.read, found.read_after or "", found.where)
                for factor, found in outcome.settings.items()
            ],
            "system": facts_table(_list_properties(outcome)), "counters": _count(outcome.counters),
            "files": [self._relate(file) for file in self._files_of(trial)],
            "neighbours": [(f"Trial r{other.repetition}", f"r{other.repetition}.html") for other in neighbours],
        })  # fmt: skip

    def _correlate(self, study: str, sweep: str, metric: str) -> float:
        """Return how much trials of a sweep resemble those of the round before, for which intervals are widened."""
        if (study, sweep) not in self._correlations:
            try:
                values = dict(open_sweep(self._dataset, study, sweep).data_vars)
            except DatasetError:
                values = {}
            stated = {str(name): float(one.attrs.get("correlation", 0.0)) for name, one in values.items()}
            self._correlations[study, sweep] = stated
        return self._correlations[study, sweep].get(metric, 0.0)

    def _files_of(self, trial: ReportedTrial) -> list[RawFile]:
        """Return the files in a trial's folder, and its logs outside of it."""
        own = sorted(self._by_folder.get(trial.key, []), key=lambda file: not file.name.endswith("/stdout.txt"))
        stated = trial.outcome.log.file if trial.outcome and trial.outcome.log else None
        return own + [self._files[log] for log in [stated] if log in self._files and self._files[log] not in own]

    def _relate(self, file: RawFile) -> dict[str, Any]:
        """Return a file with its URL relative to the page of a trial."""
        return {**file._asdict(), "name": file.name.rpartition("/")[2], "address": f"../../../../{file.address}"}

    def _show_logs(self, trial: ReportedTrial) -> Iterator[dict[str, Any]]:
        """Yield a trial's logs with their numbers marked; of a log of many trials only the parts of this one."""
        for number, file in enumerate(self._files_of(trial)):
            if file.name.endswith("/trial.json") or not file.size:
                continue
            places = [figure.place for figure in trial.figures if figure.log == file.name]
            content = (self._campaign.folder / file.name).read_bytes()
            whole = LONGEST_WHOLE_LOG if file.name.startswith(f"{trial.key}/") or not places else 0
            pieces = mark_log(content, places, whole)
            cut = len(pieces) != 1 or pieces[0].end - pieces[0].begin < len(content)
            yield {**self._relate(file), "id": f"log-{number}", "pieces": pieces, "cut": cut}


def _name_figures(trials: list[ReportedTrial]) -> list[tuple[str, str]]:
    """Return the operation and metric of the values of some trials."""
    return list(dict.fromkeys((figure.operation, figure.metric) for trial in trials for figure in trial.foremost))


def _name_apart(trials: list[ReportedTrial]) -> list[str]:
    """Return the anchors of values that logs state separately for each stream."""
    marks = (figure.place.name for trial in trials for figure in trial.figures if not figure.place.foremost)
    return [mark for mark in dict.fromkeys(marks) if not mark.startswith("byte-")]


def _put_in_words(operation: str, metric: str) -> str:
    return f"{operation} {metric.replace('_', ' ')}"


def _head_columns(names: list[tuple[str, str]]) -> list[str]:
    """Return the column headings; they name the operation if there are several."""
    several = len({operation for operation, _ in names}) > 1
    return [_put_in_words(*name) if several else name[1].replace("_", " ").capitalize() for name in names]


def _show(value: float, unit: str) -> str:
    return f"{value:,.10g}" if unit == "1" else show_rate(value, unit)


def _find(trial: ReportedTrial, name: tuple[str, str]) -> LoggedValue | None:
    return next((figure for figure in trial.foremost if (figure.operation, figure.metric) == name), None)


def _show_cell(trial: ReportedTrial, name: tuple[str, str]) -> dict[str, str] | None:
    figure = _find(trial, name)
    return figure and {"mark": figure.place.name, "shown": _show(figure.value, figure.unit)}


def _summarise(trials: list[ReportedTrial], name: tuple[str, str], correlation: float = 0.0) -> dict[str, Any] | None:
    """Return the median and interval of a value over the trials that count; None if no log states it."""
    found = {trial.repetition: figure for trial in trials if (figure := _find(trial, name))}
    if not found:
        return None
    first = next(iter(found.values()))
    values = [found[trial.repetition].value for trial in trials
              if trial.verdict in COUNTED and trial.repetition in found]  # fmt: skip
    none = {"mark": first.place.name, "median": "none", "interval": "", "n": 0}
    if not values:
        return none
    estimated = interval(values, level=LEVEL, correlation=correlation)
    bounds = (
        ""
        if math.isnan(estimated.low)
        else f"{show_level(estimated.level)}: {_show(estimated.low, first.unit)} to {_show(estimated.high, first.unit)}"
    )
    return {**none, "median": _show(estimated.estimate, first.unit), "interval": bounds, "n": len(values)}


def _summarise_metric(trials: list[ReportedTrial], metric: str, correlation: float) -> list[dict[str, Any]]:
    """Return a summary per operation of a case with this metric; it names the operation if there are several."""
    names = [name for name in _name_figures(trials) if name[1] == metric]
    found = [(operation, _summarise(trials, (operation, metric), correlation)) for operation, _ in names]
    return [{**summary, "operation": operation if len(names) > 1 else ""} for operation, summary in found if summary]


def _describe_figure(figure: LoggedValue) -> dict[str, Any]:
    place = figure.place
    return {
        "name": _put_in_words(figure.operation, figure.metric), "value": repr(figure.value), "unit": figure.unit,
        "shown": _show(figure.value, figure.unit), "printed": figure.printed, "mark": place.name,
        "begin": place.offset, "end": place.offset + place.length, "definition": figure.definition,
    }  # fmt: skip


def _glance(trial: ReportedTrial, outcome: Outcome) -> Iterator[tuple[str, Any]]:
    yield "Levels", show_levels([outcome.factors])
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


def _list_properties(outcome: Outcome) -> list[tuple[str, Any]]:
    """Return the recorded properties of machine, target and environment, one row each."""
    rows: list[tuple[str, str, Any]] = []
    for part, described in (("system", outcome.system), ("target", outcome.target)):
        for name, value in (described or {}).items():
            inner = value if isinstance(value, dict) else {"": value}
            rows += [(f"{part} {name} {key}", key or name, found) for key, found in inner.items()]
    noted = (("free_bytes before", "free_bytes", outcome.free_bytes), ("load before", "load", outcome.load))
    rows += [row for row in noted if row[-1] is not None]
    return [
        (head.replace("_bytes", "").replace("_", " ").strip(), escape_html(show_noted(key, found)))
        for head, key, found in rows
    ]


def _show_span(start: datetime, end: datetime) -> str:
    """Return when a trial began and ended, in UTC; the end has a date only if it differs."""
    until = f"{end:%H:%M:%S}" if start.date() == end.date() else f"{end:%Y-%m-%d %H:%M:%S}"
    return f"{start:%Y-%m-%d %H:%M:%S} to {until} UTC"


def _count(counters: Counters | None) -> list[tuple[str, str, str, str]]:
    if not counters:
        return []
    return [
        (name.replace("_", " "), f"{old:,}", f"{counters.after[name]:,}", f"{counters.after[name] - old:,}")
        for name, old in counters.before.items()
        if name in counters.after
    ]
