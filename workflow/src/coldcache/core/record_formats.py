"""Records as text: JSON lines, CSV for spreadsheets, or a table for people."""

import csv
import io
from collections.abc import Sequence

from coldcache.core.records import Record, to_json_lines
from coldcache.core.units import show_bytes, show_rate
from coldcache.core.vocabulary import FACTORS

FORMATS = ("jsonl", "csv", "table")

_COLUMNS = (
    "log", "tool", "tool_version", "operation", "metric", "statistic", "value", "unit", "repetition", "factors",
    "definition", "offset", "length", "printed", "caveats",
)  # fmt: skip
_HEADS = ("operation", "figure", "value", "printed", "of", "caveats")


def write_head(form: str) -> str:
    """Return what is printed once before all records."""
    return _write_rows([_COLUMNS]) if form == "csv" else ""


def write_records(records: Sequence[Record], log: str, form: str) -> str:
    """Return the records of one log, or some of them, in a format of `FORMATS`."""
    if form == "jsonl":
        return to_json_lines(records, log)
    return _write_csv(records, log) if form == "csv" else _write_table(records, log)


def _write_csv(records: Sequence[Record], log: str) -> str:
    return _write_rows(
        (
            log, one.tool, one.tool_version or "", one.operation, one.metric, one.statistic, repr(one.value), one.unit,
            "" if one.repetition is None else one.repetition, _join(one), one.definition, one.offset, one.length,
            one.printed, ";".join(one.caveats),
        )
        for one in records
    )  # fmt: skip


def _write_rows(rows: object) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)  # type: ignore[arg-type]
    return written.getvalue()


def _join(record: Record) -> str:
    return ";".join(f"{name}={value}" for name, value in record.factors.items())


def _write_table(records: Sequence[Record], log: str) -> str:
    """Return a heading with what all records share, and a row per record."""
    if not len(records):
        return ""
    first = records[0]
    shared = {
        name: value
        for name, value in first.factors.items()
        if all(other.factors.get(name) == value for other in records)
    }
    rows = [
        (
            one.operation + ("" if one.repetition is None else f" #{one.repetition}"),
            one.metric if one.statistic == "value" else f"{one.metric} {one.statistic}",
            show_rate(one.value, one.unit), one.printed,
            _show_factors({name: value for name, value in one.factors.items() if name not in shared}),
            " ".join(one.caveats),
        )
        for one in records
    ]  # fmt: skip
    widths = [max(map(len, column)) for column in zip(_HEADS, *rows, strict=True)]
    about = "; ".join(filter(None, [f"{first.tool} {first.tool_version or ''}".strip(), _show_factors(shared)]))
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in (_HEADS, *rows)]
    return "\n".join([f"{log} ({about})", *(f"  {line}".rstrip() for line in lines), "", ""])


def _show_factors(factors: dict[str, object]) -> str:
    return ", ".join(
        f"{name}={show_bytes(value)}"
        if name in FACTORS and FACTORS[name].unit == "B" and isinstance(value, int)
        else f"{name}={value}"
        for name, value in factors.items()
    )
