"""Find the rows of mdtest's output: tables of results, rows of ``-v`` after each iteration, and rows per process.

Specimens (mdtest 1.9.3, 3.3.0 and 4.1 development)::

       File creation     :      18064.291      17943.519      18000.111         51.002
       File create (stonewall)   :             NA             NA     278684.526             NA
       File creation               161421.021     156012.202     158716.611       2704.4
    V-1: Rank   0 Line  1399   File creation     :          0.005 sec,      21635.737 ops/sec
    Test Directory rename 5.185355e+04,5.722497e+04

Printed by `summarize_results`, `file_test`, `directory_test` and `mdtest_iteration` of `mdtest.c`.
"""

import re
from bisect import bisect
from collections.abc import Sequence
from typing import NamedTuple

from coldcache.core.errors import LogError

#: Operations by the label of a row, in the order in which every version prints them.
ROW_OPERATIONS = {
    (b"Directory", b"creation"): "directory-create",
    (b"Directory", b"stat"): "directory-stat",
    (b"Directory", b"rename"): "directory-rename",
    (b"Directory", b"removal"): "directory-remove",
    (b"File", b"creation"): "file-create",
    (b"File", b"stat"): "file-stat",
    (b"File", b"read"): "file-read",
    (b"File", b"removal"): "file-remove",
    (b"File", b"create (stonewall)"): "stonewall",
    (b"Tree", b"creation"): "tree-create",
    (b"Tree", b"removal"): "tree-remove",
}
_ORDER = {operation: place for place, operation in enumerate(ROW_OPERATIONS.values())}

#: Prefixes before mdtest's own text: quoted mail, Open MPI's --tag-output, srun's --label.
PREFIX = rb"[ \t>|]*+(?:\[\d++,\d++\]<std\w++>:|\d++:)?[ \t]*+"

_NUMBER = rb"(\d{1,15}\.\d{3})"
# A mail that wraps a row continues after its quotation mark; elsewhere a row ends with its line.
_GAP = rb"(?:[ \t]+|[ \t]*\r?\n[ \t]*(?:>[ \t]*)+)"
_WORDS = rb"(File|Directory|Tree) (creation|stat|read|rename|removal|create \(stonewall\))"
_LABEL = re.compile(rb"\n" + PREFIX + _WORDS + rb"(?!\w)([ \t]*:)?")
_ROW = re.compile(_LABEL.pattern + rb"[ \t]+(?:\d|NA[ \t])")
_END = rb"[ \t]*\r?(?=\n|\Z)"
_FOUR = re.compile(_GAP + _GAP.join([_NUMBER] * 4) + _END)
_SEVEN = re.compile(_GAP + _GAP.join([_NUMBER] * 7) + _END)
_STONEWALL = re.compile(rb"[ \t]+NA[ \t]+NA[ \t]+" + _NUMBER + rb"[ \t]+NA" + _END)
_VERBOSE = re.compile(
    PREFIX + rb"V-1: (?:Rank +\d+ Line +\d+ )?(?:V-1: )?(?:main:? )? *"
    rb"(File|Directory|Tree) (creation|stat|read|rename|removal)( \(stonewall\))? *: *"
    + _NUMBER + rb" sec, *" + _NUMBER + rb" ops/sec" + _END
)  # fmt: skip
_VERBOSE_LINE = re.compile(rb"\n" + _VERBOSE.pattern)
_PROCESS_LINE = re.compile(rb"\n" + PREFIX + rb"(?:iteration: (\d{1,9})|(Test ))")
_SCIENTIFIC = rb"(?:-?\d\.\d{6}e[+-]\d{2,3}|inf|-?nan)"
_PROCESS = re.compile(rb"Test " + _WORDS + rb" *:? *(" + _SCIENTIFIC + rb"(?:," + _SCIENTIFIC + rb")*)" + _END)
_ITERATION = re.compile(rb"main: \* iteration (\d{1,9}) ")
_PROCESS_NUMBER = re.compile(rb"[^,]+")


class Row(NamedTuple):
    """One row: its operation, the places of its numbers, and the width of its label.

    Attributes
    ----------
    operation : str
        A value of `ROW_OPERATIONS`.
    spans : sequence of (int, int)
        First byte of each number, and the byte after it.
    values : list of float
        The numbers as printed.
    width : int
        Bytes of the label up to its colon: 18 up to 3.3 alpha, 26 in 3.3 and 3.4; 0 without a colon, as in 4.x.
    """

    operation: str
    spans: Sequence[tuple[int, int]]
    values: list[float]
    width: int


def refuse_row(log: bytes, start: int, what: str) -> LogError:
    """Return the error for a row that has its label but not its numbers."""
    text = log[start : start + 80].split(b"\n")[0].strip().decode("utf-8", "replace")
    return LogError(f"{what} is broken at byte {start}: {text!r}: take the log from the machine that wrote it")


def _row(match: re.Match[bytes], first: int, count: int, operation: str, width: int = 0) -> Row:
    stop = first + count
    return Row(operation, match.regs[first:stop], list(map(float, match.groups()[first - 1 : stop - 1])), width)


def count_rows(log: bytes, start: int, end: int) -> int:
    """Return how many lines between two bytes look like rows of a table: words and a number."""
    return sum(1 for _ in _ROW.finditer(log, start, end))


