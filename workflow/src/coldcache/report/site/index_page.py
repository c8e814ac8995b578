"""The first page of a report: the answer, how far to trust it, figures and numbers, and how it was measured."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from markupsafe import Markup

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.progress import count_repetitions
from coldcache.campaign.seal import is_sealed
from coldcache.core.units import show_bytes
from coldcache.design.imported_study import AnyStudy
from coldcache.design.notebooks import CLAIMS
from coldcache.report.site.context import ReportContext
from coldcache.report.site.documents_page import describe_documents, title_documents
from coldcache.report.site.flags import find_remedy
from coldcache.report.site.format import show_period, show_values
from coldcache.report.site.html import code, escape_html, escape_markdown, facts, join
from coldcache.report.site.notebooks import Chapter
from coldcache.report.site.overviews import Overview, show_answer, show_figures
from coldcache.report.site.recorded_system import RecordedSystem, ValueCounts, name_tools
from coldcache.report.site.shown import list_shown

#: The page that compares this campaign with another, in its folder of results.
COMPARISON = "comparison.md"

#: Notebooks about the quality of a study's measurements: of a single study they have no entry of their own.
ON_QUALITY = ("campaign-validity", CLAIMS)

#: Characters of mount options that are shown; those of an overlay may fill a screen.
_LONGEST_OPTIONS = 160

#: A space at which a heading must not break, between a number and its unit.
_SPACE_BEFORE_UNIT = re.compile(r"(?<=\d) (?=[kMGTµmn]?(?:B/s|/s|s)\b)")

#: Values shown on the first page for a property that changed between trials.
_FEW = 2


def describe_first_page(context: ReportContext) -> dict[str, Any]:
    """Return the values of the template `index.md`."""
    campaign, system = context.campaign, context.system
    repetitions = count_repetitions(campaign)
    fewest, most = repetitions[0], repetitions[-1]
    only = context.overviews.get(campaign.studies[0].study) if len(campaign.studies) == 1 else None
    shown = list_shown(context.chapters, context.overviews)
    is_one = len(campaign.studies) == 1
    return {
        "title": title_first_page(context),
        "where": describe_place(context),
        "trust": describe_trust(context),
        "answer": describe_overview(only, context.results, "../") if only else None,
        "documents": "",
        **({} if is_one else describe_documents(context, shown)),
        "studies": [_describe_study(study, context) for study in campaign.studies],
        "system": facts(_summarise_system(campaign, system)),
        "period": show_period(system.begin, system.end),
        "repetitions": f"{fewest} to {most}" if most > fewest else most,
        "sealed": is_sealed(campaign.folder),
        "measured": bool(campaign.planned),
        "imported": campaign.foreign,
        "trials_imported": sum(counts.total() for counts in context.validity.verdicts_of(campaign.foreign)),
        "compared": _describe_comparison(context),
        "summary": _lead_to_summary(context),
        "pages": list_pages(context),
    }


def _describe_comparison(context: ReportContext) -> Markup | str:
    """Return what the comparison with another campaign found, linked to its page; empty where there is none."""
    path = context.results / COMPARISON
    if not path.is_file():
        return ""
    # Its Markdown is escaped already.
    heading, _, text = path.read_text(encoding="utf-8").partition("\n\n")
    names = heading.strip().removeprefix("# Comparison of ").split(" and ")
    other = next((name for name in names if name != escape_markdown(context.campaign.name)), "another campaign")
    link = Markup("Compared with [{}]({})").format(Markup(other), COMPARISON)
    said = text.strip().partition("\n\n")[0].partition(". ")[0].removesuffix(".")
    return Markup("{}: {}.").format(link, Markup(said)) if said else Markup("{}.").format(link)


def _lead_to_summary(context: ReportContext) -> Markup:
    """Return the link to the file to send; pointed at, it says which command prints where that is."""
    command = f"coldcache open {context.campaign.name} --summary"
    text = Markup('<p class="coldcache-source"><a href="summary.html" title="{}">One file to send</a></p>')
    return Markup("\n{}\n").format(text.format(f"{command}: prints its path, and how to mail it"))


def describe_overview(overview: Overview, results: Path, above: str = "") -> dict[str, Any]:
    """Return a study at a glance as blocks of Markdown.

    Parameters
    ----------
    overview : Overview
        What its notebook shows.
    results : Path
        The campaign's folder of results.
    above : str
        Prefix to remove from its links, because the page is in another folder.
    """
    return {
        "figures": Markup(_shorten_links(str(show_figures(overview, results)), above)),
        "answer": Markup(_shorten_links(str(show_answer(overview)), above)),
    }


def _describe_study(study: AnyStudy, context: ReportContext) -> dict[str, Any]:
    overview, name = context.overviews.get(study.study), study.study
    chapters = context.pages_of(name)
    told_claims, told_items = context.documents.tell(name)
    return {
        "name": name, "title": study.title, "question": study.question, "overview": overview is not None,
        "chapters": list_findings(chapters, context, "../"),
        "quoted": list_findings(_choose_chapters(chapters, are_shown=overview is not None), context, "../"),
        "claims": told_claims, "covered": told_items,
    }  # fmt: skip


def title_first_page(context: ReportContext) -> str:
    """Return the answer as a title: what the storage reached, and on which file system and device.

    Of several studies it is how many of their claims are borne out.
    """
    campaign = context.campaign
    if len(campaign.studies) > 1:
        return title_documents(context)
    overview = context.overviews.get(campaign.studies[0].study)
    if not overview or not overview.headline:
        return campaign.studies[0].title
    headline = _SPACE_BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", overview.headline)
    if not campaign.planned:
        return headline
    target = context.system.target
    system, source = (next(iter(target.get(name, {})), "") for name in ("filesystem", "source"))
    device = f" on {source.removeprefix('/dev/')}" if source.startswith("/dev/") else ""
    place = f" ({system}{device})" if system else ""
    return f"{campaign.site.target.path}{place}: {headline}"


def describe_place(context: ReportContext) -> Markup:
    """Return the only study's title, machine, target, date and tools in a line."""
    campaign, system = context.campaign, context.system
    tools = join(name_tools(system.tools)) or "no tool has run"
    if not campaign.planned:
        return Markup("Imported logs of {}.").format(tools)
    file_system = join(map(escape_html, system.target.get("filesystem", {})), ", ")
    begin = f"{system.begin:%Y-%m-%d}" if system.begin else "not begun"
    target = Markup("{} ({})").format(code(campaign.site.target.path), file_system)
    titles = [campaign.studies[0].title, campaign.site.title] if len(campaign.studies) == 1 else []
    return Markup("{}.").format(Markup("; ").join([*map(escape_html, titles), target, Markup(begin), tools]))


