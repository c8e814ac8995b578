"""The page on validity: trials by verdict, whether reads were cold, and every trial that a rule flagged."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from coldcache.analysis.report_links import FOLDER
from coldcache.campaign.campaign import Campaign
from coldcache.core.vocabulary import VERDICTS
from coldcache.report.site.context import ReportContext
from coldcache.report.site.evidence_page import link_sweep
from coldcache.report.site.format import show_repetitions
from coldcache.report.site.html import code, link, table, trials_table
from coldcache.report.site.validity import READ_VERDICTS, Validity


def describe_validity_page(context: ReportContext) -> dict[str, Any]:
    """Return the values of the template `validity.md`."""
    validity = context.validity
    return {
        "summary": validity.summary(context.campaign.planned or None),
        "imported": _summarise_imported(context),
        "verdicts": _tabulate(validity.verdicts, "Trials", VERDICTS),
        "colds": _tabulate(validity.colds, "Reads", READ_VERDICTS) if validity.colds else "",
        "flagged": trials_table(("Case", "Repetition", "Verdict", "Reason"), _list_flagged(validity)),
        "all_valid": not validity.flagged,
        "folder": code(f"raw/{context.campaign.name}/<study>/<sweep>/<case>/<repetition>"),
        "unread": _list_unread(context.campaign),
    }


def _summarise_imported(context: ReportContext) -> str | None:
    """Return how many imported trials count; None unless the campaign has both measured and imported studies."""
    campaign = context.campaign
    return context.validity.summary(campaign.foreign) if campaign.planned and campaign.foreign else None


def _list_unread(campaign: Campaign) -> Markup | None:
    """Return a table of the imported files that could not be read, with the reasons; None if there is none."""
    rows = [
        (code(f"{study.origin.folder}/{unread.file}"), unread.reason)
        for study in campaign.foreign for unread in study.origin.unread
    ]  # fmt: skip
    return table(("File", "Reason"), rows) if rows else None


def _tabulate(counts: Mapping[tuple[str, str], Mapping[str, int]], counted: str, verdicts: Sequence[str]) -> Markup:
    head = ("Sweep", counted, *(verdict.capitalize() for verdict in verdicts))
    rows: list[tuple[Any, ...]] = [
        (_name_sweep(study, sweep, counts), sum(found.values()), *(found[verdict] for verdict in verdicts))
        for (study, sweep), found in counts.items()
    ]
    total = [sum(row[column] for row in rows) for column in range(1, len(head))]
    return table(head, [*rows, ("all", *total)], numbers=head[1:])


def _name_sweep(study: str, sweep: str, sweeps: Mapping[tuple[str, str], Any]) -> Markup:
    """Return a link to the page of a sweep; its text names the study only if there are several."""
    name = f"{study}/{sweep}" if len({study for study, _ in sweeps}) > 1 else sweep
    return link_sweep(study, sweep, name)


def _list_flagged(validity: Validity) -> Iterator[tuple[Markup, tuple[Any, ...]]]:
    for flagged in validity.flagged:
        group = _name_sweep(flagged.study, flagged.sweep, validity.verdicts)
        folder = quote(f"{flagged.study}/{flagged.sweep}/{flagged.case}", safe="/=,")
        case = link(flagged.case, f"{FOLDER}/{folder}/index.html")
        shown = show_repetitions(flagged.repetitions)
        first = shown
        if flagged.verdict != "missing":
            first = link(shown, f"{FOLDER}/{folder}/r{flagged.repetitions[0]}.html")
        yield group, (case, first, flagged.verdict, flagged.reason)