def has_rows(log: bytes, start: int, end: int) -> bool:
    """Return whether there is a row of a table or of ``-v`` between two bytes."""
    # Rows are found by the line end before them, and the first line has none.
    head = b"\n" + log[: min(end, 500)] if start == 0 else b""
    return any(
        form.search(log, start, end) is not None or form.match(head) is not None for form in (_ROW, _VERBOSE_LINE)
    )


def has_verbose_rows(log: bytes, start: int, end: int) -> bool:
    """Return whether there is a row of ``-v`` between two bytes."""
    return _VERBOSE_LINE.search(log, start, end) is not None


def read_table_rows(log: bytes, start: int, end: int) -> list[Row]:
    """Return the rows of the table whose heading ends at `start`.

    Parameters
    ----------
    log : bytes
        The whole log.
    start, end : int
        End of the line ``SUMMARY ...``, and the first byte after this run.

    Returns
    -------
    list of Row
        In order, up to ``Tree removal``; lines of other programs in between are skipped.

    Raises
    ------
    LogError
        If a row is broken, out of order or repeated, or if the last row is missing.
    """
    rows: list[Row] = []
    place, label = -1, _LABEL.search(log, start, end)
    while label is not None:
        operation = ROW_OPERATIONS.get((label[1], label[2]))
        pattern = _STONEWALL if operation == "stonewall" else _FOUR
        match = pattern.match(log, label.end(), end) or _SEVEN.match(log, label.end(), end)
        if operation is None or match is None:
            raise refuse_row(log, label.start(1), "a row of the SUMMARY")
        if _ORDER[operation] <= place:
            raise LogError(
                f"the SUMMARY has its row {operation} twice or out of order at byte {label.start(1)}: keep one run"
            )
        place = _ORDER[operation]
        colon = label[3] is not None
        width = label.end() - label.start(1) - colon
        rows.append(_row(match, 1, match.re.groups, operation, width if colon else 0))
        if operation == "tree-remove":
            return rows
        label = _LABEL.search(log, match.end(), end)
    raise LogError("the SUMMARY ends before its row 'Tree removal': the log is cut short")


def read_verbose(log: bytes, start: int, end: int) -> list[tuple[Row, int, bool]]:
    """Return the rows that ``-v`` prints after each iteration.

    Parameters
    ----------
    log : bytes
        The whole log.
    start, end : int
        The part that belongs to one test.

    Returns
    -------
    list of (Row, int, bool)
        Each with two numbers, seconds and operations per second; the iteration, counted from 0; and whether it is
        the row of the stonewall, whose second number is the number of items in a wrong format.

    Raises
    ------
    LogError
        If a row is broken, or precedes the first iteration.
    """
    found: list[tuple[Row, int, bool]] = []
    position = log.find(b" ops/sec", start, end)
    if position < 0:
        return found
    iterations = _iterations(log, start, end)
    while position >= 0:
        begin = log.rfind(b"\n", max(start, position - 200), position) + 1 or max(start, position - 80)
        match = _VERBOSE.match(log, begin, end)
        if match is None:
            raise refuse_row(log, begin, "a row of an iteration")
        iteration = bisect(iterations, begin) - 1
        if iteration < 0:
            raise LogError(f"the row of an iteration at byte {begin} precedes the first iteration: the log is cut")
        words, kind, stonewall, _, _ = match.groups()
        operation = ROW_OPERATIONS.get((words, kind))
        if operation is not None:
            found.append((_row(match, 4, 2, operation), iteration, stonewall is not None))
        position = log.find(b" ops/sec", match.end(), end)
    return found


def _iterations(log: bytes, start: int, end: int) -> list[int]:
    """Return where the iterations start; they must be counted from 1 without a gap."""
    places: list[int] = []
    position = log.find(b"main: * iteration ", start, end)
    while position >= 0:
        number = _ITERATION.match(log, position, end)
        if number is None or int(number[1]) != len(places) + 1:
            raise refuse_row(log, position, "the count of iterations")
        places.append(position)
        position = log.find(b"main: * iteration ", position + 1, end)
    return places


def read_processes(log: bytes, start: int, end: int) -> list[tuple[Row, int]]:
    """Return the rows of ``Per process result``, one number per rank, each with its iteration counted from 0.

    Parameters
    ----------
    log : bytes
        The whole log.
    start, end : int
        The part before the heading of a table.

    Raises
    ------
    LogError
        If a row is broken or the iterations are not counted from 0.
    """
    found: list[tuple[Row, int]] = []
    iteration = -1
    begin = log.find(b"Per process result (", start, end)
    for line in _PROCESS_LINE.finditer(log, begin, end) if begin >= 0 else ():
        if line[1] is not None:
            iteration += 1
            if int(line[1]) != iteration:
                raise refuse_row(log, line.start(), "the count of iterations")
            continue
        match = _PROCESS.match(log, line.start(2), end)
        if match is None or iteration < 0:
            raise refuse_row(log, line.start(2), "a row of each process")
        operation = ROW_OPERATIONS.get((match[1], match[2]))
        numbers = list(_PROCESS_NUMBER.finditer(log, match.start(3), match.end(3)))
        # One rank creates the tree: the values of the others are not initialised.
        if operation is not None and operation[:4] != "tree":
            spans, values = [number.span() for number in numbers], [float(number[0]) for number in numbers]
            found.append((Row(operation, spans, values, 0), iteration))
    return found