def describe_trust(context: ReportContext) -> Markup:
    """Return how far to trust the campaign in a line of Markdown, with the most frequent doubt and its remedy."""
    planned = context.campaign.planned
    studies = planned or context.campaign.studies
    colds = sum(context.validity.colds_of(studies), Counter())
    counted, _, verdicts = context.validity.summary(studies).partition(":")
    parts = [f"[{counted}](validity.md):{verdicts}."]
    if colds.total():
        parts.append(_describe_colds(colds, is_imported=not planned))
    if rule := context.validity.doubt_of(studies):
        parts.append(f"Remedy: {find_remedy(rule, is_imported=not planned)}.")
    return Markup(" ".join(parts))


def _describe_colds(colds: Counter[str], is_imported: bool) -> str:
    """Return how many reads are proved cold, as a sentence of Markdown; imported logs do not say of any."""
    total, page = colds.total(), "validity.md#whether-reads-were-cold"
    if is_imported and colds["unproved"] == total:
        reads = f"{total:,} read{'s' if total != 1 else ''}"
        return f"Logs do not say whether [{reads}]({page}) {'were' if total != 1 else 'was'} cold."
    proved = f"All {total:,} reads" if colds["cold"] == total else f"{colds['cold']:,} of {total:,} reads"
    return f"[{proved}]({page}) proved cold."


def list_pages(context: ReportContext) -> list[str]:
    """Return the entries of the contents after the overview: a page per subject, or per study, and the evidence."""
    studies = context.campaign.studies
    if len(studies) > 1:
        entries = [name_entry(study.title, f"{study.study}/index") for study in studies]
    else:
        subjects = [chapter for chapter in context.pages_of(studies[0].study) if chapter.name not in ON_QUALITY]
        entries = [name_entry(chapter.label, f"{studies[0].study}/{chapter.name}") for chapter in subjects]
    return [*entries, name_entry("Quality and evidence", "validity")]


