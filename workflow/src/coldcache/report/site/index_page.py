"""The first page of a report: findings, claims of the documents, the system, and how far to trust it all."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from coldcache.analysis.estimates import LEVEL
from coldcache.campaign.campaign import Campaign
from coldcache.campaign.progress import count_repetitions
from coldcache.campaign.seal import is_sealed
from coldcache.core.units import show_bytes
from coldcache.design.notebooks import CLAIMS
from coldcache.report.site.conditions import Conditions, ValueCounts
from coldcache.report.site.context import ReportContext
from coldcache.report.site.format import show_period, show_share, show_values
from coldcache.report.site.html import code, facts, join
from coldcache.report.site.notebooks import Chapter
from coldcache.statistics.bounds import reach_of_order

#: Characters of mount options that are shown; those of an overlay may fill a screen.
_LONGEST_OPTIONS = 160

#: Values shown on the first page for a property that changed between trials.
_FEW = 2


def describe_first_page(context: ReportContext) -> dict[str, Any]:
    """Return the values of the template `index.md`."""
    campaign, conditions = context.campaign, context.conditions
    studies = campaign.planned or campaign.studies
    colds = sum(context.validity.colds_of(studies), Counter())
    repetitions = count_repetitions(campaign)
    fewest, most = repetitions[0], repetitions[-1]
    return {
        "studies": [
            {
                "name": study.study, "title": study.title, "question": study.question,
                "chapters": list_findings(_choose_chapters(context.chapters[study.study]), "../"),
            }
            for study in campaign.studies
        ],
        "site": campaign.site.title,
        "summary": context.validity.summary(studies),
        "reads": colds.total(),
        "cold": colds["cold"],
        "fewest": fewest,
        "level": show_share(min(LEVEL, reach_of_order(fewest))) if fewest > 1 else "",
        "system": facts(_summarise_system(campaign, conditions)),
        "period": show_period(conditions.begin, conditions.end),
        "repetitions": f"{fewest} to {most}" if most > fewest else most,
        "sealed": is_sealed(campaign.folder),
        "measured": bool(campaign.planned),
        "imported": campaign.foreign,
        "trials_imported": sum(counts.total() for counts in context.validity.verdicts_of(campaign.foreign)),
        **context.documents.summarise(),
        "pages": list_pages(context),
    }  # fmt: skip


def list_pages(context: ReportContext) -> list[str]:
    """Return the pages after the studies, in the order of the navigation."""
    documents = context.documents
    of_documents = [("claims", documents.has_claims), ("coverage", documents.has_items)]
    of_all = ["validity", "methods", "Twelve rules <rules>", "system", "evidence"]
    return [*(page for page, there in of_documents if there), *of_all]


def _choose_chapters(chapters: list[Chapter]) -> list[Chapter]:
    """Return the chapters with findings, except claims, which have their own section."""
    return [chapter for chapter in chapters if chapter.findings and chapter.name != CLAIMS]


def list_findings(chapters: list[Chapter], above: str = "") -> list[dict[str, Any]]:
    """Return the findings of chapters as Markdown.

    Parameters
    ----------
    chapters : list of Chapter
        The chapters of one study.
    above : str
        Prefix to remove from their links, because the page is in another folder.
    """
    return [
        {"name": chapter.name, "findings": [Markup(_shorten_links(text, above)) for text in chapter.findings]}
        for chapter in chapters
    ]


def _shorten_links(text: str, above: str) -> str:
    return text.replace(f'<a href="{above}', '<a href="') if above else text


def _summarise_system(campaign: Campaign, conditions: Conditions) -> Iterator[tuple[str, Any]]:
    system, target = conditions.system, conditions.target
    yield "Site", campaign.site.title
    if not campaign.planned:
        for study in campaign.foreign:
            yield "Logs", code(study.origin.folder)
        yield "Tools", join(map(" ".join, conditions.tools))
        return
    yield "Target", join((campaign.site.target_name, code(campaign.site.target.path)))
    yield "File system", show_values(target.get("filesystem"))
    yield "Mount options", _show_most(target.get("mount_options", {}))
    cache = conditions.queue.get("write_cache")
    device = show_values(target.get("source"))
    yield "Device", join((device, Markup("write cache: {}").format(show_values(cache)))) if cache else device
    yield "Kernel", join((show_values(system.get("kernel")), show_values(system.get("os"))))
    cores = Markup("{} cores").format(show_values(system.get("cores")))
    virtual = ["virtual machine"] if "True" in system.get("hypervisor", {}) else []
    yield "Processor", join((show_values(system.get("processor")), cores, *virtual))
    yield "Memory", show_values(system.get("memory_bytes"), lambda size: show_bytes(float(size)))
    yield "Tools", join(map(" ".join, conditions.tools)) or "none has run"


def _show_most(values: ValueCounts) -> Markup:
    """Return the most frequent values; the page on the system has all of them."""
    most = sorted(values, key=lambda value: -values[value])[:_FEW]
    rest = len(values) - len(most)
    shown = show_values({value: values[value] for value in most}, _shorten)
    return join((shown, f"{rest} more"), "; ") if rest else join((shown,))


def _shorten(options: str) -> str:
    return options if len(options) <= _LONGEST_OPTIONS else f"{options[:_LONGEST_OPTIONS]} …"
