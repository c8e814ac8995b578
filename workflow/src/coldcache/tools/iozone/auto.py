r"""Read the tables of IOzone's single-process mode (``iozone -a``, or without ``-t``), and the report of ``-R``.

Specimen (3.489): one row per file size and record size, one column per test, blank where a test was not asked for::

                  kB  reclen    write  rewrite    read    reread
                  64       4   771797  1734015  3363612  3791156

With ``-B`` the table ends before ``fwrite``, ``-E`` adds ``pwrite`` to ``repread``, and with ``-+n``, which does each
test once, the columns of the second times hold zeros. ``-R`` adds a report after the table, with a part per test and a
row per file size, which repeats its figures::

    "Writer report"
            "4"  "8"  "16"
    "64"   901377  1049372  1638743

Lines of others between the rows are passed over. A row that is lost is missed, because the lines above the table state
the sizes. Source: ``iozone.c``, ``auto_test``, ``begin`` and ``dump_excel``.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from coldcache.core.errors import LogError
from coldcache.core.records import UNIT_OF_METRIC, Record
from coldcache.core.units import KIB
from coldcache.tools.iozone.blocks import LINE_START, line_number, quote

#: The tests of the table's columns, in their order.
COLUMN_OPERATIONS = (
    "write", "rewrite", "read", "reread", "random-read", "random-write", "reverse-read", "record-rewrite",
    "stride-read", "fwrite", "frewrite", "fread", "freread", "pwrite", "repwrite", "pread", "repread",
)  # fmt: skip

#: Those that do a test for the second time.
_RETESTS = ("rewrite", "reread", "frewrite", "freread", "repwrite", "repread")

ALONE = "all that the only process moved, over the time of the test"

#: The operation of each part of the report of ``-R``, by its title.
_REPORTS = {
    b"Writer": "write", b"Re-writer": "rewrite", b"Reader": "read", b"Re-Reader": "reread",
    b"Random read": "random-read", b"Random write": "random-write", b"Backward read": "reverse-read",
    b"Record rewrite": "record-rewrite", b"Stride read": "stride-read", b"Fwrite": "fwrite",
    b"Re-Fwrite": "frewrite", b"Fread": "fread", b"Re-Fread": "freread",
}  # fmt: skip

#: A part of the heads of the columns.
COLUMN = b" reclen "

_HEADER = re.compile(
    rb"\n([^\n]*?[Kk]B +reclen +write +rewrite +read +reread +read +write +read +rewrite +read"
    rb"(?: +fwrite +frewrite +fread +freread(?: +pwrite +repwrite +pread +repread)?)?)[ \t\r]*(?=\n|\Z)"
)
_WORD = re.compile(rb"[A-Za-z]+")
_NUMBER = re.compile(rb"[0-9]{1,18}")
_PREFIX = re.compile(LINE_START)
_ROW = re.compile(rb"[ \t]*[0-9 \t\r]*\Z")
_NUMBERS = re.compile(rb"(?<![0-9])[0-9]{1,18}[ \t]+[0-9]{1,18}[ \t]+[0-9]")
_END = re.compile(LINE_START + rb"iozone test complete\.")
_CALLS = re.compile(LINE_START + rb"OPS Mode\. Output is in operations per second")
_TIMES = re.compile(LINE_START + rb"(?:Microseconds/op Mode|Output is in microseconds)")
_KIBIBYTES = re.compile(LINE_START + rb"Output is in [Kk][Bb]ytes/sec")
_DIRECT = re.compile(LINE_START + rb"O_DIRECT(?:IO)? feature enabled")
_ONCE = re.compile(LINE_START + rb"No retest option selected")
_COMMAND = re.compile(LINE_START + rb"Command line used: ")
_AUTO = re.compile(LINE_START + rb"Auto Mode[ \t\r]*\n")
_WITHOUT_CROSSOVER = re.compile(
    LINE_START + rb"(?:Cross over of record size disabled|Using Minimum Record Size |Record Size )"
)
_FILE_SIZE = re.compile(LINE_START + rb"File size set to ([0-9]{1,15}) [Kk]B")
_RECORD_SIZE = re.compile(LINE_START + rb"Record Size ([0-9]{1,15}) [Kk]B")
_FILE_RANGE = re.compile(LINE_START + rb"Using (minimum|maximum) file size of ([0-9]{1,15}) kilobytes")
_RECORD_RANGE = re.compile(LINE_START + rb"Using (Minimum|Maximum) Record Size ([0-9]{1,15}) [Kk]B")

#: The sizes of ``-a`` if the header states no others, in KiB, and the file size past which it skips small records.
_FILES, _RECORDS, _CROSSOVER, _LEAST_RECORD = (64, 524288), (4, 16384), 16384, 64

_TITLE = re.compile(LINE_START + rb'"([A-Z][A-Za-z -]{2,20}?) report"[ \t\r]*(?=\n|\Z)')
_LINE = re.compile(rb"\n([^\n]*)")
_QUOTED = re.compile(rb'"([0-9]{1,18})"')


class Cell(NamedTuple):
    """A figure of the table: its test, the sizes in KiB, and where the number is."""

    operation: str
    file_size: int
    record_size: int
    start: int
    printed: bytes


class AutoTable(NamedTuple):
    """The table of one call of IOzone, as printed, and the facts of its header."""

    version: str | None
    is_calls: bool
    direct_io: bool | None
    cells: list[Cell]


def find_header(log: bytes, start: int, end: int) -> re.Match[bytes] | None:
    """Return the heads of a table's columns between two places of a log with a line end before its first line."""
    # The expression tries every line, which takes many times as long as finding a word.
    return _HEADER.search(log, start, end) if log.find(COLUMN, start, end) >= 0 else None


