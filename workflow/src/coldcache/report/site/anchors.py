"""Ids and links of figures, tables and numbers, so that a reader can point at each of them."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from coldcache.report.site.downloads import is_offered, offer

_TABLE = re.compile(r'<table id="([^"]+)".*?</table>', re.S)
_UNNAMED = '<table class="'
_ROW = re.compile(r"<tr\b.*?</tr>", re.S)
_CELL = re.compile(r"<td(?! id=)")


def link_here(anchor: str, what: str) -> Markup:
    """Return a link to a figure or table on its own page.

    Parameters
    ----------
    anchor : str
        Its id.
    what : str
        ``figure`` or ``table``.
    """
    return Markup('<a class="coldcache-here" href="#{}" aria-label="Link to this {}">#</a>').format(anchor, what)


def list_links(
    name: str, anchor: str, results: Path, folder: str, root: str = "../", kinds: Sequence[str] = ("CSV", "SVG")
) -> Markup:
    """Return the links of a figure or table: its files, and itself.

    Parameters
    ----------
    name, anchor : str
        The stem of its files, and its id.
    results : Path
        The folder of results.
    folder : {"figures", "tables"}
        Where its files are.
    root : str
        Path from the page to the report's top folder.
    kinds : sequence of str
        The kinds of files that are offered.
    """
    files = [
        offer(f"{folder}/{name}.{kind.lower()}", results, root, kind)
        for kind in kinds if is_offered(f"{folder}/{name}.{kind.lower()}", results)
    ]  # fmt: skip
    return Markup(" ").join([*files, link_here(anchor, folder.removesuffix("s"))])


def name_tables(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of a page in which a value that is a table has an id: ``table-`` and its name."""
    return {
        name: Markup(str(value).replace(_UNNAMED, f'<table id="table-{name.replace("_", "-")}" class="', 1))
        if isinstance(value, Markup) else value
        for name, value in values.items()
    }  # fmt: skip


def number_cells(html: str) -> str:
    """Return HTML in which each cell of a table with an id has an id of its own: ``<table>.<row>.<column>``, from 1."""

    def number_table(table: re.Match[str]) -> str:
        rows = iter(range(1, table[0].count("<tr") + 1))

        def number_row(row: re.Match[str]) -> str:
            if "<td" not in row[0]:
                return row[0]
            number, columns = next(rows), iter(range(1, row[0].count("<td") + 1))
            return _CELL.sub(lambda _: f'<td id="{table[1]}.{number}.{next(columns)}"', row[0])

        return _ROW.sub(number_row, table[0])

    return _TABLE.sub(number_table, html)
