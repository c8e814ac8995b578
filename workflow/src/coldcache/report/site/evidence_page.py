"""The page on evidence: every sweep with its trials, the files to download, and the commands to repeat it all."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from coldcache.analysis.report_links import FOLDER
from coldcache.campaign.seal import SUMS, is_sealed
from coldcache.core.vocabulary import VERDICTS
from coldcache.report.site.context import ReportContext
from coldcache.report.site.downloads import offer
from coldcache.report.site.html import code, entries, facts, join, link, table
from coldcache.report.site.reproduce_commands import import_again, measure_again
from coldcache.report.site.trials import count_verdicts


def describe_evidence_page(context: ReportContext) -> dict[str, Any]:
    """Return the values of the template `evidence.md`."""
    heads = ("Study", "Sweep", "Cases", "Trials", *(verdict.capitalize() for verdict in VERDICTS))
    return {
        "sweeps": table(heads, _list_sweeps(context), numbers=heads[2:]),
        "files": facts(_list_files(context)),
        "again": facts(_list_commands(context)),
    }


def link_sweep(study: str, sweep: str, text: str) -> Markup:
    """Return a link from a page in the report's top folder to the page of a sweep."""
    return link(text, f"{FOLDER}/{quote(f'{study}/{sweep}')}/index.html")


def _list_sweeps(context: ReportContext) -> Iterator[tuple[Any, ...]]:
    for (study, sweep), cases in context.cases.items():
        trials = [trial for of_case in cases.values() for trial in of_case]
        counted = count_verdicts(trials)
        yield study, link_sweep(study, sweep, sweep), len(cases), len(trials), *(counted[word] for word in VERDICTS)


def _list_files(context: ReportContext) -> Iterator[tuple[str, Any]]:
    results = context.results
    yield "Every value", join((offer("dataset.nc", results), "with its unit, its verdict and its place in a log"))
    for name, folder, pattern in (
        ("Tables", "tables", "*.csv"),
        ("Figures", "figures", "*.svg"),
        ("Numbers of figures", "figures", "*.csv"),
    ):
        found = sorted(path.name for path in (results / folder).glob(pattern))
        if found:
            yield name, entries(offer(f"{folder}/{file}", results) for file in found)
    judgements = sorted(path.name for path in results.glob("*.csv"))
    yield "Judgements", entries(offer(name, results) for name in judgements)
    yield "Folder of these", code(f"{results.as_posix()}/")
    yield "Raw logs", code(f"{context.campaign.folder.as_posix()}/")


def _list_commands(context: ReportContext) -> Iterator[tuple[str, Any]]:
    campaign = context.campaign
    if is_sealed(campaign.folder):
        yield "Check the raw logs", code(f"cd {campaign.folder.as_posix()} && sha256sum -c {SUMS}")
    if campaign.planned:
        yield "Measure again", code(measure_again(campaign))
    for study in campaign.foreign:
        yield "Import again", code(import_again(campaign, study))
