"""Links of numbers in tables to what they were computed from: their trials, or the place of a document's number."""

import re
from collections.abc import Callable, Iterable
from html import unescape

_TABLE = re.compile(r'<table id="table-[^"]*"(?: data-name="([^"]*)")?.*?</table>', re.S)
_ROW = re.compile(r"<tr\b.*?</tr>", re.S)
_CELL = re.compile(r"(<td[^>]*>)(.*?)(</td>)", re.S)
_HEADING = re.compile(r"<th[^>]*>(.*?)</th>", re.S)
_TRIALS = re.compile(r'href="((?:\.\./)?trials/[^"]*)"')
_TAG = re.compile(r"<[^>]*>")

#: A number that no link holds yet.
_NUMBER = re.compile(r"[-−≥>]?\d[^<]*")

#: Headings of figures; a number below another heading, such as a level, was not computed from trials.
_FIGURES = re.compile(
    r"(median|low|high|n|counted|peak|at threads|sustained|rate|latency|pairs|contention|coherency|runs|flagged"
    r"|over .*|.*ratio|plateau.*|last .*|trials|valid|suspect|void|missing|reads|warm|mixed|unproved|interval"
    r"|median .*|measured|measured here|cold|proved)( \(.*)?",
    re.I,
)

#: The column of a document's numbers.
_PUBLISHED = "published"


def link_numbers(
    html: str,
    fallback: Callable[[str], str | None] | None = None,
    published: Callable[[str, str], str | None] | None = None,
    named: Callable[[str, str], str | None] | None = None,
) -> str:
    """Return HTML in which each figure of a table leads to the trials of its row.

    A link of the row to trials serves all its figures; a row without one leads to the sweep of its table.

    Parameters
    ----------
    html : str
        Tables with ids.
    fallback : callable, optional
        Returns the page of the trials behind a table by its name, or None.
    published : callable, optional
        Returns the page of a number that a document states, by the item in the row's first cell and the number as
        shown, or None.
    named : callable, optional
        Returns the page of what a cell names, by its heading and its text; empty where it names nothing that has one.
    """

    def link_table(table: re.Match[str]) -> str:
        head = _ROW.search(table[0])
        headings = [_TAG.sub("", found).strip() for found in _HEADING.findall(head[0])] if head else []
        whole = fallback(table[1]) if fallback and table[1] else None

        def link_row(row: re.Match[str]) -> str:
            found = _TRIALS.search(row[0])
            return _link_cells(row[0], headings, found[1] if found else whole, published, named)

        return _ROW.sub(link_row, table[0])

    return _TABLE.sub(link_table, html)


def _link_cells(
    row: str, headings: list[str], page: str | None, published: Callable[[str, str], str | None] | None,
    named: Callable[[str, str], str | None] | None,
) -> str:  # fmt: skip
    cells = _CELL.findall(row)
    if not cells or len(cells) != len(headings):
        return row
    names, item = iter(headings), _TAG.sub("", cells[0][1]).strip()

    def link_cell(cell: re.Match[str]) -> str:
        name, text = next(names), cell[2].strip()
        target = page if _FIGURES.fullmatch(name) and _NUMBER.fullmatch(text) else None
        if name == _PUBLISHED and published:
            target = published(item, text)
        if named and "<a " not in text and (lead := named(name, unescape(text))):
            return f'{cell[1]}<a href="{lead}">{text}</a>{cell[3]}'
        return f'{cell[1]}<a class="coldcache-quiet" href="{target}">{text}</a>{cell[3]}' if target else cell[0]

    return _CELL.sub(link_cell, row)


def find_sweep(name: str, sweeps: Iterable[str]) -> str | None:
    """Return the sweep whose name begins a table's name, the longest of several; None if there is none.

    Parameters
    ----------
    name : str
        The stem of its files, such as ``quick-write-cache-random-rate``.
    sweeps : iterable of str
        The sweeps, each as ``study/sweep``.
    """
    found = [sweep for sweep in sweeps if f"{name}-".startswith(f"{sweep.replace('/', '-')}-")]
    return max(found, key=len, default=None)
