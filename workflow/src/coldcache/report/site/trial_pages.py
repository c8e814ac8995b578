"""The pages of sweeps, cases and trials, down to the bytes of each log.

They are written without Sphinx, so that thousands of them do not slow its search and navigation.
"""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from coldcache.analysis.report_links import TRIALS_FOLDER
from coldcache.analysis.sentences.subjects import capitalise
from coldcache.campaign.seal import is_sealed
from coldcache.core.errors import DatasetError
from coldcache.core.vocabulary import VERDICTS
from coldcache.dataset.reader import COUNTED, find_trials, open_sweep
from coldcache.report.site.anchors import number_cells
from coldcache.report.site.annotated_logs import LONGEST_WHOLE_LOG, mark_log
from coldcache.report.site.case_figures import (
    describe_figure,
    group_by_metric,
    head_columns,
    name_apart,
    name_figures,
    show_cell,
    summarise,
)
from coldcache.report.site.context import ReportContext
from coldcache.report.site.format import show_case
from coldcache.report.site.html import facts_table
from coldcache.report.site.places import Place
from coldcache.report.site.raw_files import RawFile, RawFiles
from coldcache.report.site.trial_facts import list_counters, list_main_facts, list_properties
from coldcache.report.site.trials import JudgedTrial, ReportedTrial, count_verdicts, read_details
from coldcache.statistics.dependence import INDEPENDENT, Rounds, rounds_of

#: Trials whose values and outcomes are in memory at once.
_TRIALS_AT_ONCE = 2_000

#: Pages whose cells have ids.
_NUMBERED = ("sweep.html", "case.html")


class CaseSummary(NamedTuple):
    """A case as the page of its sweep shows it.

    Attributes
    ----------
    study, sweep, case : str
        The case.
    verdicts : str
        How many of its trials have each verdict, in words.
    metrics : dict of str to list of dict
        The median of each metric, one per operation.
    """

    study: str
    sweep: str
    case: str
    verdicts: str
    metrics: dict[str, list[dict[str, Any]]]


class _Page(NamedTuple):
    """A page with its template and what this is filled with."""

    place: Place
    template: str
    values: dict[str, Any]


