"""Executed notebooks as pages; each figure gets its sources, its files, and the command to measure it again."""

import json
import re
from collections.abc import Mapping
from html import unescape
from itertools import takewhile
from textwrap import shorten
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from coldcache.analysis.report_links import TRIALS_FOLDER, without_links
from coldcache.design.notebooks import CLAIMS
from coldcache.report.site.anchors import list_links, number_cells
from coldcache.report.site.context import ReportContext
from coldcache.report.site.downloads import offer
from coldcache.report.site.folded_tables import fold_figures, fold_sentences, fold_tables
from coldcache.report.site.html import code, escape_markdown, join_last
from coldcache.report.site.notebooks import FINDING, Chapter, list_html
from coldcache.report.site.number_links import find_sweep, link_numbers
from coldcache.report.site.published_page import PUBLISHED, find_lines
from coldcache.report.site.reproduce_commands import measure_sweeps_again

#: A figure in the markup of `coldcache.analysis.figures`, with its name and its sweeps.
_FIGURE = re.compile(
    r'(<figure class="coldcache-figure"[^>]* data-name="([^"]*)" data-sweeps="([^"]*)">.*?)(</figcaption></figure>)',
    re.S,
)

#: The beginning of a table in the markup of `coldcache.analysis.tables`, with its name.
_TABLE = re.compile(r'(<table id="(table-[^"]*)" data-name="([^"]*)".*?)(</caption>)', re.S)

#: The width of a drawing in points, from which a phone computes how far it may shrink it.
_WIDTH = re.compile(r'(<svg [^>]*?)(width="([\d.]+)pt")')

#: What a drawing shows, in words.
_DRAWN = re.compile(r'<svg role="[a-z]+" aria-label="([^"]*)"')

#: Columns of tables whose numbers a document states.
_OF_DOCUMENT = ("one place", "another")

#: Notebooks whose first finding says more than their first figure.
_BY_FINDING = (CLAIMS, "campaign-validity")

#: Letters of a title before the name of its study.
_LONGEST_TITLE = 110


def write_chapter(chapter: Chapter, context: ReportContext, items: Mapping[str, str]) -> str:
    """Return a notebook for Sphinx, with completed captions and a link to its code at the end."""

    def annotate_figure(match: re.Match[str]) -> str:
        figure, name, sweeps, end = match.groups()
        return f"{state_width(figure)} {_describe(name, sweeps.split(), context, items)}{end}"

    def annotate_table(match: re.Match[str]) -> str:
        table, anchor, name, end = match.groups()
        links = list_links(name, anchor, context.results, "tables")
        return f'{table} <span class="coldcache-links">{links}</span>{end}'

    stated = find_lines(chapter.study)
    # A sweep that was not run has no page.
    sweeps = [
        f"{study.study}/{sweep}"
        for study in context.campaign.studies for sweep in study.sweeps if (study.study, sweep) in context.cases
    ]  # fmt: skip

    def find_page(name: str) -> str | None:
        sweep = find_sweep(name, sweeps)
        return f"../{TRIALS_FOLDER}/{quote(sweep)}/index.html" if sweep else None

    served = {item: sweep for sweep, text in items.items() for item in text.split("; ")}

    def find_named(heading: str, text: str) -> str | None:
        if heading in _OF_DOCUMENT:
            return f"../{PUBLISHED}" if any(letter.isdigit() for letter in text) else None
        sweep = {"sweep": f"{chapter.study}/{text}", "sentinel": f"{chapter.study}/{text}"}.get(heading, "")
        sweep = served.get(text, "") if heading == "item" else sweep
        return f"../{TRIALS_FOLDER}/{quote(sweep)}/index.html" if sweep in sweeps else None

    def find_stated(item: str, text: str) -> str | None:
        line = stated.get((unescape(item), unescape(text)))
        return f"../{PUBLISHED}#line-{line}" if line else None

    def annotate(html: str) -> str:
        numbered = number_cells(_TABLE.sub(annotate_table, _FIGURE.sub(annotate_figure, html)))
        return fold_figures(link_numbers(numbered, find_page, find_stated, find_named))

    linked = dict(zip(chapter.findings, context.link_findings(chapter), strict=True))
    annotated = [_annotate_cell(_link_cell(cell, linked), annotate) for cell in chapter.notebook["cells"]]
    first, *rest = fold_tables(_drop_empty_sections(annotated))
    titles = {study.study: study.title for study in context.campaign.studies}
    found = name_page(chapter, context)
    cells = [{**first, "source": _write_head(found, "".join(first["source"]))}, *rest]
    path = f"notebooks/{chapter.study}/{chapter.name}.ipynb"
    source = Markup('<p class="coldcache-source">The code of this page: {}</p>').format(
        offer(path, context.results, "../", path)
    )
    title = title_page(found, titles[chapter.study])
    cells.append({"cell_type": "markdown", "id": "coldcache-source", "metadata": {}, "source": f"{title}\n{source}"})
    return json.dumps({**chapter.notebook, "cells": cells})


