"""The answer, findings and figures of a campaign in a single self-contained file."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from coldcache.analysis.report_links import without_links
from coldcache.design.imported_study import AnyStudy
from coldcache.report.site.context import ReportContext
from coldcache.report.site.index_page import describe_place, title_first_page
from coldcache.report.site.notebooks import Chapter
from coldcache.report.site.units import keep_units

#: Its name in a report; Snakemake tracks it as the report's output.
SUMMARY = "summary.html"

_FIGURE = re.compile(r'<figure class="coldcache-figure".*?</figure>', re.S)


#: Bytes of figures up to which they are in the file; a mail of more is refused by many.
MOST_BYTES = 1_600_000


def write_summary(context: ReportContext, templates: Path, report: Path) -> None:
    """Write `summary.html` into a report: the answer of the first page, then findings and figures of every chapter.

    Parameters
    ----------
    context : ReportContext
        The content of the report.
    templates : Path
        Folder with the template ``summary.html``.
    report : Path
        The report's folder.
    """
    environment = Environment(
        loader=FileSystemLoader(templates), undefined=StrictUndefined, autoescape=True, trim_blocks=True,
    )  # fmt: skip
    room = _Room(MOST_BYTES)
    studies = [_describe_study(study, context, room) for study in context.campaign.studies]
    text = environment.get_template(SUMMARY).render(
        campaign=context.campaign.name,
        title=title_first_page(context),
        place=Markup(without_links(str(describe_place(context)))),
        summary=context.validity.summary(context.campaign.planned or None),
        studies=studies,
        left=room.left,
    )
    (report / SUMMARY).write_text(keep_units(text), encoding="utf-8")


class _Room:
    """Counts the bytes of figures, and those that have no room."""

    def __init__(self, most: int) -> None:
        self.most, self.used, self.left = most, 0, 0

    def take(self, figures: Iterable[Markup]) -> list[Markup]:
        """Return the figures that there is room for."""
        taken = []
        for figure in figures:
            if self.used + len(figure) > self.most:
                self.left += 1
                continue
            self.used += len(figure)
            taken.append(figure)
        return taken


def _describe_study(study: AnyStudy, context: ReportContext, room: _Room) -> dict[str, Any]:
    overview = context.overviews.get(study.study)
    return {
        "title": study.title, "question": study.question,
        "small": room.take(_show(figure.html) for figure in overview.figures) if overview else [],
        "numbers": Markup(without_links(overview.numbers)) if overview else "",
        "meaning": [_without_marks(sentence) for sentence in overview.meaning] if overview else [],
        "chapters": [
            {
                "title": chapter.title, "figures": room.take(_find_figures(chapter)),
                "findings": [_without_marks(text) for text in chapter.findings],
            }
            for chapter in context.pages_of(study.study)
        ],
    }  # fmt: skip


def _without_marks(text: str) -> str:
    return re.sub("[`*]", "", without_links(text))


def _show(figure: str) -> Markup:
    return Markup(without_links(figure).replace('role="group"', 'role="img"'))


def _find_figures(chapter: Chapter) -> Iterator[Markup]:
    for cell in chapter.notebook["cells"]:
        for output in cell.get("outputs", []):
            html = "".join(output.get("data", {}).get("text/html", ""))
            for figure in _FIGURE.findall(html):
                yield _show(figure)