def read_auto_table(log: bytes, start: int, end: int, version: str | None) -> AutoTable:
    """Return the table of one call.

    Parameters
    ----------
    log : bytes
        The log, with a line end before its first line.
    start, end : int
        Where the call's output is.
    version : str or None
        IOzone's.

    Raises
    ------
    LogError
        If the table is cut short, a row lacks a figure that others have, a rate is zero, the figures are times
        (``-N``), or the report of ``-R`` contradicts the table.
    """
    header = find_header(log, start, end)
    assert header is not None
    where = line_number(log, header.start(1))
    if _TIMES.search(log, start, end) or not (_CALLS.search(log, start, end) or _KIBIBYTES.search(log, start, end)):
        raise LogError(f"{where}: the table states no rates: only those of IOzone without -N are read")
    finish = _END.search(log, header.end(), end)
    if finish is None:
        raise LogError("IOzone did not print 'iozone test complete.': the run was cut short or is still going")
    columns = _place_columns(header[1])
    cells = [cell for line in _LINE.finditer(log, header.end(), finish.start()) for cell in _read_row(line, columns)]
    if _ONCE.search(log, start, header.start()):
        cells = [cell for cell in cells if cell.operation not in _RETESTS or int(cell.printed)]
    if not cells:
        raise LogError(f"{where}: the table has no row")
    _check(log, cells)
    _check_sizes(log, start, header.start(1), cells)
    _compare_report(log, cells, finish.end(), end)
    return AutoTable(
        version, _CALLS.search(log, start, end) is not None,
        True if _DIRECT.search(log, start, end) else False if version else None, cells,
    )  # fmt: skip


def records_of_table(table: AutoTable, repetition: int | None) -> list[Record]:
    """Return the records of a table, in its order."""
    metric, unit, scale = ("rate", "ops/sec", 1) if table.is_calls else ("throughput", "kB/sec", KIB)
    shared: dict[str, Any] = {} if table.direct_io is None else {"direct_io": table.direct_io}
    return [
        Record._make((
            "iozone", table.version, cell.operation, metric, "value", float(cell.printed) * scale,
            UNIT_OF_METRIC[metric], repetition, ALONE, cell.start - 1, len(cell.printed),
            f"{cell.printed.decode()} {unit}", (),
            {"threads": 1, "transfer_size": cell.record_size * KIB, "file_size": cell.file_size * KIB,
             "file_layout": "file-per-thread", **shared},
        ))
        for cell in table.cells
    ]  # fmt: skip


def _place_columns(heads: bytes) -> dict[int, int]:
    """Return the number of the column for each place where a figure of it may end: next to the end of its head."""
    ends = [word.end() for word in _WORD.finditer(heads)]
    columns = {end: column for column, end in enumerate(ends)}
    for column, end in enumerate(ends):
        columns.setdefault(end + 1, column)
        columns.setdefault(end - 1, column)
    return columns


def _read_row(line: re.Match[bytes], columns: dict[int, int]) -> Iterator[Cell]:
    """Yield the figures of one line of the table, none if it is of another; raise `LogError` if it is a broken row."""
    text, start = line[1], line.start(1)
    if not _NUMBERS.search(text):
        return
    prefix = _PREFIX.match(b"\n" + text)
    numbers = list(_NUMBER.finditer(text, prefix.end() - 1 if prefix else 0))
    if not _ROW.fullmatch(text, prefix.end() - 1 if prefix else 0):
        raise LogError(f"{line_number(line.string, start)}: no row of IOzone's table: {quote(text)}")
    places = []
    for number in numbers:
        # The heads of two columns end one character before their figures.
        near = columns.get(number.end())
        if near is None:
            raise LogError(f"{line_number(line.string, start)}: a figure is in no column: {quote(text)}")
        places.append(near)
    if places[:2] != [0, 1] or len(set(places)) < len(places):
        raise LogError(f"{line_number(line.string, start)}: the columns of the table overrun: {quote(text)}")
    file_size, record_size = int(numbers[0][0]), int(numbers[1][0])
    for place, number in zip(places[2:], numbers[2:], strict=True):
        yield Cell(COLUMN_OPERATIONS[place - 2], file_size, record_size, start + number.start(), number[0])


