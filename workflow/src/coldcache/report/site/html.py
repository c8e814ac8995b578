"""Escape text for pages, so that nothing in a log or configuration is run, and build tables and links."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import groupby
from typing import Any

from markupsafe import Markup, escape

#: All white space except the no-break space.
_BLANKS = re.compile(r"[^\S\xa0]+")
#: Commas at which a line may break; not those that separate thousands.
_COMMA = re.compile(r",(?!\d)")
_PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")


def escape_markdown(value: Any) -> Markup:
    """Return a text as one line of Markdown that shows it literally; markup is returned unchanged."""
    if isinstance(value, Markup):
        return value
    return Markup(_PUNCTUATION.sub(r"\\\1", _line(value)))


def escape_html(value: Any) -> Markup:
    """Return a text as HTML that shows it literally; markup is returned unchanged.

    Backticks become numeric entities, as they would end the block of HTML in a page of Markdown. Lines may break after
    commas.
    """
    return value if isinstance(value, Markup) else _escape(str(value))


# Pages of trials repeat the same words.
@lru_cache(maxsize=2**14)
def _escape(text: str) -> Markup:
    return Markup(_COMMA.sub(",<wbr>", str(escape(_line(text))).replace("`", "&#96;")))


def _line(value: Any) -> str:
    return _BLANKS.sub(" ", str(value)).strip()


def code(value: Any) -> Markup:
    """Return a text as HTML in a monospaced font."""
    return Markup("<code>{}</code>").format(escape_html(value))


def link(text: Any, url: str) -> Markup:
    """Return a link as HTML."""
    return Markup('<a href="{}">{}</a>').format(url, escape_html(text))


def join(parts: Iterable[Any], separator: str = ", ") -> Markup:
    """Join texts or markup as HTML."""
    return Markup(escape(separator)).join(escape_html(part) for part in parts)


def join_last(parts: Iterable[Any]) -> Markup:
    """Join texts or markup as HTML, the last one by ``and``."""
    *others, last = [*parts] or [""]
    return join([join(others), last], " and ") if others else join([last])


def entries(parts: Iterable[Any]) -> Markup:
    """Return texts or markup as an HTML list in columns."""
    items = Markup("").join(Markup("<li>{}</li>").format(escape_html(part)) for part in parts)
    return Markup('<ul class="coldcache-entries">{}</ul>').format(items)


def fold(summary: str) -> Markup:
    """Return the begin of a part of a page of Markdown that is folded until a reader opens it; `END_FOLD` ends it."""
    return Markup('\n```{{raw}} html\n<details class="coldcache-fold"><summary>{}</summary>\n```\n').format(
        escape_html(summary)
    )


#: The end of a folded part. It holds no heading, which would begin a section of the page.
END_FOLD = Markup("\n```{raw} html\n</details>\n```\n")


def facts(rows: Iterable[tuple[str, Any]]) -> Markup:
    """Return a table of names and values as a block for a page of Markdown."""
    return block(facts_table(rows))


def facts_table(rows: Iterable[tuple[str, Any]]) -> Markup:
    """Return a table of names and values as HTML; empty if there are no rows."""
    body = "\n".join(
        f'<tr><th scope="row">{escape_html(name)}</th><td>{escape_html(value)}</td></tr>' for name, value in rows
    )
    return Markup(f'<table class="coldcache-table coldcache-facts">\n{body}\n</table>' if body else "")


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], numbers: Sequence[str] = ()) -> Markup:
    """Return a table as a block for a page of Markdown.

    Parameters
    ----------
    head : sequence of str
        Headings of the columns.
    rows : iterable of sequences
        Texts or markup, one for each column.
    numbers : sequence of str
        Headings of the columns that hold numbers.
    """
    right = [name in numbers for name in head]
    return block(_head(head, right) + Markup("<tbody>\n{}</tbody></table>").format(_rows(rows, right)))


def trials_table(head: Sequence[str], rows: Iterable[tuple[Any, Sequence[Any]]]) -> Markup:
    """Return a table of trials with a heading per group; on a phone each row becomes a paragraph.

    Parameters
    ----------
    head : sequence of str
        Headings of the columns.
    rows : iterable of (group, sequence)
        Each row with its group; rows of a group must be adjacent.
    """
    right = [False] * len(head)
    bodies = Markup("").join(
        Markup('<tbody>\n<tr><th scope="rowgroup" colspan="{}">{}</th></tr>\n{}</tbody>').format(
            len(head), escape_html(group), _rows((row for _, row in members), right)
        )
        for group, members in groupby(rows, key=lambda row: row[0])
    )
    return block(_head(head, right, "coldcache-table coldcache-trials") + bodies + Markup("</table>"))


def _head(head: Sequence[str], right: Sequence[bool], kind: str = "coldcache-table") -> Markup:
    cells = Markup("").join(
        Markup('<th scope="col"{}>{}</th>').format(_aligned(to_the_right), escape_html(name))
        for name, to_the_right in zip(head, right, strict=True)
    )
    return Markup('<table class="{}"><thead><tr>{}</tr></thead>').format(kind, cells)


def _rows(rows: Iterable[Sequence[Any]], right: Sequence[bool]) -> Markup:
    return Markup("").join(
        Markup("<tr>{}</tr>\n").format(
            Markup("").join(
                Markup("<td{}>{}</td>").format(_aligned(to_the_right), escape_html(value))
                for value, to_the_right in zip(row, right, strict=True)
            )
        )
        for row in rows
    )


def _aligned(to_the_right: bool) -> Markup:
    return Markup(' class="number"' if to_the_right else "")


def block(html: Markup) -> Markup:
    """Return HTML as a block for a page of Markdown, in a box that scrolls where it is wider than the page."""
    return Markup('\n```{{raw}} html\n<div class="coldcache-scroll">{}</div>\n```\n').format(html)
