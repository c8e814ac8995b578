"""Tables under the figures: short enough to read, exact enough to guard the numbers."""

from pathlib import Path
from typing import Any

import pandas as pd


class Table:
    """A table that notebooks and pages display as it is, and that nbval compares.

    Parameters
    ----------
    frame : DataFrame
        Its cells as they are to be read; units stand in the headings or beside the figures.
    caption : str
        What it holds.
    """

    def __init__(self, frame: pd.DataFrame, caption: str):
        self.frame, self.caption = frame, caption

    def save(self, dataset: str | Path, name: str, numbers: pd.DataFrame) -> "Table":
        """Write `numbers`, units in their headings, beside the dataset as `tables/<name>.csv`; return the table."""
        path = Path(dataset).parent / "tables" / f"{name}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        numbers.to_csv(path, index=False)
        return self

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        html = self.frame.to_html(index=False, border=0, escape=True, classes="coldcache-table", justify="left")
        caption = pd.io.formats.printing.pprint_thing(self.caption)
        html = html.replace("<thead>", f"<caption>{caption}</caption><thead>", 1).replace("<th>", '<th scope="col">')
        return {"text/plain": self.frame.to_string(index=False), "text/html": html}
