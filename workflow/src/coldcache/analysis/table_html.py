"""A table as HTML and as plain text; columns of numbers are aligned to the right, those of sentences have a class."""

import re
from typing import Any

import pandas as pd
from markupsafe import Markup, escape

from coldcache.analysis.report_links import without_links

#: A number with an optional unit and an optional mark.
_NUMBER = re.compile(r"[<≥>−+-]?\s?\d[\d,]*(\.\d+)?(e[+-]?\d+)?\s?([%A-Za-zµ]{0,3}(/s)?|1/s|times)?( [†‡])?")

#: Letters from which a cell needs more room than its longest word.
_SENTENCE = 30

#: What a cell of a column of numbers may hold instead.
_NOTHING = ("", "–", "none", "not stated", "not bounded", "no plateau")


def show_html(shown: pd.DataFrame, caption: str, name: str) -> str:
    """Return a table as HTML.

    Parameters
    ----------
    shown : DataFrame
        Texts, numbers and markup; texts are escaped.
    caption : str
        What it holds.
    name : str
        The stem of its files; without one it has no id.
    """
    rows = [[_to_markup(cell) for cell in row] for row in shown.itertuples(index=False, name=None)]
    columns = [[row[place] for row in rows] for place in range(shown.shape[1])]
    kinds = [_find_kind(column) for column in columns]
    head = Markup("").join(
        Markup('<th scope="col"{}>{}</th>').format(kind, str(heading).replace(" %", "\N{NO-BREAK SPACE}%"))
        for kind, heading in zip(kinds, shown.columns, strict=True)
    )
    body = Markup("\n").join(
        Markup("<tr>{}</tr>").format(
            Markup("").join(Markup("<td{}>{}</td>").format(kind, cell) for kind, cell in zip(kinds, row, strict=True))
        )
        for row in rows
    )
    anchor = Markup('id="table-{0}" data-name="{0}" ').format(name) if name else Markup("")
    return str(
        Markup(
            '<table {}class="dataframe coldcache-table">\n<caption>{}</caption><thead>\n<tr>{}</tr>\n</thead>\n'
            "<tbody>\n{}\n</tbody>\n</table>"
        ).format(anchor, caption, head, body)
    )


def show_text(shown: pd.DataFrame) -> str:
    """Return a table as plain text, without links."""
    plain = shown.astype(object).map(
        lambda cell: Markup(without_links(cell)).unescape() if isinstance(cell, Markup) else cell
    )
    return str(plain.to_string(index=False))


def _to_markup(cell: Any) -> Markup:
    return cell if isinstance(cell, Markup) else escape(str(cell))


def _find_kind(column: list[Markup]) -> Markup:
    """Return the class of a column: numbers, sentences, or none."""
    texts = [Markup(without_links(cell)).unescape().strip() for cell in column]
    known = [text for text in texts if text not in _NOTHING]
    if known and all(_NUMBER.fullmatch(text) for text in known):
        return Markup(' class="number"')
    return Markup(' class="sentence"') if max(map(len, texts), default=0) >= _SENTENCE else Markup("")
