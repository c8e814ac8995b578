"""The first page of a report: the answer, how far to trust it, figures and numbers, and how it was measured."""

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
from coldcache.report.site.conditions import Conditions, ValueCounts
from coldcache.report.site.context import ReportContext
from coldcache.report.site.documents_table import show_documents
from coldcache.report.site.forest import SettingRatio, read_ratios, show_forest
from coldcache.report.site.format import show_period, show_values
from coldcache.report.site.html import code, escape_html, facts, join
from coldcache.report.site.notebooks import Chapter
from coldcache.report.site.overviews import Overview, show_answer, show_figures
from coldcache.report.site.shown import list_shown

#: The page that compares this campaign with another, in its folder of results.
COMPARISON = "comparison.md"

#: Characters of mount options that are shown; those of an overlay may fill a screen.
_LONGEST_OPTIONS = 160

#: Values shown on the first page for a property that changed between trials.
_FEW = 2


def describe_first_page(context: ReportContext) -> dict[str, Any]:
    """Return the values of the template `index.md`."""
    campaign, conditions = context.campaign, context.conditions
    repetitions = count_repetitions(campaign)
    fewest, most = repetitions[0], repetitions[-1]
    only = context.overviews.get(campaign.studies[0].study) if len(campaign.studies) == 1 else None
    shown = list_shown(context.chapters, context.overviews)
    is_one = len(campaign.studies) == 1
    ratios = [] if is_one else read_ratios(context.results, shown)
    return {
        "title": _title(context, only),
        "where": _describe_place(context),
        "trust": describe_trust(context),
        "answer": describe_overview(only, context.results, "../") if only else None,
        "documents": "" if is_one else show_documents(context, shown),
        **_describe_ratios(ratios),
        "contradictions": [] if is_one else context.documents.list_contradictions(),
        "studies": [_describe_study(study, context) for study in campaign.studies],
        "system": facts(_summarise_system(campaign, conditions)),
        "period": show_period(conditions.begin, conditions.end),
        "repetitions": f"{fewest} to {most}" if most > fewest else most,
        "sealed": is_sealed(campaign.folder),
        "measured": bool(campaign.planned),
        "imported": campaign.foreign,
        "trials_imported": sum(counts.total() for counts in context.validity.verdicts_of(campaign.foreign)),
        "compared": (context.results / COMPARISON).is_file(),
        **context.documents.summarise(),
        "pages": list_pages(context),
    }


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


def _describe_ratios(ratios: list[SettingRatio]) -> dict[str, Any]:
    """Return the ratios that have an interval as one figure, and those of too few pairs as another."""
    known, few = ([one for one in ratios if (one.low == one.low) == is_known] for is_known in (True, False))
    caption = "Hollow: the interval holds 1"
    return {
        "ratios": show_forest(known, "ratios", caption) if known else "",
        "few_ratios": show_forest(few, "few-ratios", "Ratio of each level of a setting") if few else "",
    }


def _describe_study(study: AnyStudy, context: ReportContext) -> dict[str, Any]:
    overview, name = context.overviews.get(study.study), study.study
    chapters = context.chapters[name]
    told_claims, told_items = context.documents.tell(name)
    return {
        "name": name, "title": study.title, "question": study.question, "overview": overview is not None,
        "chapters": list_findings(chapters if overview else _choose_chapters(chapters), "../"),
        "claims": told_claims, "covered": told_items,
    }  # fmt: skip


def _title(context: ReportContext, overview: Overview | None) -> str:
    """Return the answer as a title: what the storage reached, or what was studied on it."""
    campaign = context.campaign
    if overview and overview.headline:
        return f"{campaign.site.target.path}: {overview.headline}" if campaign.planned else overview.headline
    if len(campaign.studies) == 1:
        return campaign.studies[0].title
    return f"{len(campaign.studies)} studies of {campaign.site.title}"


