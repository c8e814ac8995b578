"""Write tables as CSV, complete or not at all, without cells that a spreadsheet would run as a formula.

This module needs pandas, which takes longer to import than most logs take to read, so it is separate from
`coldcache.core.files`, which runners and parsers use.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from coldcache.core.files import write_parts

#: Rows of a table whose text is in memory at once.
_ROWS_AT_ONCE = 50_000

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
        # What a part of a column of mixed types is shown as depends on the other parts.
        if not _is_of_one_type(kind):
            shown.isetitem(place, _disarm_column(shown.iloc[:, place]))
    write_parts(path, _format_parts(shown))


def _format_parts(table: pd.DataFrame) -> Iterator[str]:
    """Yield a table as CSV in parts: the text of a large one takes more memory than the table."""
    texts = [place for place, kind in enumerate(table.dtypes) if isinstance(kind, pd.StringDtype)]
    for begin in range(0, max(1, len(table)), _ROWS_AT_ONCE):
        part = table.iloc[begin : begin + _ROWS_AT_ONCE]
        for place in texts:
            part.isetitem(place, _disarm_column(part.iloc[:, place]))
        yield part.to_csv(index=False, header=begin == 0)


def _is_of_one_type(kind: Any) -> bool:
    return pd.api.types.is_numeric_dtype(kind) or isinstance(kind, pd.StringDtype)


def _disarm_column(column: pd.Series) -> pd.Series:
    shown = {value: disarm(value) for value in column.unique()}
    # Of texts hardly any is a formula, and a column that stays need not be made again.
    is_plain = isinstance(column.dtype, pd.StringDtype) and all(value is text for value, text in shown.items())
    return column if is_plain else column.map(shown)


def disarm(value: Any) -> Any:
    """Return a value as a spreadsheet cell that is shown and never run."""
    if isinstance(value, str) and _FORMULA.match(value) and not _NUMBERS.fullmatch(value):
        return f"'{value}"
    return value
