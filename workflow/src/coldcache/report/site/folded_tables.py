"""What a notebook's page folds: every table but the first of its section, and figures of which there are many."""

import re
from typing import Any

_TABLE = re.compile(r'<table id="table-.*?</table>', re.S)
_CAPTION = re.compile(r"<caption>(.*?)(?: <span class=\"coldcache-links\">.*?</span>)?</caption>", re.S)

_FIGURES = re.compile(r'(?:<figure class="coldcache-figure".*?</figure>\s*)+', re.S)
_FIGURE = re.compile(r'<figure class="coldcache-figure".*?</figure>', re.S)

#: Figures in a row of which a page shows the first ones only, and how many of them.
_MANY, _SHOWN = 7, 2


def fold_figures(html: str) -> str:
    """Return HTML in which of many figures in a row all but the first two are folded."""

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

    def fold(table: re.Match[str]) -> str:
        nonlocal first
        if first:
            first = False
            return table[0]
        caption = _CAPTION.search(table[0])
        summary = caption[1] if caption else "Table"
        return f'<details class="coldcache-fold"><summary>{summary}</summary>{table[0]}</details>'

    return _TABLE.sub(fold, html), True
