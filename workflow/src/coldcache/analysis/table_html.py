"""A table as HTML and as plain text; columns of numbers are aligned to the right."""

import re
from typing import Any

import pandas as pd
from markupsafe import Markup, escape

from coldcache.analysis.report_links import without_links

#: A number with an optional unit.
_NUMBER = re.compile(r"[<≥>−+-]?\s?\d[\d,]*(\.\d+)?(e[+-]?\d+)?\s?([%A-Za-zµ]{0,3}(/s)?|times)?")

#: What a cell of a column of numbers may hold instead.
_NOTHING = ("", "–", "none", "not stated")


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
    kinds = [Markup(' class="number"') if _holds_numbers(column) else Markup("") for column in columns]
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


def _holds_numbers(column: list[Markup]) -> bool:
    texts = [without_links(cell).strip() for cell in column]
    known = [text for text in texts if text not in _NOTHING]
    return bool(known) and all(_NUMBER.fullmatch(text) for text in known)