def list_quality_pages(context: ReportContext) -> list[str]:
    """Return the entries of the contents below that of quality and evidence."""
    documents, studies = context.documents, context.campaign.studies
    entries = []
    if len(studies) == 1:
        chapters = [chapter for chapter in context.pages_of(studies[0].study) if chapter.name in ON_QUALITY]
        labels = {CLAIMS: "Claims in figures"}
        entries = [
            name_entry(labels.get(chapter.name, chapter.label), f"{studies[0].study}/{chapter.name}")
            for chapter in chapters
        ]
    there = [("Claims", "claims", documents.has_claims), ("Coverage", "coverage", documents.has_items)]
    entries += [name_entry(label, page) for label, page, is_there in there if is_there]
    return [*entries, *(name_entry(page.capitalize(), page) for page in ("methods", "system", "evidence"))]


def name_entry(label: str, page: str) -> str:
    """Return an entry of the contents under a name of its own."""
    plain = re.sub(r"[`<>\s]+", " ", label)
    return f"{plain} <{page}>"


def _choose_chapters(chapters: list[Chapter], are_shown: bool) -> list[Chapter]:
    """Return the chapters with what the first page quotes of them; claims have their own section.

    Parameters
    ----------
    chapters : list of Chapter
        Those of one study.
    are_shown : bool
        Whether the page shows the study at a glance: then it quotes only what notebooks print.
    """
    chosen = [one._replace(findings=one.quoted) if are_shown else one for one in chapters]
    return [chapter for chapter in chosen if chapter.findings and chapter.name != CLAIMS]


def list_findings(
    chapters: list[Chapter], context: ReportContext, above: str = "", most: int | None = None
) -> list[dict[str, Any]]:  # fmt: skip
    """Return the findings of chapters as Markdown, with the question of each.

    Parameters
    ----------
    chapters : list of Chapter
        The chapters of one study.
    context : ReportContext
        The content of the report.
    above : str
        Prefix to remove from their links, because the page is in another folder.
    most : int, optional
        Findings of a chapter; all of them when not given.
    """
    return [
        {
            "name": chapter.name,
            "title": chapter.title,
            "label": chapter.label,
            "findings": [Markup(_shorten_links(text, above)) for text in context.link_findings(chapter)[:most]],
        }
        for chapter in chapters
    ]


def _shorten_links(text: str, above: str) -> str:
    return text.replace(f'href="{above}', 'href="') if above else text


def _summarise_system(campaign: Campaign, system: RecordedSystem) -> Iterator[tuple[str, Any]]:
    machine, target = system.machine, system.target
    yield "Site", campaign.site.title
    if not campaign.planned:
        for study in campaign.foreign:
            yield "Logs", code(study.origin.folder)
        yield "Tools", join(name_tools(system.tools))
        return
    yield "Target", join((campaign.site.target_name, code(campaign.site.target.path)))
    yield "File system", show_values(target.get("filesystem"))
    yield "Mount options", _show_most(target.get("mount_options", {}))
    cache = system.queue.get("write_cache")
    device = show_values(target.get("source"))
    yield "Device", join((device, Markup("write cache: {}").format(show_values(cache)))) if cache else device
    yield "Kernel", join((show_values(machine.get("kernel")), show_values(machine.get("os"))))
    cores = Markup("{} cores").format(show_values(machine.get("cores")))
    virtual = ["virtual machine"] if "True" in machine.get("hypervisor", {}) else []
    yield "Processor", join((show_values(machine.get("processor")), cores, *virtual))
    yield "Memory", show_values(machine.get("memory_bytes"), lambda size: show_bytes(float(size)))
    yield "Tools", join(name_tools(system.tools)) or "none has run"


def _show_most(values: ValueCounts) -> Markup:
    """Return the most frequent values; the page on the system has all of them."""
    most = sorted(values, key=lambda value: -values[value])[:_FEW]
    rest = len(values) - len(most)
    shown = show_values({value: values[value] for value in most}, _shorten)
    return join((shown, f"{rest} more"), "; ") if rest else join((shown,))


def _shorten(options: str) -> str:
    return options if len(options) <= _LONGEST_OPTIONS else f"{options[:_LONGEST_OPTIONS]} …"
