"""Published values: the numbers that the source documents state, with their place and grade."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from coldcache.core.errors import CampaignError
from coldcache.core.program_files import find_file
from coldcache.core.vocabulary import nearest

if TYPE_CHECKING:
    import pandas as pd

#: The file that holds them.
VALUES = Path("config/published/values.csv")

#: Grades: how a document states a number.
GRADES = ("table", "text", "figure")

#: For each printed unit the stored unit and the factor to convert to it.
STORED_UNITS = {
    "GB/s": ("B/s", 1e9), "MB/s": ("B/s", 1e6), "IOPS": ("1/s", 1.0), "op/s": ("1/s", 1.0), "s": ("s", 1.0),
    "calls": ("1", 1.0), "operations": ("1", 1.0), "requests": ("1", 1.0), "entries": ("1", 1.0), "threads": ("1", 1.0),
    "times": ("1", 1.0), "percent": ("1", 0.01), "bytes": ("B", 1.0), "GB": ("B", 1e9),
}  # fmt: skip

#: A whole number, or the whole part of one, that takes commas.
_THOUSANDS = re.compile(r"(?<![.\d])\d{4,}")


class PublishedValue(NamedTuple):
    """One number that a document states.

    Attributes
    ----------
    source, item : str
        The document, and the table, figure or section that states it.
    grade : str
        One of `GRADES`.
    system, benchmark, workload, operation, statistic, relation, note : str
        What was measured, in the document's terms; `relation` is "=", "range", "about" or "above".
    threads : int or None
        The thread count; None if the document states none.
    low, high : float
        The value, or the ends of a range, in `unit`.
    unit : str
        A stored unit: ``B/s``, ``1/s``, ``s``, ``1`` or ``B``.
    printed : str
        The value and its unit, as printed.
    """

    source: str
    item: str
    grade: str
    system: str
    benchmark: str
    workload: str
    operation: str
    statistic: str
    relation: str
    note: str
    threads: int | None
    low: float
    high: float
    unit: str
    printed: str

    @property
    def shown(self) -> str:
        """The value and its unit as pages show them, with commas between thousands."""
        return _THOUSANDS.sub(lambda found: f"{int(found[0]):,}", self.printed)


#: The columns of the file.
_COLUMNS = {*PublishedValue._fields, "value"} - {"low", "high", "printed"}


def list_rows(path: Path = VALUES) -> list[tuple[int, list[str]]]:
    """Return the number and the cells of each line that is not blank, first the names of the columns.

    Parameters
    ----------
    path : Path
        The file of values; empty if there is none.
    """
    path = find_file(path)
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        lines = csv.reader(file)
        return [(lines.line_num, row) for row in lines if row]


def read_lines(path: Path = VALUES) -> dict[int, PublishedValue]:
    """Return every published value by the number of its line; none if there is no file.

    Raises
    ------
    CampaignError
        If a row has too few cells or too many, an unknown grade or unit, or no number, or if a column is missing; the
        message names file and line.
    """
    path = find_file(path)
    (first, names), *rows = list_rows(path) or [(1, [])]
    if rows and (missing := sorted(_COLUMNS - set(names))):
        raise CampaignError(f"{path}, line {first}: no column {', '.join(missing)}; see {path.parent}/README.md")
    found = {}
    for line, row in rows:
        if len(row) != len(names):
            raise CampaignError(
                f"{path}, line {line}: {len(row)} cells for {len(names)} columns; put a cell with commas into quotes"
            )
        found[line] = _read_row(dict(zip(names, row, strict=True)), f"{path}, line {line}")
    return found


def read_published(path: Path = VALUES) -> list[PublishedValue]:
    """Return every published value in the order of the file; an empty list if there is no file.

    Raises
    ------
    CampaignError
        As `read_lines`.
    """
    return list(read_lines(path).values())


def tabulate_published(values: list[PublishedValue]) -> "pd.DataFrame":
    """Return published values as a table of their fields; ``threads`` is 0 for values without a thread count."""
    # Imported here because the import takes longer than most plans, which check the claims on these values.
    import pandas as pd

    return pd.DataFrame(
        [value._replace(threads=value.threads or 0) for value in values], columns=PublishedValue._fields
    )


def _read_row(row: dict[str, str], where: str) -> PublishedValue:
    for key, known in (("grade", list(GRADES)), ("unit", list(STORED_UNITS))):
        if row[key] not in known:
            raise CampaignError(f'{where}: unknown {key} "{row[key]}"; {nearest(row[key], known)}')
    unit, scale = STORED_UNITS[row["unit"]]
    try:
        low, _, high = row["value"].partition("-")
        ends = float(low) * scale, float(high or low) * scale
        threads = int(row["threads"]) if row["threads"] else None
    except ValueError as error:
        raise CampaignError(f"{where}: {error}") from error
    words = {key: row[key] for key in PublishedValue._fields if key in row and key not in ("threads", "unit")}
    return PublishedValue(
        **words, threads=threads, low=ends[0], high=ends[1], unit=unit, printed=f"{row['value']} {row['unit']}"
    )


#: For each workload of the documents the layout of its files, if that is part of its name, and its operations.
_WORKLOADS: dict[str, tuple[str | None, dict[str, str]]] = {
    "sequential N-N": ("file-per-thread", {"write": "write", "read": "read"}),
    "sequential N-1": ("shared-file", {"write": "write", "read": "read"}),
    "random N-N": (None, {"write": "random-write", "read": "random-read"}),
    "file metadata": (None, {name: f"file-{name}" for name in ("create", "stat", "read", "remove")}),
    "directory metadata": (None, {name: f"directory-{name}" for name in ("create", "stat", "remove")}),
    "throughput per physical core": (None, {"write": "write", "read": "read"}),
    "RPC count": (None, {"write": "write"}),
    "time": (None, {"write": "write"}),
    "limit": (None, {"write": "write", "read": "read"}),
}


def operation_of(value: PublishedValue) -> str | None:
    """Return the operation of a published value by its name in this program; None if it has no counterpart."""
    _, operations = _find_workload(value)
    return operations.get(value.operation)


def is_of(value: PublishedValue, items: Sequence[str], file_layout: str, operations: Sequence[str]) -> bool:
    """Return whether a published value belongs to a sweep with these items, file layout and operations."""
    layout, _ = _find_workload(value)
    if value.item not in items or (layout and file_layout and layout != file_layout):
        return False
    return operation_of(value) in operations


def _find_workload(value: PublishedValue) -> tuple[str | None, dict[str, str]]:
    """Return the file layout, if its name states one, and the operations of a value's workload."""
    return _WORKLOADS.get(value.workload.removesuffix(" 4 KiB"), (None, {}))


#: Patterns that find a level in a document's name of a system, with the factor and its unit; 0 for names.
_LEVELS = (
    (r"^([mr]5n\.\w+)$", "instance_type", 0),
    (r"; (a?sync)$", "write_mode", 0),
    (r"; wsize (\d+) KiB$", "io_size", 1024),
    (r"; (\d+) OSTs$", "stripe_count", 1),
)


def level_of(value: PublishedValue) -> dict[str, str | int]:
    """Return the factor and level that a published value's system names; an empty dict if it names none."""
    for pattern, factor, scale in _LEVELS:
        if match := re.search(pattern, value.system):
            return {factor: int(match[1]) * scale if scale else match[1]}
    return {}
