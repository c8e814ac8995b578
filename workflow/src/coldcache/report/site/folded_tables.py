"""What a page folds: tables after the first of a section; figures and sentences of which there are many."""

import re
from typing import Any

_TABLE = re.compile(r'<table id="table-.*?</table>', re.S)
_CAPTION = re.compile(r"<caption>(.*?)(?: <span class=\"coldcache-links\">.*?</span>)?</caption>", re.S)

_FIGURES = re.compile(r'(?:<figure class="coldcache-figure".*?</figure>\s*)+', re.S)
_FIGURE = re.compile(r'<figure class="coldcache-figure".*?</figure>', re.S)

#: Rows of a table, its heading among them, from which it scrolls in a box.
_LONG = 15

#: Sentences of which a page shows the first ones only.
_MANY_SENTENCES = 10

#: Figures in a row of which a page shows the first ones only, and how many of them, of sentences too.
_MANY, _SHOWN = 6, 4


def fold_figures(html: str) -> str:
    """Return HTML in which of many figures in a row all but the first four are folded."""

    def fold(row: re.Match[str]) -> str:
        figures = _FIGURE.findall(row[0])
        if len(figures) < _MANY:
            return row[0]
        rest = "\n".join(figures[_SHOWN:])
        summary = f"{len(figures) - _SHOWN} more figures"
        shown = "\n".join(figures[:_SHOWN])
        return (
            f'{shown}\n<details class="coldcache-fold coldcache-more"><summary>{summary}</summary>\n'
            f'<div class="coldcache-columns">{rest}</div></details>'
        )

    return _FIGURES.sub(fold, html)


def fold_sentences(sentences: list[str]) -> str:
    """Return Markdown with a paragraph per sentence; of many, all but the first four are folded."""
    if len(sentences) < _MANY_SENTENCES:
        return "\n\n".join(sentences)
    summary = f"{len(sentences) - _SHOWN} more sentences"
    fold = f'<details class="coldcache-fold"><summary>{summary}</summary>'
    return "\n\n".join([*sentences[:_SHOWN], fold, *sentences[_SHOWN:], "</details>"])


def fold_tables(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the cells of a notebook in which every table but the first of its section is folded."""
    shown, kept = False, []
    for cell in cells:
        if cell["cell_type"] == "markdown" and "".join(cell["source"]).lstrip().startswith("#"):
            shown = False
        outputs = []
        for output in cell.get("outputs", []):
            html = "".join(output.get("data", {}).get("text/html", ""))
            if _TABLE.search(html):
                html, shown = _fold(html, shown)
                output = {**output, "data": {**output["data"], "text/html": html}}
            outputs.append(output)
        kept.append({**cell, "outputs": outputs} if "outputs" in cell else cell)
    return kept


def _fold(html: str, shown: bool) -> tuple[str, bool]:
    """Return HTML with folded tables, and whether its section now shows one."""
    first = not shown

    parts = []
    for table in _TABLE.findall(html):
        if first:
            first = False
            continue
        caption = _CAPTION.search(table)
        summary = caption[1] if caption else "Table"
        fold = f'<details class="coldcache-fold"><summary>{summary}</summary>{_box(table)}</details>'
        parts.append((table, fold))
    if len(parts) < _MANY:
        for table, fold in parts:
            html = html.replace(table, fold, 1)
    else:
        # Many of one kind are behind one fold.
        folds = "\n".join(fold for _, fold in parts)
        (begin, _), *rest = parts
        for table, _ in rest:
            html = html.replace(table, "", 1)
        summary = f"{len(parts)} more tables"
        html = html.replace(begin, f'<details class="coldcache-fold"><summary>{summary}</summary>{folds}</details>', 1)
    shown_first = _TABLE.search(html) if not shown else None
    return (html.replace(shown_first[0], _box(shown_first[0]), 1) if shown_first else html), True


def _box(table: str) -> str:
    """Return a table, a long one in a box in which it scrolls."""
    return f'<div class="coldcache-long">{table}</div>' if table.count("<tr") > _LONG else table
