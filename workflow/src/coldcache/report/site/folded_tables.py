"""Tables of a notebook's page: each section shows one, the others are folded under their captions."""

import re
from typing import Any

_TABLE = re.compile(r'<table id="table-.*?</table>', re.S)
_CAPTION = re.compile(r"<caption>(.*?)(?: <span class=\"coldcache-links\">.*?</span>)?</caption>", re.S)


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