def name_page(chapter: Chapter, context: ReportContext) -> str:
    """Return the heading of a chapter's page: what it found; with its study where another page found the same."""
    found = find_title(chapter)
    chapters = [*context.methods, *(other for study in context.chapters for other in context.pages_of(study))]
    alike = [other for other in chapters if find_title(other) == found]
    if len(alike) < 2:
        return found
    titles = {study.study: study.title for study in context.campaign.studies}
    return f"{chapter.label}, {titles.get(chapter.study, chapter.study)}: {found[:1].lower()}{found[1:]}"


def find_title(chapter: Chapter) -> str:
    """Return what a chapter found, in a sentence without a full stop: of its first figure, else its first finding."""
    said = [re.sub("[`*]", "", without_links(text)) for text in chapter.findings]
    first = re.split(r"\.(?: |$)", unescape(said[0]))[0] if said else ""
    drawn = [found[1] for html in list_html(chapter.notebook) if (found := _DRAWN.search(html))]
    if chapter.name in _BY_FINDING and first:
        return first
    return unescape(drawn[0]).removesuffix(".") if drawn else first or chapter.title


def _write_head(found: str, source: str) -> str:
    """Return the first cell of a notebook with what was found as its heading, and the question below."""
    question, _, intro = source.partition("\n")
    lead = f"{{.coldcache-lead}}\n{question.lstrip('# ')}"
    return "\n\n".join(part for part in (f"# {escape_markdown(found)}", lead, intro.strip()) if part)


def title_page(found: str, study: str) -> Markup:
    """Return the directive that gives a page the title that tabs, bookmarks and search engines show."""
    first = found.partition(". ")[0].removesuffix(".")
    if len(first) > _LONGEST_TITLE:
        first = shorten(re.sub(r" \([^()]*\)$", "", first), _LONGEST_TITLE, placeholder=" …")
    plain = re.sub(r"[\s`{}]+", " ", f"{first}: {study}")
    return Markup(f"\n```{{title}} {plain}\n```\n")


def _link_cell(cell: dict[str, Any], linked: Mapping[str, str]) -> dict[str, Any]:
    """Return a cell whose findings have links."""
    if FINDING not in cell.get("metadata", {}).get("tags", []):
        return cell
    outputs = []
    for output in cell.get("outputs", []):
        text = "".join(output.get("data", {}).get("text/markdown", ""))
        parts = [" ".join(paragraph.split()) for paragraph in text.split("\n\n") if paragraph.strip()]
        data = {
            **output.get("data", {}),
            "text/markdown": fold_sentences([linked.get(part, part) for part in parts]),
        }
        outputs.append({**output, "data": data} if parts else output)
    return {**cell, "outputs": outputs}


def _annotate_cell(cell: dict[str, Any], annotate: Any) -> dict[str, Any]:
    """Return a cell with completed captions, and without empty outputs."""
    if "outputs" not in cell:
        return cell
    outputs = []
    for output in cell["outputs"]:
        if "data" in output and not any(map("".join, output["data"].values())):
            continue
        html = "".join(output.get("data", {}).get("text/html", ""))
        if "data-name" in html:
            output = {**output, "data": {**output["data"], "text/html": annotate(html)}}
        outputs.append(output)
    return {**cell, "outputs": outputs}


def _drop_empty_sections(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the cells without headings under which nothing but the caveat of the page is shown."""
    kept = []
    for place, cell in enumerate(cells):
        section = list(takewhile(lambda one: one["cell_type"] == "code", cells[place + 1 :]))
        if not (
            _is_heading(cell) and section and not any(_shows(output) for one in section for output in one["outputs"])
        ):
            kept.append(cell)
    return kept


def _shows(output: dict[str, Any]) -> bool:
    return not "".join(output.get("data", {}).get("text/markdown", "")).startswith("*Caveat.*")


def _is_heading(cell: dict[str, Any]) -> bool:
    source = "".join(cell["source"]).strip()
    return cell["cell_type"] == "markdown" and source.startswith("## ") and "\n" not in source


def _describe(name: str, sweeps: list[str], context: ReportContext, items: Mapping[str, str]) -> Markup:
    """Return the end of a caption: the items covered, the sources, the files, and the command to measure it again."""
    served = "; ".join(dict.fromkeys(item for sweep in sweeps for item in items.get(sweep, "").split("; ") if item))
    parts = []
    if served:
        parts.append(Markup("Serves: {}.").format(served))
    named = join_last(Markup('<a href="../trials/{0}/index.html">{0}</a>').format(sweep) for sweep in sweeps)
    if sweeps:
        parts.append(Markup("Source: {} of campaign {}.").format(named, context.campaign.name))
    lines = [Markup(" ").join(parts)]
    if name:
        links = list_links(name, f"figure-{name}", context.results, "figures")
        lines.append(Markup('<span class="coldcache-files">{}</span>').format(links))
    if command := measure_sweeps_again(context.campaign, sweeps):
        fold = Markup('<details class="coldcache-fold"><summary>Measure it again</summary>{}</details>')
        lines.append(fold.format(code(command)))
    return Markup("\n").join(lines)


def state_width(figure: str) -> str:
    """Return a figure whose drawing states its width in points to the style sheet."""
    return _WIDTH.sub(r'\1style="--width: \3" \2', figure, count=1)
