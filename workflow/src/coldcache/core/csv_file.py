"""Write tables as CSV, complete or not at all, without cells that a spreadsheet would run as a formula.

This module needs pandas, which takes longer to import than most logs take to read, so it is separate from
`coldcache.core.files`, which runners and parsers use.
"""

import re
from pathlib import Path
from typing import Any

import pandas as pd

from coldcache.core.files import write_whole

#: First characters of spreadsheet formulae and commands, also in the wide letters of East Asian keyboards (OWASP).
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")

_NUMBER = r"[+-]?(\d[\d,]*\.?\d*|\.\d+|inf|nan)(e[+-]?\d+)?( ?%)?"

#: A number, a share, or several of them.
_NUMBERS = re.compile(rf"{_NUMBER}( {_NUMBER})*", re.IGNORECASE)


def write_csv(table: pd.DataFrame, path: Path) -> None:
    """Write a table as CSV, without its index.

    Parameters
    ----------
    table : DataFrame
        Its texts may come from logs, hosts and designs: those that a spreadsheet would run as formulae get an
        apostrophe in front. Numbers, also negative ones, stay as they are.
    path : Path
        The file.
    """
    shown = table.set_axis([disarm(name) for name in table.columns], axis="columns")
    for place, kind in enumerate(shown.dtypes):
        if not pd.api.types.is_numeric_dtype(kind):
            column = shown.iloc[:, place]
            shown.isetitem(place, column.map({value: disarm(value) for value in column.unique()}))
    write_whole(path, shown.to_csv(index=False))


def disarm(value: Any) -> Any:
    """Return a value as a spreadsheet cell that is shown and never run."""
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBERS.fullmatch(value):
        return f"'{value}"
    return value
