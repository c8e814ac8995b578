"""Overviews: what the executed notebook `overview` shows of a study, for the first page and the study's own."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from markupsafe import Markup

from coldcache.design.imported_study import AnyStudy
from coldcache.design.notebooks import OVERVIEW
from coldcache.report.site.anchors import list_links
from coldcache.report.site.notebooks import read_chapter

_FIGURE = re.compile(
    r'<figure class="coldcache-figure"[^>]* data-name="([^"]*)" data-sweeps="([^"]*)">.*?</figure>', re.S
)
_END = "</figcaption></figure>"
_CAPTION = re.compile(r"<figcaption>(.*?)</figcaption>", re.S)


class SmallFigure(NamedTuple):
    """A figure of an overview.

    Attributes
    ----------
    name : str
        The stem of its file in `figures/`.
    sweep : str
        The sweep that it shows, as ``study/sweep``.
    html : str
        Its drawing with its caption; links lead from a page in a study's folder.
    caption : str
        Its caption as HTML.
    """

    name: str
    sweep: str
    html: str
    caption: str


class Overview(NamedTuple):
    """What an overview shows.

    Attributes
    ----------
    headline : str
        The best figures in a line; empty where the study has none.
    figures : list of SmallFigure
        Up to four.
    numbers : str
        The table of best figures as HTML; empty where there is none.
    meaning : list of str
        What the figures mean, each a sentence in Markdown.
    notebook : dict
        The executed notebook.
    """

    headline: str
    figures: list[SmallFigure]
    numbers: str
    meaning: list[str]
    notebook: dict[str, Any]


def read_overview(study: AnyStudy, results: Path) -> Overview | None:
    """Return the overview of a study; None where the campaign has no such notebook.

    Raises
    ------
    ChapterError
        If it cannot be read.
    """
    if not (results / "notebooks" / study.study / f"{OVERVIEW}.ipynb").is_file():
        return None
    chapter = read_chapter(study.study, OVERVIEW, results)
    notebook = chapter.notebook
    figures = [
        SmallFigure(found[1], found[2], found[0], "".join(_CAPTION.findall(found[0])))
        for html in _list_outputs(notebook, "figures", "text/html") for found in _FIGURE.finditer(html)
    ]  # fmt: skip
    return Overview(
        " ".join(_list_outputs(notebook, "headline", "text/markdown")).strip(),
        figures,
        "\n".join(html for html in _list_outputs(notebook, "numbers", "text/html") if "<td" in html),
        chapter.findings,
        notebook,
    )


def _list_outputs(notebook: dict[str, Any], tag: str, kind: str) -> Iterator[str]:
    """Yield what the cells with a tag display, in one form."""
    for cell in notebook["cells"]:
        if tag in cell["metadata"].get("tags", []):
            for output in cell.get("outputs", []):
                yield "".join(output.get("data", {}).get(kind, ""))


def show_figures(overview: Overview, results: Path) -> Markup:
    """Return the figures of an overview in a row, as a block for a page of Markdown in a study's folder.

    Each leads to its numbers, its trials and itself.
    """
    row = "".join(
        f"{figure.html.removesuffix(_END)} {_list_links(figure, results)}{_END}" for figure in overview.figures
    )
    return _block(f'<div class="coldcache-row">{row}</div>') if row else Markup("")


def _list_links(figure: SmallFigure, results: Path) -> Markup:
    trials = Markup('<a href="../trials/{}/index.html">trials</a>').format(figure.sweep)
    links = list_links(figure.name, f"figure-{figure.name}", results, "figures", kinds=("CSV",))
    return Markup('<span class="coldcache-files">{} {}</span>').format(trials, links)


def show_answer(overview: Overview) -> Markup:
    """Return the best figures, and beside them what they mean, as a block for a page in a study's folder."""
    parts = []
    if overview.numbers:
        parts.append(f'<div class="coldcache-scroll">{overview.numbers}</div>')
    if overview.meaning:
        sentences = "".join(f"<li>{sentence}</li>" for sentence in overview.meaning)
        parts.append(f'<ul class="coldcache-meaning">{sentences}</ul>')
    return _block(f'<div class="coldcache-answer">{"".join(parts)}</div>') if parts else Markup("")


def _block(html: str) -> Markup:
    """Return HTML as a block that Markdown leaves as it is."""
    return Markup(f"````{{raw}} html\n{html}\n````\n")
