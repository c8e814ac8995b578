"""The page on evidence: every sweep with its trials, the files to download, and the commands to repeat it all."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from coldcache.analysis.report_links import TRIALS_FOLDER
from coldcache.campaign.seal import SUMS, is_sealed
from coldcache.core.vocabulary import VERDICTS
from coldcache.report.site.context import ReportContext
from coldcache.report.site.downloads import offer
from coldcache.report.site.html import block, code, entries, facts, join, link, table
from coldcache.report.site.reproduce_commands import import_again, measure_again
from coldcache.report.site.trials import count_verdicts

#: What checks a seal; the page has it if the campaign was sealed when the page was rendered.
_CHECK = f"sha256sum -c {SUMS}"


def lacks_seal(report: Path) -> bool:
    """Return whether a report has the page, and shows a campaign that was not sealed."""
    page = report / "evidence.html"
    return page.is_file() and _CHECK not in page.read_text(encoding="utf-8")


def describe_evidence_page(context: ReportContext) -> dict[str, Any]:
    """Return the values of the template `evidence.md`."""
    sweeps = list(_list_sweeps(context))
    heads = ("Study", "Sweep", "Cases", "Trials", *(verdict.capitalize() for verdict in VERDICTS))
    trials, counted = sum(row[3] for row in sweeps), f"{len(sweeps)} sweep{'s' if len(sweeps) != 1 else ''}"
    return {
        "title": f"{trials:,} trials of {counted}, and the bytes behind each number",
        "studies": _tabulate_studies(context, sweeps) if len(context.campaign.studies) > 1 else "",
        "sweeps": table(heads, sweeps, numbers=heads[2:]),
        "sweeps_count": len(sweeps),
        "files": facts(_list_files(context)),
        "lists": [
            (f"{len(found)} {name}", block(entries(offer(f"{folder}/{file}", context.results) for file in found)))
            for name, folder, found in _list_folders(context)
        ],
        "again": facts(_list_commands(context)),
    }  # fmt: skip


def link_sweep(study: str, sweep: str, text: str) -> Markup:
    """Return a link from a page in the report's top folder to the page of a sweep."""
    return link(text, f"{TRIALS_FOLDER}/{quote(f'{study}/{sweep}')}/index.html")


def _tabulate_studies(context: ReportContext, sweeps: list[tuple[Any, ...]]) -> Markup:
    """Return a table of the trials of each study by verdict."""
    heads = ("Study", "Sweeps", "Cases", "Trials", *(verdict.capitalize() for verdict in VERDICTS))
    rows = []
    for study in context.campaign.studies:
        own = [row[2:] for row in sweeps if row[0] == study.study]
        name = link(study.study, f"{study.study}/index.html")
        rows.append((name, len(own), *(sum(column) for column in zip(*own, strict=True))))
    return table(heads, rows, numbers=heads[1:])


def _list_sweeps(context: ReportContext) -> Iterator[tuple[Any, ...]]:
    for (study, sweep), cases in context.cases.items():
        trials = [trial for of_case in cases.values() for trial in of_case]
        counted = count_verdicts(trials)
        yield study, link_sweep(study, sweep, sweep), len(cases), len(trials), *(counted[word] for word in VERDICTS)


def _list_folders(context: ReportContext) -> Iterator[tuple[str, str, list[str]]]:
    for name, folder, pattern in (
        ("tables", "tables", "*.csv"), ("figures", "figures", "*.svg"), ("tables of figures", "figures", "*.csv"),
    ):  # fmt: skip
        found = sorted(path.name for path in (context.results / folder).glob(pattern))
        if found:
            yield name, folder, found


def _list_files(context: ReportContext) -> Iterator[tuple[str, Any]]:
    results = context.results
    yield "Every value", join((offer("dataset.nc", results), "with its unit, its verdict and its place in a log"))
    judgements = sorted(path.name for path in results.glob("*.csv"))
    yield "Judgements", entries(offer(name, results) for name in judgements)
    yield "Folder of these", code(f"{results.as_posix()}/")
    yield "Raw logs", code(f"{context.campaign.folder.as_posix()}/")


def _list_commands(context: ReportContext) -> Iterator[tuple[str, Any]]:
    campaign = context.campaign
    if is_sealed(campaign.folder):
        yield "Check the raw logs", code(f"cd {campaign.folder.as_posix()} && {_CHECK}")
    if campaign.planned:
        yield "Measure again", code(measure_again(campaign))
    for study in campaign.foreign:
        yield "Import again", code(import_again(campaign, study))