class TrialPages:
    """Writes the pages of a campaign's sweeps, cases and trials into its report.

    Parameters
    ----------
    context : ReportContext
        The content of the report.
    files : RawFiles
        The campaign's raw files.
    templates : Path
        Folder with the templates ``sweep.html``, ``case.html``, ``trial.html`` and ``cases.html``.
    site : Path
        The report's folder.
    """

    def __init__(self, context: ReportContext, files: RawFiles, templates: Path, site: Path):
        self._environment = Environment(
            loader=FileSystemLoader(templates), undefined=StrictUndefined, autoescape=True, trim_blocks=True,
            lstrip_blocks=True, keep_trailing_newline=True,
        )  # fmt: skip
        self._campaign, self._cases, self._places = context.campaign, context.cases, context.places
        self._site, self._files = site, files
        self._version = version("coldcache")
        self._dataset = context.results / "dataset.nc"
        self._rows = find_trials(self._dataset)
        self._rounds: dict[tuple[str, str], dict[str, Rounds]] = {}
        self._sealed = is_sealed(context.campaign.folder)
        self._titles = {
            (study.study, name): (study.title, sweep.title)
            for study in context.campaign.studies
            for name, sweep in study.sweeps.items()
        }

    def list_batches(self) -> Iterator[list[list[JudgedTrial]]]:
        """Yield the trials of each case in batches; processes can write them independently of each other."""
        batch: list[list[JudgedTrial]] = []
        cases = [trials for of_sweep in self._cases.values() for trials in of_sweep.values()]
        for _, of_file in groupby(cases, key=lambda trials: self._place_case(trials).file):
            batch += of_file
            if sum(map(len, batch)) >= _TRIALS_AT_ONCE:
                yield batch
                batch = []
        if batch:
            yield batch

    def write_cases(self, batch: Sequence[Sequence[JudgedTrial]]) -> list[CaseSummary]:
        """Write the pages of some cases and their trials, and return what the pages of their sweeps show."""
        judged = [trial for trials in batch for trial in trials]
        trials = iter(read_details(judged, self._campaign.folder, self._dataset, self._rows))
        cases = [[next(trials) for _ in of_case] for of_case in batch]
        summaries = []
        for file, of_file in groupby(cases, key=lambda of_case: self._place_case(of_case).file):
            pages = []
            for of_case in of_file:
                summary, page = self._describe_case(of_case)
                summaries.append(summary)
                there = [trial for trial in of_case if trial.outcome]
                pages += [page, *(self._describe_trial(there, number) for number in range(len(there)))]
            if pages[0].place.part:
                self._write_together(file, pages)
            else:
                for page in pages:
                    self._write(page.place.file, page.template, page.values)
        return summaries

    def write_sweeps(self, summaries: Iterable[CaseSummary]) -> None:
        """Write the page of each sweep: its cases with their medians."""
        for (study, sweep), of_sweep in groupby(summaries, key=lambda summary: summary[:2]):
            here = f"{TRIALS_FOLDER}/{study}/{sweep}/index.html"
            cases = sorted(of_sweep, key=lambda summary: _by_numbers(summary.case))
            metrics = list(dict.fromkeys(metric for case in cases for metric in case.metrics))
            study_title, title = self._titles[study, sweep]
            self._write(here, "sweep.html", {
                "title": title, "lead": f"Sweep {sweep} of the study {study}: {study_title}", "here": sweep,
                "trail": [(study, _to_top(here) + f"{study}/index.html")],
                "rows": [self._describe_row(case, metrics, here) for case in cases],
                "columns": [metric.replace("_", " ").capitalize() for metric in metrics],
            })  # fmt: skip

    def _write(self, file: str, template: str, values: dict[str, Any]) -> None:
        shared = {"root": _to_top(file), "campaign": self._campaign.name, "version": self._version}
        path = self._site / file
        path.parent.mkdir(parents=True, exist_ok=True)
        text = self._environment.get_template(template).render(**shared, **{"ids": "", **values})
        path.write_text(number_cells(text) if template in _NUMBERED else text, encoding="utf-8")

    def _write_together(self, file: str, pages: Sequence[_Page]) -> None:
        """Write several pages as parts of one file."""
        parts = []
        for place, name, values in pages:
            template = self._environment.get_template(name)
            article = "".join(template.blocks["article"](template.new_context({**values, "ids": place.ids})))
            parts.append((place.part, Markup(number_cells(article) if name in _NUMBERED else article)))
        first = pages[0].values
        title = f"{first['title']} and other cases"
        self._write(file, "cases.html", {"title": title, "here": title, "trail": first["trail"], "parts": parts})

    def _place_case(self, trials: Sequence[JudgedTrial]) -> Place:
        first = trials[0]
        return self._places.of_case(first.study, first.sweep, first.case)

    def _describe_row(self, case: CaseSummary, metrics: Sequence[str], here: str) -> dict[str, Any]:
        """Return a row of the page of a sweep."""
        place = self._places.of_case(*case[:3])
        cells = [
            [{**part, "address": place.address(here, part["mark"])} for part in case.metrics.get(metric, [])]
            for metric in metrics
        ]
        name = show_case(case.case, case.sweep)
        return {"case": name, "verdicts": case.verdicts, "address": place.address(here), "cells": cells}

    def _describe_case(self, trials: Sequence[ReportedTrial]) -> tuple[CaseSummary, _Page]:
        """Return a case for the page of its sweep, and its own page: its trials, and each median with its interval."""
        first, place = trials[0], self._place_case(trials)
        names = name_figures(trials)
        summaries = {
            name: summarise(trials, name, self._rounds_of(first.study, first.sweep, name[1])) for name in names
        }
        rows = []
        for trial in trials:
            of_trial, cells = self._places.of_trial(trial), [show_cell(trial, name) for name in names]
            rows.append({
                "name": f"r{trial.repetition}",
                "address": of_trial.address(place.file) if trial.outcome else "",
                "cells": [cell and {**cell, "address": of_trial.address(place.file, cell["mark"])} for cell in cells],
                "verdict": trial.verdict, "cold": trial.cold, "why": trial.reasons or trial.proof.get("why", ""),
            })  # fmt: skip
        counted, verdicts = [trial for trial in trials if trial.verdict in COUNTED], count_verdicts(trials)
        page = _Page(place, "case.html", {
            "title": capitalise(show_case(first.case, first.sweep)), "here": first.case,
            "lead": self._titles[first.study, first.sweep][1],
            "trail": self._trail(place.file, first), "rows": rows, "marks": name_apart(trials),
            "columns": [
                {"name": head, **summaries[name]} for head, name in zip(head_columns(names), names, strict=True)
            ],
            "reads": any(trial.proof for trial in trials),
            "counted": f"{len(counted)} of {len(trials)} trials count: those that are valid or suspect.",
        })  # fmt: skip
        said = ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in VERDICTS if verdicts[verdict])
        return CaseSummary(first.study, first.sweep, first.case, said, group_by_metric(summaries)), page

    def _describe_trial(self, there: Sequence[ReportedTrial], at: int) -> _Page:
        """Return the page of a trial: how it ran, its verdict, and its logs with their numbers marked.

        `there` are the trials of its case that have a page, and it is at place `at` of them.
        """
        trial = there[at]
        outcome, place, case = trial.outcome, self._places.of_trial(trial), self._place_case(there)
        assert outcome is not None
        neighbours = [*there[max(0, at - 1) : at], *there[at + 1 : at + 2]]
        files = self._files_of(trial)
        return _Page(place, "trial.html", {
            "title": f"Trial r{trial.repetition} of {show_case(trial.case, trial.sweep)}",
            "here": f"r{trial.repetition}",
            "lead": self._titles[trial.study, trial.sweep][1],
            "trail": [*self._trail(place.file, trial), (trial.case, case.address(place.file))],
            "glance": facts_table(list_main_facts(trial, outcome)), "sealed": self._sealed,
            "figures": [
                {**describe_figure(figure), "address": place.address(place.file, figure.place.name)}
                for figure in trial.foremost
            ],
            "others": len(trial.figures) - len(trial.foremost),
            "logs": list(self._show_logs(trial, files, place)),
            "command": shlex.join(outcome.argv).replace(" -", " \\\n  -"),
            "settings": [
                (factor, found.asked, found.read, found.read_after or "", found.where)
                for factor, found in outcome.settings.items()
            ],
            "system": facts_table(list_properties(outcome)), "counters": list_counters(outcome.counters),
            "files": [_relate(file, place) for file in files],
            "neighbours": [
                (f"Trial r{other.repetition}", self._places.of_trial(other).address(place.file))
                for other in neighbours
            ],
        })  # fmt: skip

    def _rounds_of(self, study: str, sweep: str, metric: str) -> Rounds:
        """Return how trials of a sweep depend on their rounds, for which intervals are widened."""
        if (study, sweep) not in self._rounds:
            try:
                values = dict(open_sweep(self._dataset, study, sweep).data_vars)
            except DatasetError:
                values = {}
            self._rounds[study, sweep] = {str(name): rounds_of(one) for name, one in values.items()}
        return self._rounds[study, sweep].get(metric, INDEPENDENT)

    def _trail(self, here: str, trial: JudgedTrial) -> list[tuple[str, str]]:
        """Return the pages above that of a case, with their URLs from the page at path `here`."""
        top = _to_top(here)
        sweep = Place(f"{TRIALS_FOLDER}/{trial.study}/{trial.sweep}/index.html").address(here)
        return [(trial.study, f"{top}{trial.study}/index.html"), (trial.sweep, sweep)]

    def _files_of(self, trial: ReportedTrial) -> list[RawFile]:
        """Return the files in a trial's folder, and its logs outside of it."""
        own = sorted(self._files.list_folder(trial.key), key=lambda file: not file.name.endswith("/stdout.txt"))
        stated = trial.outcome.log.file if trial.outcome and trial.outcome.log else None
        other = self._files.find(stated) if stated else None
        return [*own, other] if other and other not in own else own

    def _show_logs(self, trial: ReportedTrial, files: Sequence[RawFile], place: Place) -> Iterator[dict[str, Any]]:
        """Yield a trial's logs with their numbers marked; of a log of many trials only the parts of this one."""
        for number, file in enumerate(files):
            if file.name.endswith("/trial.json") or not file.size:
                continue
            marks = [figure.place for figure in trial.figures if figure.log == file.name]
            content = (self._campaign.folder / file.name).read_bytes()
            whole = LONGEST_WHOLE_LOG if file.name.startswith(f"{trial.key}/") or not marks else 0
            pieces = mark_log(content, marks, whole, place.ids)
            cut = len(pieces) != 1 or pieces[0].end - pieces[0].begin < len(content)
            yield {**_relate(file, place), "id": f"log-{number}", "pieces": pieces, "cut": cut}


def _relate(file: RawFile, place: Place) -> dict[str, Any]:
    """Return a file with its URL relative to the page of a trial."""
    return {**file._asdict(), "name": file.name.rpartition("/")[2], "address": _to_top(place.file) + file.address}


def _by_numbers(case: str) -> list[str | int]:
    """Return a key by which 8 threads come before 64."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", case)]


def _to_top(file: str) -> str:
    """Return the path from a page to the report's top folder."""
    return "../" * file.count("/")
