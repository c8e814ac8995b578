"""Executed notebooks as pages: under each figure where it comes from, its files, and how to measure it again."""

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from markupsafe import Markup

from coldcache.plan import expand_cases
from coldcache.report.chapters import Chapter
from coldcache.report.commands import measure_sweeps_again
from coldcache.report.downloads import is_offered, offer
from coldcache.report.glyphs import Glyphs
from coldcache.report.markup import code, join
from coldcache.report.material import Material
from coldcache.study import Study

#: A figure as `coldcache.figures` writes it, with its name and its sweeps.
_FIGURE = re.compile(
    r'(<figure class="coldcache-figure" data-name="([^"]*)" data-sweeps="([^"]*)">.*?)(</figcaption></figure>)', re.S
)


class Origin(NamedTuple):
    """Where a sweep comes from: what of a document it serves, and at which scale; empty where it serves none."""

    item: str
    scale: str


def read_origins(material: Material) -> dict[str, Origin]:
    """Return the origin of each sweep of a campaign, by ``study/sweep``."""
    campaign, origins = material.campaign, {}
    for study in campaign.studies:
        if not isinstance(study, Study) or campaign.circumstances is None:
            continue
        scales: dict[str, list[str]] = {}
        for case in expand_cases(study, campaign.site, campaign.circumstances):
            scales.setdefault(case.sweep, []).append(case.scale)
        for name, sweep in study.sweeps.items():
            found = [scale for scale in dict.fromkeys(scales.get(name, [])) if scale]
            origins[f"{study.study}/{name}"] = Origin(sweep.item, "; ".join(found))
    return origins


def write_chapter(chapter: Chapter, material: Material, origins: Mapping[str, Origin]) -> str:
    """Return a notebook as Sphinx reads it: with what stands under its figures, and a link to its code at the end."""
    glyphs = Glyphs()

    def annotate(match: re.Match[str]) -> str:
        figure, name, sweeps, end = match.groups()
        told = _describe(name, sweeps.split(), material, origins, scaled=" Scale: " in figure)
        return f"{glyphs.share(figure)} {told}{end}"

    cells = [_annotate_cell(cell, annotate) for cell in chapter.notebook["cells"]]
    path = f"notebooks/{chapter.study}/{chapter.name}.ipynb"
    source = Markup('<p class="coldcache-source">The code of this page: {}</p>').format(
        offer(path, material.results, "../", path)
    )
    cells.append({"cell_type": "markdown", "id": "coldcache-source", "metadata": {}, "source": str(source)})
    return json.dumps({**chapter.notebook, "cells": cells})


def _annotate_cell(cell: dict[str, Any], annotate: Any) -> dict[str, Any]:
    """Return a cell with its figures' captions completed, and without outputs that hold nothing."""
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


def _describe(name: str, sweeps: list[str], material: Material, origins: Mapping[str, Origin], scaled: bool) -> Markup:
    """Return the end of a caption: source of a figure, its files, the command that measures it again, and the scale.

    The scale stands in the captions of sweeps that are run otherwise than their document does, in which it is `scaled`.
    """
    found = [origins[sweep] for sweep in sweeps if sweep in origins]
    scales = "; ".join(dict.fromkeys(origin.scale for origin in found if origin.scale))
    items = "; ".join(dict.fromkeys(origin.item for origin in found if origin.item))
    parts = [Markup("Scale: {}.").format(scales)] if scales and not scaled else []
    if items:
        parts.append(Markup("Serves: {}.").format(items))
    named = join((Markup('<a href="../trials/{0}/index.html">{0}</a>').format(sweep) for sweep in sweeps), " and ")
    if sweeps:
        parts.append(Markup("Source: {} of campaign {}.").format(named, material.campaign.name))
    files = [
        offer(file, material.results, "../", kind)
        for kind, file in (("CSV", f"tables/{name}.csv"), ("SVG", f"figures/{name}.svg"))
        if name and is_offered(file, material.results)
    ]
    lines = [Markup(" ").join(parts)]
    if files:
        lines.append(Markup('<span class="coldcache-files">{}</span>').format(Markup(" · ").join(files)))
    if command := measure_sweeps_again(material.campaign, sweeps):
        lines.append(Markup('<span class="coldcache-files">Measure it again: {}</span>').format(code(command)))
    return Markup("\n").join(lines)
