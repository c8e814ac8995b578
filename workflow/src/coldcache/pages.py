"""The pages of a report as Sphinx reads them: the templates of `workflow/report/pages`, filled with facts."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from coldcache.appendix import describe_methods, describe_system, describe_validity
from coldcache.campaign import Campaign
from coldcache.chapters import Chapter
from coldcache.first_page import describe_first_page, list_findings
from coldcache.foreign import AnyStudy, ForeignStudy
from coldcache.markup import escape_markdown, facts, join, link
from coldcache.material import Material
from coldcache.plan import Case, expand_cases
from coldcache.study import Sweep
from coldcache.wording import show_levels


def write_pages(material: Material, templates: Path, folder: Path) -> None:
    """Write every page of a report into a folder, for Sphinx to read.

    Parameters
    ----------
    material : Material
        What the pages tell.
    templates : Path
        Holds ``index.md``, ``study.md``, ``validity.md``, ``methods.md`` and ``system.md``.
    folder : Path
        Where the pages go, a folder for each study in it.
    """
    # What is no markup is text that somebody else wrote, and is shown as it is.
    environment = Environment(
        loader=FileSystemLoader(templates), undefined=StrictUndefined, finalize=escape_markdown, autoescape=True,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip

    def write(template: str, page: str, values: dict[str, Any]) -> None:
        path = folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(environment.get_template(template).render(values), encoding="utf-8")

    write("index.md", "index.md", describe_first_page(material))
    for study in material.campaign.studies:
        write("study.md", f"{study.study}/index.md", _describe_study(study, material))
        for chapter in material.chapters[study.study]:
            (folder / study.study / f"{chapter.name}.ipynb").write_text(_page_of(chapter), encoding="utf-8")
    write("validity.md", "validity.md", describe_validity(material))
    write("methods.md", "methods.md", describe_methods(material))
    write("system.md", "system.md", describe_system(material))


def _describe_study(study: AnyStudy, material: Material) -> dict[str, Any]:
    return {
        "title": study.title,
        "question": study.question,
        "chapters": list_findings(material.chapters[study.study]),
        "sweeps": facts(_describe_sweeps(study, material.campaign)),
    }


def _describe_sweeps(study: AnyStudy, campaign: Campaign) -> Iterator[tuple[str, Markup]]:
    if isinstance(study, ForeignStudy) or campaign.circumstances is None:
        for foreign in study.sweeps.values():
            levels = show_levels({factor: level} for factor, found in foreign.factors.items() for level in found)
            what = f"{', '.join(foreign.tools)}: {', '.join(foreign.operations) or 'nothing that can be read'}"
            yield foreign.title, join((what, levels), separator=Markup("<br>"))
        return
    cases: dict[str, list[Case]] = {}
    for case in expand_cases(study, campaign.site, campaign.circumstances):
        cases.setdefault(case.sweep, []).append(case)
    for name, sweep in study.sweeps.items():
        yield sweep.title, _describe_sweep(sweep, cases[name])


def _describe_sweep(sweep: Sweep, cases: list[Case]) -> Markup:
    trials = sum(case.repetitions for case in cases)
    what = f"{cases[0].tool}: {', '.join(sweep.operations)}; {trials} trials"
    return join((what, show_levels(case.factors for case in cases)), separator=Markup("<br>"))


def _page_of(chapter: Chapter) -> str:
    """Return a notebook with a last line that leads to its code."""
    path = f"notebooks/{chapter.study}/{chapter.name}.ipynb"
    source = Markup('<p class="coldcache-source">The code of this page: {}</p>').format(link(path, f"../../{path}"))
    cell = {"cell_type": "markdown", "id": "coldcache-source", "metadata": {}, "source": str(source)}
    return json.dumps({**chapter.notebook, "cells": [*chapter.notebook["cells"], cell]})