def _check(log: bytes, cells: list[Cell]) -> None:
    rows: dict[tuple[int, int], list[Cell]] = {}
    for cell in cells:
        rows.setdefault((cell.file_size, cell.record_size), []).append(cell)
    asked = [cell.operation for cell in next(iter(rows.values()))]
    for row in rows.values():
        where = line_number(log, row[0].start)
        if [cell.operation for cell in row] != asked or len(set(asked)) < len(asked):
            raise LogError(
                f"{where}: the row has figures of {len(row)} tests, the first row of {len(asked)}: it is cut, or twice"
            )
        if any(int(cell.printed) == 0 for cell in row):
            raise LogError(f"{where}: a rate is zero: the test failed, whatever IOzone exits with")
        if row[0].record_size > row[0].file_size or row[0].record_size == 0:
            raise LogError(f"{where}: records of {row[0].record_size} KiB in a file of {row[0].file_size} KiB")


def _check_sizes(log: bytes, start: int, end: int, cells: list[Cell]) -> None:
    """Raise `LogError` unless there is a row for each file and record size that the lines above the table state."""
    found = {(cell.file_size, cell.record_size) for cell in cells}
    if not _COMMAND.search(log, start, end):
        # These lines are not quoted. The rows confirm each other.
        files, records, skips = {size for size, _ in found}, {record for _, record in found}, len(found) > 1
    else:
        is_auto = _AUTO.search(log, start, end) is not None
        files = _list_sizes(log, start, end, _FILE_SIZE, _FILE_RANGE, _FILES if is_auto else (512, 512))
        records = _list_sizes(log, start, end, _RECORD_SIZE, _RECORD_RANGE, _RECORDS if is_auto else (4, 4))
        skips = is_auto and not _WITHOUT_CROSSOVER.search(log, start, end)
    expected = {
        (size, record)
        for size in files for record in records
        if record <= size and not (skips and size > _CROSSOVER and record < _LEAST_RECORD)
    }  # fmt: skip
    if found != expected:
        size, record = min(found ^ expected)
        why = "lacks the row" if (size, record) in expected else "has a row that its header does not ask for"
        raise LogError(f"{line_number(log, end)}: the table {why}: records of {record} KiB in a file of {size} KiB")


def _list_sizes(
    log: bytes, start: int, end: int, one: re.Pattern[bytes], limits: re.Pattern[bytes], usual: tuple[int, int]
) -> set[int]:
    """Return the sizes that the lines above a table state, in KiB, or the usual ones."""
    listed = {int(size) for size in one.findall(log, start, end)}
    stated = {word.lower(): int(size) for word, size in limits.findall(log, start, end)}
    least, most = stated.get(b"minimum", usual[0]), stated.get(b"maximum", usual[1])
    return listed or {least << power for power in range(64) if least << power <= most}


def _compare_report(log: bytes, cells: list[Cell], start: int, end: int) -> None:
    """Raise `LogError` if the report of ``-R`` states what the table does not."""
    stated = {(cell.operation, cell.file_size, cell.record_size): int(cell.printed) for cell in cells}
    titles = list(_TITLE.finditer(log, start, end))
    for number, title in enumerate(titles):
        until = titles[number + 1].start() if number + 1 < len(titles) else end
        sizes: list[int] = []
        for line in _LINE.finditer(log, title.end(), until):
            heads = [int(size) for size in _QUOTED.findall(line[1])]
            figures = [int(figure) for figure in _NUMBER.findall(_QUOTED.sub(b"", line[1]))]
            if len(heads) > 1 or (heads and not figures):
                sizes = heads
            elif heads and title[1] in _REPORTS:
                _compare_row(line, _REPORTS[title[1]], heads[0], sizes, figures, stated)


def _compare_row(
    line: re.Match[bytes], operation: str, file_size: int, sizes: list[int], figures: list[int],
    stated: dict[tuple[str, int, int], int],
) -> None:  # fmt: skip
    of_row = [(size, stated[operation, file_size, size]) for size in sizes if (operation, file_size, size) in stated]
    # A record size that was left out for this file has a 0.
    if [figure for figure in figures if figure] != [figure for _, figure in of_row]:
        where = line_number(line.string, line.start(1))
        raise LogError(f"{where}: the report of -R contradicts the table above it: {quote(line[1])}")
