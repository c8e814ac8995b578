"""Where the report shows each figure and table of the notebooks, so that other pages can lead there."""

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from coldcache.design.imported_study import AnyStudy
from coldcache.design.study import Study
from coldcache.report.site.notebooks import Chapter, list_html
from coldcache.report.site.overviews import Overview

_FIGURE = re.compile(r'<figure class="coldcache-figure"[^>]* data-name="([^"]*)" data-sweeps="([^"]*)">')
_TABLE = re.compile(r'<table id="table-[^"]*" data-name="([^"]*)"')


class Shown(NamedTuple):
    """What notebooks show, and on which page.

    Attributes
    ----------
    figures : dict of str to list of tuple of str
        By ``study/sweep``: the page and name of each figure of the sweep.
    tables : dict of str to str
        By name: the page of the table.
    """

    figures: dict[str, list[tuple[str, str]]]
    tables: dict[str, str]


def list_shown(chapters: Mapping[str, Iterable[Chapter]], overviews: Mapping[str, Overview]) -> Shown:
    """Return where the report shows figures and tables of each study, as pages from its top folder.

    Figures of an overview come last: they are small.
    """
    figures: dict[str, list[tuple[str, str]]] = {}
    tables: dict[str, str] = {}
    for study, of_study in chapters.items():
        for chapter in of_study:
            page = f"{study}/{chapter.name}.html"
            html = "\n".join(list_html(chapter.notebook))
            for name, sweeps in _FIGURE.findall(html):
                for sweep in sweeps.split() if name else []:
                    figures.setdefault(sweep, []).append((page, name))
            tables |= dict.fromkeys(_TABLE.findall(html), page)
    for study, overview in overviews.items():
        for figure in overview.figures:
            figures.setdefault(figure.sweep, []).append((f"{study}/index.html", figure.name))
    return Shown(figures, tables)


def read_items(studies: Iterable[AnyStudy]) -> dict[str, str]:
    """Return the tables and figures of documents that each sweep covers, by ``study/sweep``."""
    return {
        f"{study.study}/{name}": sweep.item
        for study in studies if isinstance(study, Study) for name, sweep in study.sweeps.items()
    }  # fmt: skip
