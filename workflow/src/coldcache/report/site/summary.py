"""Findings and figures of a campaign in a single self-contained file."""

import re
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from coldcache.analysis.report_links import without_links
from coldcache.report.site.context import ReportContext
from coldcache.report.site.notebooks import Chapter

#: Its name in a report; Snakemake tracks it as the report's output.
SUMMARY = "summary.html"

_FIGURE = re.compile(r'<figure class="coldcache-figure".*?</figure>', re.S)


def write_summary(context: ReportContext, templates: Path, report: Path) -> None:
    """Write `summary.html` into a report.

    Parameters
    ----------
    material : ReportContext
        The content of the report.
    templates : Path
        Folder with the template ``summary.html``.
    report : Path
        The report's folder.
    """
    environment = Environment(
        loader=FileSystemLoader(templates), undefined=StrictUndefined, autoescape=True, trim_blocks=True,
    )  # fmt: skip
    studies = [
        {
            "title": study.title, "question": study.question,
            "chapters": [
                {
                    "title": chapter.title, "figures": list(_find_figures(chapter)),
                    "findings": [re.sub("[`*]", "", without_links(text)) for text in chapter.findings],
                }
                for chapter in context.chapters[study.study]
            ],
        }
        for study in context.campaign.studies
    ]  # fmt: skip
    text = environment.get_template(SUMMARY).render(
        campaign=context.campaign.name,
        summary=context.validity.summary(context.campaign.planned or None),
        studies=studies,
    )
    (report / SUMMARY).write_text(text, encoding="utf-8")


def _find_figures(chapter: Chapter) -> Iterator[Markup]:
    for cell in chapter.notebook["cells"]:
        for output in cell.get("outputs", []):
            html = "".join(output.get("data", {}).get("text/html", ""))
            for figure in _FIGURE.findall(html):
                yield Markup(without_links(figure).replace('role="group"', 'role="img"'))
