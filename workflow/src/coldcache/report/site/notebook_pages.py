"""Executed notebooks as pages; each figure gets its sources, its files, and the command to measure it again."""

import json
import re
from collections.abc import Mapping
from itertools import takewhile
from typing import Any

from markupsafe import Markup

from coldcache.design.study import Study
from coldcache.report.site.context import ReportContext
from coldcache.report.site.downloads import is_offered, offer
from coldcache.report.site.html import code, join
from coldcache.report.site.notebooks import Chapter
from coldcache.report.site.reproduce_commands import measure_sweeps_again
from coldcache.report.site.svg_symbols import Glyphs

#: A figure in the markup of `coldcache.analysis.figures`, with its name and its sweeps.
_FIGURE = re.compile(
    r'(<figure class="coldcache-figure" data-name="([^"]*)" data-sweeps="([^"]*)">.*?)(</figcaption></figure>)', re.S
)


def read_items(context: ReportContext) -> dict[str, str]:
    """Return the tables and figures of documents that each sweep covers, by ``study/sweep``."""
    return {
        f"{study.study}/{name}": sweep.item
        for study in context.campaign.studies
        if isinstance(study, Study)
        for name, sweep in study.sweeps.items()
    }


def write_chapter(chapter: Chapter, context: ReportContext, items: Mapping[str, str]) -> str:
    """Return a notebook for Sphinx, with completed captions and a link to its code at the end."""
    glyphs = Glyphs()

    def annotate(match: re.Match[str]) -> str:
        figure, name, sweeps, end = match.groups()
        return f"{glyphs.share(figure)} {_describe(name, sweeps.split(), context, items)}{end}"

    cells = _drop_empty_sections([_annotate_cell(cell, annotate) for cell in chapter.notebook["cells"]])
    path = f"notebooks/{chapter.study}/{chapter.name}.ipynb"
    source = Markup('<p class="coldcache-source">The code of this page: {}</p>').format(
        offer(path, context.results, "../", path)
    )
    cells.append({"cell_type": "markdown", "id": "coldcache-source", "metadata": {}, "source": str(source)})
    return json.dumps({**chapter.notebook, "cells": cells})


def _annotate_cell(cell: dict[str, Any], annotate: Any) -> dict[str, Any]:
    """Return a cell with completed captions, and without empty outputs."""
    if "outputs" not in cell:
        return cell
    outputs = []
    for output in cell["outputs"]:
        if "data" in output and not any(map("".join, output["data"].values())):
            continue
        html = "".join(output.get("data", {}).get("text/html", ""))
        if "coldcache-figure" in html:
            output = {**output, "data": {**output["data"], "text/html": _FIGURE.sub(annotate, html)}}
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
    files = [
        offer(file, context.results, "../", kind)
        for kind, file in (("CSV", f"tables/{name}.csv"), ("SVG", f"figures/{name}.svg"))
        if name and is_offered(file, context.results)
    ]
    lines = [Markup(" ").join(parts)]
    if files:
        lines.append(Markup('<span class="coldcache-files">{}</span>').format(Markup(" · ").join(files)))
    if command := measure_sweeps_again(context.campaign, sweeps):
        lines.append(Markup('<span class="coldcache-files">Measure it again: {}</span>').format(code(command)))
    return Markup("\n").join(lines)
