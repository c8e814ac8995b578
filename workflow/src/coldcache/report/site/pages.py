"""Write the pages of a report for Sphinx from the templates in `workflow/report/pages`."""

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from coldcache.design.cases import Case
from coldcache.design.imported_study import AnyStudy, ForeignStudy
from coldcache.report.site.anchors import name_tables, number_cells
from coldcache.report.site.context import ReportContext
from coldcache.report.site.evidence_page import describe_evidence_page
from coldcache.report.site.format import show_levels
from coldcache.report.site.html import END_FOLD, escape_markdown, facts, fold, join
from coldcache.report.site.index_page import (
    COMPARISON,
    describe_first_page,
    describe_overview,
    list_findings,
    list_quality_pages,
    name_entry,
)
from coldcache.report.site.methods_page import describe_methods_page
from coldcache.report.site.notebook_pages import title_page, write_chapter
from coldcache.report.site.notebooks import Chapter
from coldcache.report.site.number_links import link_numbers
from coldcache.report.site.shown import read_items
from coldcache.report.site.system_page import describe_system_page
from coldcache.report.site.trials import JudgedTrial
from coldcache.report.site.validity_page import describe_validity_page

#: What a page of Markdown begins with that no table of contents names.
_ORPHAN = "---\norphan: true\n---\n\n"

#: Findings of a chapter that the page of its study repeats.
_FEW_FINDINGS = 1


def write_pages(context: ReportContext, templates: Path, folder: Path) -> None:
    """Write every page of a report into a folder, for Sphinx to read.

    Parameters
    ----------
    context : ReportContext
        The content of the pages.
    templates : Path
        Folder with a template for each page except notebooks.
    folder : Path
        The folder to write to; each study gets a subfolder.
    """
    # Anything that is not markup was written by others and must be shown literally.
    environment = Environment(
        loader=FileSystemLoader(templates), undefined=StrictUndefined, finalize=escape_markdown, autoescape=True,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip

    environment.globals |= {"fold": fold, "end_fold": END_FOLD}

    def write(template: str, page: str, values: dict[str, Any]) -> None:
        path = folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        text = environment.get_template(template).render(name_tables(values))
        path.write_text(link_numbers(number_cells(text)), encoding="utf-8")

    def write_notebook(chapter: Chapter, place: str) -> None:
        path = folder / place / f"{chapter.name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(write_chapter(chapter, context, items), encoding="utf-8")

    items = read_items(context.campaign.studies)
    # `compare --page` wrote the comparison as a finished page.
    first_page = describe_first_page(context)
    if (context.results / COMPARISON).is_file():
        first_page["pages"] = [*first_page["pages"], name_entry("Comparison", Path(COMPARISON).stem)]
    write("index.md", "index.md", first_page)
    if (context.results / COMPARISON).is_file():
        shutil.copyfile(context.results / COMPARISON, folder / COMPARISON)
    for study in context.campaign.studies:
        write("study.md", f"{study.study}/index.md", _describe_study(study, context))
        for chapter in context.pages_of(study.study):
            write_notebook(chapter, study.study)
    for chapter in context.methods:
        write_notebook(chapter, "methods")
    of_documents = context.documents.describe(items)
    for page, is_there in (("claims", context.documents.has_claims), ("coverage", context.documents.has_items)):
        if is_there:
            counted = context.documents.count(page)
            title = title_page(counted, context.campaign.name)
            write(f"{page}.md", f"{page}.md", of_documents | {"page_title": title, "counted": counted})
    title = title_page(context.validity.summary(context.campaign.planned or None), context.campaign.name)
    quality = {"page_title": title, "pages": list_quality_pages(context)}
    write("validity.md", "validity.md", describe_validity_page(context) | quality)
    methods = {"chapters": list_findings(context.methods, context, "../")}
    write("methods.md", "methods.md", describe_methods_page(context) | methods)
    rules = (templates.parents[2] / "docs/twelve-rules.md").read_text(encoding="utf-8")
    (folder / "rules.md").write_text(f"{_ORPHAN}{rules}", encoding="utf-8")
    write("system.md", "system.md", describe_system_page(context))
    write("evidence.md", "evidence.md", describe_evidence_page(context))


def _describe_study(study: AnyStudy, context: ReportContext) -> dict[str, Any]:
    overview = context.overviews.get(study.study)
    is_single = len(context.campaign.studies) == 1
    chapters = context.pages_of(study.study)
    headline = overview.headline if overview else ""
    return {
        "is_single": is_single,
        "title": f"{study.title}: {headline}" if headline and not is_single else study.title,
        "page_title": title_page(_find_headline(study, context), study.title),
        "question": study.question,
        # The first page of a single study has its figures.
        "overview": describe_overview(overview, context.results) if overview and not is_single else None,
        "chapters": list_findings(chapters, context, most=_FEW_FINDINGS),
        "entries": [name_entry(chapter.label, chapter.name) for chapter in chapters],
        "sweeps": facts(_describe_sweeps(study, context)),
    }


def _find_headline(study: AnyStudy, context: ReportContext) -> str:
    overview = context.overviews.get(study.study)
    return overview.headline if overview and overview.headline else study.question


def _describe_sweeps(study: AnyStudy, context: ReportContext) -> Iterator[tuple[str, Markup]]:
    if isinstance(study, ForeignStudy):
        for foreign in study.sweeps.values():
            levels = show_levels({factor: level} for factor, found in foreign.factors.items() for level in found)
            what = f"{', '.join(foreign.tools)}: {', '.join(foreign.operations) or 'nothing that can be read'}"
            yield foreign.title, join((what, levels), separator=Markup("<br>"))
        return
    cases: dict[str, list[Case]] = {}
    for case in context.campaign.cases():
        if case.study == study.study:
            cases.setdefault(case.sweep, []).append(case)
    for name, sweep in study.sweeps.items():
        trials = _count_run(context.cases.get((study.study, name), {}))
        if trials:
            yield sweep.title, _describe_sweep(cases[name], trials)


def _count_run(trials: Mapping[str, Sequence[JudgedTrial]]) -> Counter[str]:
    """Return how many trials of each case ran."""
    return Counter(case for case, found in trials.items() for trial in found if trial.verdict != "missing")


def _describe_sweep(cases: list[Case], trials: Counter[str]) -> Markup:
    """Return the tool, the operations, the trials and the levels of the cases of a sweep that ran."""
    ran = [case for case in cases if case.name in trials] or cases
    operations = dict.fromkeys(operation for case in ran for operation in case.operations)
    what = f"{ran[0].tool}: {', '.join(operations)}; {trials.total()} trials"
    return join((what, show_levels(case.factors for case in ran)), separator=Markup("<br>"))
