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

from coldcache.analysis.report_links import FOLDER, without_links
from coldcache.report.site.anchors import list_links, number_cells
from coldcache.report.site.context import ReportContext
from coldcache.report.site.downloads import offer
from coldcache.report.site.folded_tables import fold_figures, fold_tables
from coldcache.report.site.html import code, join
from coldcache.report.site.notebooks import Chapter
from coldcache.report.site.number_links import find_sweep, link_numbers
from coldcache.report.site.published_page import PUBLISHED, find_lines
from coldcache.report.site.reproduce_commands import measure_sweeps_again
from coldcache.report.site.shown import list_html

#: A figure in the markup of `coldcache.analysis.figures`, with its name and its sweeps.
_FIGURE = re.compile(
    r'(<figure class="coldcache-figure"[^>]* data-name="([^"]*)" data-sweeps="([^"]*)">.*?)(</figcaption></figure>)',
    re.S,
)

#: The beginning of a table in the markup of `coldcache.analysis.tables`, with its name.
_TABLE = re.compile(r'(<table id="(table-[^"]*)" data-name="([^"]*)".*?)(</caption>)', re.S)

#: The width of a drawing in points, which tells a phone how far it may shrink it.
_WIDTH = re.compile(r'(<svg [^>]*?)(width="([\d.]+)pt")')

#: What a drawing shows, in words.
_DRAWN = re.compile(r'<svg role="[a-z]+" aria-label="([^"]*)"')

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
    sweeps = [f"{study.study}/{sweep}" for study in context.campaign.studies for sweep in study.sweeps]

    def find_page(name: str) -> str:
        sweep = find_sweep(name, sweeps)
        return f"../{FOLDER}/{quote(sweep)}/index.html" if sweep else ""

    def find_stated(item: str, text: str) -> str:
        line = stated.get((unescape(item), unescape(text)))
        return f"../{PUBLISHED}#line-{line}" if line else ""

    def annotate(html: str) -> str:
        numbered = number_cells(_TABLE.sub(annotate_table, _FIGURE.sub(annotate_figure, html)))
        return fold_figures(link_numbers(numbered, find_page, find_stated))

    cells = fold_tables(_drop_empty_sections([_annotate_cell(cell, annotate) for cell in chapter.notebook["cells"]]))
    path = f"notebooks/{chapter.study}/{chapter.name}.ipynb"
    source = Markup('<p class="coldcache-source">The code of this page: {}</p>').format(
        offer(path, context.results, "../", path)
    )
    titles = {study.study: study.title for study in context.campaign.studies}
    found = find_title(chapter)
    if any(find_title(other) == found for other in context.chapters[chapter.study] if other.name != chapter.name):
        found = chapter.title
    title = title_page(found, titles[chapter.study])
    cells.append({"cell_type": "markdown", "id": "coldcache-source", "metadata": {}, "source": f"{title}\n{source}"})
    return json.dumps({**chapter.notebook, "cells": cells})


def find_title(chapter: Chapter) -> str:
    """Return what a chapter found, for the title of its page: of its first figure, else its first finding."""
    for html in list_html(chapter.notebook):
        if found := _DRAWN.search(html):
            return unescape(found[1])
    said = [re.sub("[`*]", "", without_links(text)) for text in chapter.findings]
    return unescape(said[0]) if said else chapter.title


def title_page(found: str, study: str) -> Markup:
    """Return the directive that gives a page the title that tabs, bookmarks and search engines show."""
    first = shorten(found.partition(". ")[0].removesuffix("."), _LONGEST_TITLE, placeholder=" …")
    plain = re.sub(r"[\s`{}]+", " ", f"{first}: {study}")
    return Markup(f"\n```{{title}} {plain}\n```\n")


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
    """Return the cells without headings under which nothing is shown."""
    kept = []
    for place, cell in enumerate(cells):
        section = list(takewhile(lambda one: one["cell_type"] == "code", cells[place + 1 :]))
        if not (_is_heading(cell) and section and not any(one["outputs"] for one in section)):
            kept.append(cell)
    return kept


def _is_heading(cell: dict[str, Any]) -> bool:
    source = "".join(cell["source"]).strip()
    return cell["cell_type"] == "markdown" and source.startswith("## ") and "\n" not in source


def _describe(name: str, sweeps: list[str], context: ReportContext, items: Mapping[str, str]) -> Markup:
    """Return the end of a caption: the items covered, the sources, the files, and the command to measure it again."""
    served = "; ".join(dict.fromkeys(items[sweep] for sweep in sweeps if items.get(sweep)))
    parts = []
    if served:
        parts.append(Markup("Serves: {}.").format(served))
    named = join((Markup('<a href="../trials/{0}/index.html">{0}</a>').format(sweep) for sweep in sweeps), " and ")
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
