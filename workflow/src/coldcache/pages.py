"""The pages of a report as Sphinx reads them: the templates of `workflow/report/pages`, filled with facts."""

import json
import shlex
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from coldcache.appendix import (
    LEVEL, describe_methods, describe_system, describe_validity, show_levels, show_share, show_values,
)  # fmt: skip
from coldcache.campaign import Campaign, is_sealed
from coldcache.chapters import Chapter
from coldcache.conditions import Conditions
from coldcache.intervals import reach_of_order
from coldcache.markup import code, escape_markdown, facts, join, link
from coldcache.plan import Block
from coldcache.study import Study
from coldcache.units import show_bytes
from coldcache.validity import Validity

#: Files of one kind that the first page names one by one; of more it names the folder.
_FEW = 24


class Material(NamedTuple):
    """What a report is made of.

    Attributes
    ----------
    campaign : Campaign
        Its design.
    results : Path
        Its folder of results.
    chapters : dict of str to list of Chapter
        The executed notebooks of each study.
    validity : Validity
        What its trials are worth.
    conditions : Conditions
        What its trials state of machine, target, tools and time.
    """

    campaign: Campaign
    results: Path
    chapters: dict[str, list[Chapter]]
    validity: Validity
    conditions: Conditions


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
    campaign, validity, conditions = material.campaign, material.validity, material.conditions
    # What is no markup is text that somebody else wrote, and is shown as it is.
    environment = Environment(
        loader=FileSystemLoader(templates), undefined=StrictUndefined, finalize=escape_markdown, autoescape=True,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip

    def write(template: str, page: str, **facts: Any) -> None:
        path = folder / page
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(environment.get_template(template).render(facts), encoding="utf-8")

    write("index.md", "index.md", **_describe_findings(material))
    for study in campaign.studies:
        write("study.md", f"{study.study}/index.md", **_describe_study(study, material))
        for chapter in material.chapters[study.study]:
            (folder / study.study / f"{chapter.name}.ipynb").write_text(_page_of(chapter), encoding="utf-8")
    write("validity.md", "validity.md", **describe_validity(validity, campaign.name))
    write("methods.md", "methods.md", **describe_methods(campaign, validity))
    write("system.md", "system.md", **describe_system(campaign, conditions))


def _describe_findings(material: Material) -> dict[str, Any]:
    campaign, conditions = material.campaign, material.conditions
    colds = sum(material.validity.colds.values(), Counter())
    fewest = min(trial.case.repetitions for block in campaign.blocks() for trial in block.trials)
    return {
        "studies": [
            {
                "name": study.study, "title": study.title, "question": study.question,
                "chapters": _findings_of(material.chapters[study.study]),
            }
            for study in campaign.studies
        ],
        "summary": material.validity.summary(),
        "reads": colds.total(),
        "cold": colds["cold"],
        "fewest": fewest,
        "level": show_share(min(LEVEL, reach_of_order(fewest))) if fewest > 1 else "",
        "system": facts(_summarise_system(campaign, conditions)),
        "period": _show_period(conditions.begin, conditions.end),
        "repetitions": _show_repetitions(campaign),
        "sealed": is_sealed(campaign.folder),
        "evidence": facts(_list_evidence(material)),
    }  # fmt: skip


def _findings_of(chapters: list[Chapter]) -> list[dict[str, Any]]:
    """Return what the chapters found; their sentences are Markdown already."""
    return [{"name": chapter.name, "findings": [Markup(text) for text in chapter.findings]} for chapter in chapters]


def _describe_study(study: Study, material: Material) -> dict[str, Any]:
    return {
        "title": study.title,
        "question": study.question,
        "chapters": _findings_of(material.chapters[study.study]),
        "sweeps": facts(
            (study.sweeps[block.trials[0].case.sweep].title, _describe_block(block))
            for block in material.campaign.blocks()
            if block.trials[0].case.study == study.study
        ),
    }


def _describe_block(block: Block) -> Markup:
    cases = [trial.case for trial in block.trials]
    operations = sorted({operation for case in cases for operation in case.operations})
    what = f"{cases[0].tool}: {', '.join(operations)}; {len(cases)} trials"
    return join((what, show_levels(cases)), separator=Markup("<br>"))


def _page_of(chapter: Chapter) -> str:
    """Return a notebook with a last line that leads to its code."""
    path = f"notebooks/{chapter.study}/{chapter.name}.ipynb"
    source = Markup('<p class="coldcache-source">The code of this page: {}</p>').format(link(path, f"../../{path}"))
    cell = {"cell_type": "markdown", "id": "coldcache-source", "metadata": {}, "source": str(source)}
    return json.dumps({**chapter.notebook, "cells": [*chapter.notebook["cells"], cell]})


def _summarise_system(campaign: Campaign, conditions: Conditions) -> Iterator[tuple[str, Any]]:
    system, target, queue = conditions.system, conditions.target, conditions.queue
    yield "Target", join((campaign.site.target_name, code(campaign.site.target.path)))
    yield "File system", show_values(target.get("filesystem"))
    yield "Mount options", show_values(target.get("mount_options"))
    cache = queue.get("write_cache")
    device = show_values(target.get("source"))
    yield "Device", join((device, Markup("write cache: {}").format(show_values(cache)))) if cache else device
    yield "Kernel", join((show_values(system.get("kernel")), show_values(system.get("os"))))
    cores = Markup("{} cores").format(show_values(system.get("cores")))
    virtual = ["virtual machine"] if "True" in system.get("hypervisor", {}) else []
    yield "Processor", join((show_values(system.get("processor")), cores, *virtual))
    yield "Memory", show_values(system.get("memory_bytes"), lambda size: show_bytes(float(size)))
    yield "Tools", join(conditions.tools) or "none has run"


def _show_period(begin: datetime | None, end: datetime | None) -> str:
    if begin is None or end is None:
        return "No trial has run"
    first, last = f"{begin.day} {begin:%B %Y, %H:%M}", f"{end.day} {end:%B %Y, %H:%M}"
    return f"{first} to {end:%H:%M} UTC" if begin.date() == end.date() else f"{first} to {last} UTC"


def _show_repetitions(campaign: Campaign) -> str:
    counts = sorted({trial.case.repetitions for block in campaign.blocks() for trial in block.trials})
    shown = f"{counts[0]} to {counts[-1]}" if len(counts) > 1 else str(counts[0])
    return f"{shown} repetition{'' if counts[-1] == 1 else 's'}"


def _list_evidence(material: Material) -> Iterator[tuple[str, Any]]:
    campaign, results = material.campaign, material.results
    yield "Every value", join((link("dataset.nc", "../dataset.nc"), "with its unit, its verdict and its place in a log"))
    yield "Tables", _list_files(results, "tables", "*.csv")
    yield "Figures", _list_files(results, "figures", "*.svg")
    yield "Verdicts", join((link("verdicts.csv", "../verdicts.csv"), link("reasons.csv", "../reasons.csv")))
    yield "Folder of these", code(f"results/{campaign.name}/")
    yield "Raw logs", code(f"raw/{campaign.name}/")
    yield "Measure again", code(_command(campaign))


def _list_files(results: Path, folder: str, pattern: str) -> Markup:
    names = sorted(path.name for path in (results / folder).glob(pattern))
    if not names:
        return Markup("none")
    if len(names) > _FEW:
        return Markup("{} files in {}").format(len(names), link(f"{folder}/", f"../{folder}/"))
    return join(link(name, f"../{folder}/{name}") for name in names)


def _command(campaign: Campaign) -> str:
    """Return the command that measures the same as another campaign; a folder that a user named is named again."""
    target = campaign.site.target
    studies = ",".join(study.study for study in campaign.studies)
    if (studies, campaign.site.site) == ("quick", "local"):
        named = [] if target.make else [f"TARGET={target.path}"]
        return shlex.join(["make", "study", "CAMPAIGN=again", *named])
    named = [] if target.make else [f"target={target.path}"]
    design = ["campaign=again", f"studies={studies}", f"site={campaign.site.site}", *named]
    return shlex.join(["snakemake", "--cores", "all", "--config", *design])