def _describe_place(context: ReportContext) -> Markup:
    """Return target, machine, date and tools in a line."""
    campaign, conditions = context.campaign, context.conditions
    tools = join(map(" ".join, conditions.tools)) or "no tool has run"
    if not campaign.planned:
        return Markup("Imported logs of {}.").format(tools)
    file_system = join(map(escape_html, conditions.target.get("filesystem", {})), ", ")
    begin = f"{conditions.begin:%Y-%m-%d}" if conditions.begin else "not begun"
    target = Markup("{} ({})").format(code(campaign.site.target.path), file_system)
    machine = [escape_html(campaign.site.title)] if len(campaign.studies) == 1 else []
    return Markup("{}.").format(Markup("; ").join([*machine, target, Markup(begin), tools]))


#: What a rule says of the trials that it flags, and what to do.
FLAGS = {
    "too-short": ("too short", "raise `file_size`"),
    "unsteady": ("with a rate that changed meanwhile", "measure longer, with `SECONDS=`"),
    "clock-step": ("with the clock set meanwhile", "measure them again"),
    "served-from-cache": ("read from memory", "read with direct I/O, or files larger than memory"),
    "wrote-less": ("with less written than moved", "see whether the storage honours a sync"),
    "above-ceiling": ("above the stated ceiling", "verify the ceiling in the site"),
    "burst-credit": ("on burst credit", "measure until the credit is used"),
    "slow-process-hidden": ("with a slow process hidden", "raise `file_size`"),
    "foreign-transfers": ("with other transfers on the device", "stop what else uses the device"),
    "busy-machine": ("on a busy machine", "stop other programs"),
    "foreign-load": ("beside other load", "stop other programs"),
    "model-saturated": ("with the machine as the limit of the model", "run the model on more cores"),
    "suspended": ("suspended meanwhile", "keep the machine awake"),
    "drift": ("while the storage changed its pace", "measure at a quiet time"),
    "two-modes": ("of cases with two typical figures", "find out what differs between the two"),
    "little-space": ("with little space left", "free space on the target"),
    "fill-drift": ("while the file system filled", "let nothing else write to it"),
    "kernel-changed": ("on another kernel", "measure a campaign per kernel"),
}

#: Flags that the first page names: the most frequent.
_FEW_FLAGS = 1


def describe_trust(context: ReportContext) -> Markup:
    """Return how far to trust the campaign in a line of Markdown, with the most frequent doubt and its remedy."""
    studies = context.campaign.planned or context.campaign.studies
    counts = sum(context.validity.verdicts_of(studies), Counter())
    colds = sum(context.validity.colds_of(studies), Counter())
    doubts = [(rule, count) for rule, count in context.validity.codes_of(studies).items() if rule in FLAGS]
    flagged = f"{counts['suspect']:,} flagged"
    if doubts:
        flagged += f" ({', '.join(f'{count:,} {FLAGS[rule][0]}' for rule, count in doubts[:_FEW_FLAGS])})"
    others = [f"{counts[verdict]:,} {verdict}" for verdict in ("void", "missing") if counts[verdict]]
    runs = ", ".join([f"{counts['valid']:,} clean", flagged, *others])
    parts = [f"[{counts.total():,} runs](validity.md): {runs}."]
    if colds.total():
        every = colds["cold"] == colds.total()
        proved = f"All {colds.total():,} reads" if every else f"{colds['cold']:,} of {colds.total():,} reads"
        parts.append(f"[{proved}](validity.md#whether-reads-were-cold) proved cold.")
    if doubts:
        parts.append(f"To mend most flags: {FLAGS[doubts[0][0]][1]}.")
    return Markup(" ".join(parts))


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
    """Return the findings of chapters as Markdown, with the question of each.

    Parameters
    ----------
    chapters : list of Chapter
        The chapters of one study.
    above : str
        Prefix to remove from their links, because the page is in another folder.
    """
    return [
        {
            "name": chapter.name,
            "title": chapter.title,
            "findings": [Markup(_shorten_links(text, above)) for text in chapter.findings],
        }
        for chapter in chapters
    ]


def _shorten_links(text: str, above: str) -> str:
    return text.replace(f'href="{above}', 'href="') if above else text


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
