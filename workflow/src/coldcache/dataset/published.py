"""The numbers that the source documents state, each with its place and its grade."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from coldcache.core.errors import CampaignError
from coldcache.core.vocabulary import nearest

#: Where they lie.
VALUES = Path("raw/published/values.csv")

#: How a document states a number.
GRADES = ("table", "text", "figure")

#: The stored unit of each printed one, and what one of it is there. Others stand for what has no stored unit.
STORED_UNITS = {
    "GB/s": ("B/s", 1e9), "MB/s": ("B/s", 1e6), "IOPS": ("1/s", 1.0), "op/s": ("1/s", 1.0), "s": ("s", 1.0),
    "calls": ("1", 1.0), "operations": ("1", 1.0), "requests": ("1", 1.0), "entries": ("1", 1.0), "threads": ("1", 1.0),
    "times": ("1", 1.0), "percent": ("1", 0.01), "bytes": ("B", 1.0), "GB": ("B", 1e9),
}  # fmt: skip


class PublishedValue(NamedTuple):
    """One number of a document.

    Attributes
    ----------
    source, item : str
        The document, and the table, figure or section that states it.
    grade : str
        One of `GRADES`.
    system, benchmark, workload, operation, statistic, relation, note : str
        What it is of, in the document's terms; `relation` tells "about" and "above" from "=".
    threads : int or None
        Where it is of one number of threads.
    low, high : float
        The value, or the ends of a range, in `unit`.
    unit : str
        The stored unit.
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


def read_published(path: Path = VALUES) -> list[PublishedValue]:
    """Return every published value, in the order of the file; none where there is no such file.

    Raises
    ------
    CampaignError
        If a row has an unknown grade or unit, or no number; the message names file and line.
    """
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return [_read_row(row, f"{path}, line {line}") for line, row in enumerate(csv.DictReader(file), start=2)]


def tabulate_published(values: list[PublishedValue]) -> pd.DataFrame:
    """Return published values as a table of `PublishedValue`'s fields; ``threads`` is 0 where a value is of none."""
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


#: What a document's workload and operation are called here; the layout of files where it tells workloads apart.
_WORKLOADS = {
    "sequential N-N": ("file-per-thread", {"write": "write", "read": "read"}),
    "sequential N-1": ("shared-file", {"write": "write", "read": "read"}),
    "random N-N": ("", {"write": "random-write", "read": "random-read"}),
    "file metadata": ("", {name: f"file-{name}" for name in ("create", "stat", "read", "remove")}),
    "directory metadata": ("", {name: f"directory-{name}" for name in ("create", "stat", "remove")}),
    "throughput per physical core": ("", {"write": "write", "read": "read"}),
    "RPC count": ("", {"write": "write"}),
    "time": ("", {"write": "write"}),
    "limit": ("", {"write": "write", "read": "read"}),
}


def operation_of(value: PublishedValue) -> str:
    """Return the operation that a published value is of, by its name here; nothing where it is of none."""
    return _WORKLOADS.get(value.workload.removesuffix(" 4 KiB"), ("", {}))[1].get(value.operation, "")


def is_of(value: PublishedValue, items: Sequence[str], file_layout: str, operations: Sequence[str]) -> bool:
    """Return whether a published value is of a sweep: of its items, its layout of files and its operations."""
    layout = _WORKLOADS.get(value.workload.removesuffix(" 4 KiB"), ("", {}))[0]
    if value.item not in items or (layout and file_layout and layout != file_layout):
        return False
    return operation_of(value) in operations


#: How a document's words for a system name a level, and the factor's unit; 0 for names.
_LEVELS = (
    (r"^([mr]5n\.\w+)$", "instance_type", 0),
    (r"; (a?sync)$", "write_mode", 0),
    (r"; wsize (\d+) KiB$", "io_size", 1024),
    (r"; (\d+) OSTs$", "stripe_count", 1),
)


def level_of(value: PublishedValue) -> dict[str, str | int]:
    """Return the level of a factor of the system that a published value is of; nothing where it names none."""
    for pattern, factor, scale in _LEVELS:
        if match := re.search(pattern, value.system):
            return {factor: int(match[1]) * scale if scale else match[1]}
    return {}
