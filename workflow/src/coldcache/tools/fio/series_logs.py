"""Read the series that fio writes while it runs (``--write_bw_log``, ``--write_iops_log``, ``--write_lat_log``).

Specimen (3.33, ``log_avg_msec=200``)::

    200, 20640, 0, 0, 0
    200, 21880, 1, 0, 0

Columns: time in ms, value, direction (0 read, 1 write, 2 trim), size of the call in B, then, depending on the version,
offset (``log_offset``, 2.1.11), priority (always, since 3.18) and time of issue (``log_issue_time``). With
``log_window_value=both`` (3.37) the maximum follows the mean. There is no header, so a log does not say what its values
are; fio puts that into the file's name, ``NAME_bw.1.log``. Their meaning also depends on the size of the call:

===========  ====================  ==========================================================================
kind         size 0: windows       a size: calls or, before fio 2.10, intervals
===========  ====================  ==========================================================================
``bw``       KiB/s                 calls: 1000 B/s, its bytes over its latency; intervals: KiB/s
``iops``     1/s                   calls: always 1; intervals: 1/s
``..lat``    ns; us before 2.99    ns; us before 2.99
===========  ====================  ==========================================================================

The column of priorities proves fio 3.18 or later; without it, values whose meaning depends on the version are refused.
Two things cannot be detected: a series has no end marker, so one that was cut between two lines looks complete; and
with ``log_compression`` the windows of ``bw`` are means of their calls' bandwidths. Source: fio's ``iolog.c``,
``flush_samples``; ``stat.c``, ``add_bw_sample`` and ``__add_samples``; ``init.c``, ``gen_log_name``.
"""

import re
from typing import TYPE_CHECKING, NamedTuple

from coldcache.core.errors import LogError
from coldcache.core.records import UNIT_OF_METRIC, Record, SeriesRecords
from coldcache.tools.lines import name_line

#: Name of the tool in campaigns that import its logs.
TOOL = "fio_series"

if TYPE_CHECKING:
    import numpy as np

_KINDS = {"bw": "bw", "bandwidth": "bw", "iops": "iops", "lat": "lat", "latency": "lat", "clat": "clat", "slat": "slat"}
_NAMED_BY_FIO = re.compile(r"_(bw|iops|lat|clat|slat)(?:\.[0-9]+)?\.log")
_NAMED_FOR_ALL = re.compile(r"(?<![a-z])agg-(?:read|write|trim|mixed)_bw\.log")
_NAMED = re.compile(rf"(?<![a-z])({'|'.join(_KINDS)})(?![a-z])")

_NUMBER = rb"(?:0x[0-9a-f]{1,8}|[0-9]{1,19})"
_LINE = rb"[0-9]{1,15}(?:, " + _NUMBER + rb"){3,4096}(?:, )?\r?\n"
_RECOGNISED, _WITHIN = re.compile(_LINE), re.compile(rb"\n" + _LINE + _LINE)
#: The bytes of such lines.
_OF_POINTS = b"0123456789abcdefx, \r\n"
_TIME_AND_VALUE = rb"[0-9]{1,15}, [0-9]{1,18}, "
_ONE_VALUE = _TIME_AND_VALUE + rb"[0-2], [0-9]{1,18}"
_TWO_VALUES = _TIME_AND_VALUE + rb"[0-9]{1,18}, [0-2], 0"
_WITH_PRIORITY = rb"[0-9, ]*, (?:[01]|0x[0-9a-f]{4})\r?\n"
#: Lines per match; a possessive quantifier would match all at once, but is wrong before Python 3.11.5.
_LINES_AT_ONCE = 4096
_MOST_COLUMNS = 8
_OPERATIONS = ("read", "write", "trim")

#: Bytes that are parsed at a time.
_AT_ONCE = 2**20

WINDOW = "what fio notes for the window that ends here, the mean or, with log_max_value, the maximum: "
INTERVAL = "the interval that ends here: "
ONE_CALL = "one call: "
OF_KIND = {
    "bw": "bandwidth of one process",
    "iops": "calls per second of one process",
    "lat": "total latency (lat), from the start of the call to completion",
    "clat": "completion latency (clat), from handing over to completion",
    "slat": "submission latency (slat), until the call is handed over",
}
OF_ALL = "bandwidth of all processes (--bandwidth-log)"
BYTES_OVER_LATENCY = "its bytes over its latency, cut to 1000 B/s"

#: The stored value of a printed 1.
_SCALE = {"KiB/s": 1024.0, "kB/s": 1000.0, "IOPS": 1.0}


class _Meaning(NamedTuple):
    """What the values of one log are."""

    metric: str
    unit: str
    definition: str
    caveats: tuple[str, ...] = ("pattern-unknown",)


def recognise(log: bytes) -> bool:
    """Return whether the log starts with a line of a series or of histograms, or holds several after other output."""
    return _RECOGNISED.match(log) is not None or _WITHIN.search(log) is not None


def is_alone(log: bytes) -> bool:
    """Return whether a log holds points and nothing else: the output of this project's other tools has words."""
    return _RECOGNISED.match(log) is not None and not log.translate(None, _OF_POINTS)


def read(log: bytes) -> SeriesRecords:
    """Return every point of a series whose name is unknown; raises `LogError` as `read_named`."""
    return read_named(log, "")


def read_named(log: bytes, name: str) -> SeriesRecords:
    """Return every point of a series.

    Parameters
    ----------
    log : bytes
        The whole log, as fio wrote it.
    name : str
        The file's name, which says what the values are.

    Returns
    -------
    SeriesRecords
        One record per value, in the order of the lines. ``factors`` holds ``time`` in s on the log's clock (since the
        start of the job or, with ``log_unix_epoch``, since 1970) and the ``transfer_size`` of a single call. The job's
        pattern is not in the log: ``pattern-unknown``. Latencies of windows in five columns carry
        ``version-from-columns``: they are in ns unless fio before 2.99 was told to log the offsets of windows, which
        have none.

    Raises
    ------
    LogError
        If a line is broken or cut, the name does not say what the values are, time goes back (several processes in
        one file: ``per_job_logs=0``), or the meaning of the values depends on a version that the columns do not prove.
    """
    points, meaning = _read_points(log, name)
    return _make_series(points, meaning, log)


def read_processes(log: bytes, name: str) -> list[SeriesRecords]:
    """Return the series of each process in a log of all of them (``per_job_logs=0``): where time goes back, one ends.

    A process notes its whole series when it is done, so those of several are not mixed.

    Raises
    ------
    LogError
        As `read_named`, but for time that goes back.
    """
    found, start = [], 0
    for part in _split_processes(log):
        points, meaning = _read_points(part, name)
        found.append(_make_series(points._replace(offset=points.offset + start), meaning, log))
        start += len(part)
    return found


def _split_processes(log: bytes) -> list[bytes]:
    parts: list[list[bytes]] = []
    before = -1
    for line in log.splitlines(keepends=True):
        number, comma, _ = line.partition(b",")
        # A line that is broken or cut is refused with its part.
        time = int(number) if comma and number.isdigit() else before
        if time < before or not parts:
            parts.append([])
        parts[-1].append(line)
        before = time
    return [b"".join(part) for part in parts]


def _read_points(log: bytes, name: str) -> "tuple[_Points, _Meaning]":
    """Return the points of a series, and what its values are; raises `LogError` as `read_named`."""
    columns = log[: log.find(b"\n")].count(b",") + 1
    if columns > _MOST_COLUMNS:
        raise LogError("a series of histograms (--write_hist_log) is not read: use --write_lat_log")
    points = _find_points(log, columns)
    of_calls = bool(points.size[0])
    # A fifth column holds offsets or priorities; only the first call also has the offset 0.
    has_priorities = columns > 5 or (columns == 5 and _reach(_WITH_PRIORITY, log) == len(log))
    if has_priorities and columns == 5 and of_calls and len(points.time) == 1:
        has_priorities = False
    meaning = _find_meaning(name, of_calls, has_priorities)
    if columns == 5 and not of_calls and meaning.metric == "latency":
        # Windows also have the offset 0 if an old fio was told to log it.
        meaning = meaning._replace(caveats=(*meaning.caveats, "version-from-columns"))
    if of_calls and meaning.unit == "IOPS" and (points.values == 1).all():
        raise LogError("the log notes each call as 1, which is no rate: run fio with --log_avg_msec")
    _check_order(points, of_calls, meaning.definition.startswith(ONE_CALL))
    if not points.values.any():
        raise LogError("every value is zero: nothing was moved")
    return points, meaning


class _Points(NamedTuple):
    """The columns of a log, one row per line: whole numbers, as printed.

    Attributes
    ----------
    time, direction, size : ndarray (line)
        ``size`` is the size of the call.
    values, offset, length : ndarray (line, value)
        The value or, with ``log_window_value=both``, the mean and the maximum, and where they are.
    """

    time: "np.ndarray"
    direction: "np.ndarray"
    size: "np.ndarray"
    values: "np.ndarray"
    offset: "np.ndarray"
    length: "np.ndarray"


def _find_points(log: bytes, columns: int) -> _Points:
    """Return the points of a log; raise `LogError` if a line is broken or ambiguous."""
    more = rb"(?:, " + _NUMBER + rb"){%d}\r?\n"
    one = _reach(_ONE_VALUE + more % (columns - 4), log) if columns >= 4 else 0
    two = _reach(_TWO_VALUES + more % (columns - 5), log) if columns >= 6 else 0
    if max(one, two) < len(log):
        raise _broken(name_line(log, max(one, two)))
    numbers, offset, length = _take_apart(log, columns, 5 if two == len(log) else 4)
    # In a log with one value, the direction is in the place of the maximum, and smaller than the mean.
    smaller = (numbers[2] < numbers[1]).nonzero()[0] if two == len(log) else None
    if smaller is not None and not len(smaller) and one == len(log):
        raise LogError("the columns fit log_window_value=both as well as log_offset: their meaning is ambiguous")
    if smaller is not None and len(smaller) and one < len(log):
        raise _broken(f"line {smaller[0] + 1}")
    values = slice(1, 2) if one == len(log) else slice(1, 3)
    direction, size = numbers[values.stop], numbers[values.stop + 1]
    return _Points(numbers[0], direction, size, numbers[values].T, offset[values].T, length[values].T)


def _broken(line: str) -> LogError:
    return LogError(f"{line}: this is no point of fio's series: the log is broken or cut")


def _reach(line: bytes, log: bytes) -> int:
    """Return the end of the lines that match, one after another, from the start of a log."""
    lines, end = re.compile(rb"(?:" + line + rb"){1,%d}" % _LINES_AT_ONCE), 0
    while found := lines.match(log, end):
        end = found.end()
    return end


def _take_apart(log: bytes, columns: int, wanted: int) -> "tuple[np.ndarray, ...]":
    """Return the first `wanted` numbers of each line of a log, their offsets and their lengths: a row each."""
    # Imported here: the import takes longer than reading most logs, and all others need the standard library alone.
    try:
        import numpy as np
    except ImportError as error:
        raise LogError("a series of fio is read with numpy, which this Python lacks: pip install numpy") from error

    found, begin = [], 0
    while begin < len(log):
        end = log.rfind(b"\n", begin, begin + _AT_ONCE) + 1
        text = np.frombuffer(log, np.uint8, end - begin, begin)
        ends = np.flatnonzero((text == ord(",")) | (text == ord("\n"))).reshape(-1, columns).T
        starts = np.zeros((wanted, ends.shape[1]), np.int64)
        starts[0, 1:] = ends[-1, :-1] + 1
        starts[1:] = ends[: wanted - 1] + 2
        ends = ends[:wanted].copy()
        ends[-1] -= text[ends[-1] - 1] == ord("\r")
        lengths = ends - starts
        numbers = np.zeros_like(starts)
        for number, end_of, length in zip(numbers, ends, lengths, strict=True):
            for digit in range(length.max()):
                rows = np.flatnonzero(length > digit) if digit >= length.min() else slice(None)
                number[rows] += 10**digit * (text[end_of[rows] - 1 - digit] - ord("0")).astype(np.int64)
        found.append((numbers, starts + begin, lengths))
        begin = end
    return tuple(np.concatenate(parts, axis=1) for parts in zip(*found, strict=True))


def _check_order(points: _Points, of_calls: bool, is_one_call: bool) -> None:
    """Raise `LogError` if time goes back, lines are repeated, or calls and windows are mixed."""
    faults = []
    for direction in range(len(_OPERATIONS)):
        rows = (points.direction == direction).nonzero()[0]
        passed, values = points.time[rows][1:] - points.time[rows][:-1], points.values[rows, 0]
        faults += [
            (row, "time goes back: several processes in one file (per_job_logs=0), or lines out of order")
            for row in rows[1:][passed < 0][:1]
        ]
        if not is_one_call:
            faults += [
                (row, "a previous line says the same: lines appear twice")
                for row in rows[1:][(passed == 0) & (values[1:] == values[:-1])][:1]
            ]
    mixed = ((points.size > 0) != of_calls).nonzero()[0][:1]
    faults += [(row, "windows and calls are mixed: the log is put together from several") for row in mixed]
    if faults:
        row, why = min(faults)
        raise LogError(f"line {row + 1}: {why}")


def _find_meaning(name: str, of_calls: bool, has_priorities: bool) -> _Meaning:
    """Return what the values are; raise `LogError` if neither the file's name nor the columns say so.

    `of_calls` says whether the lines have the size of a call, `has_priorities` whether fio is 3.18 or newer.
    """
    by_fio = _NAMED_BY_FIO.search(name)
    kinds = {by_fio[1]} if by_fio else {_KINDS[word] for word in _NAMED.findall(name.lower())}
    if len(kinds) != 1:
        raise LogError(
            "fio's series do not say what they hold: keep fio's own name (..._bw.1.log, ..._iops.1.log, ..._clat.1.log)"
        )
    kind = kinds.pop()
    what = OF_KIND[kind]
    if kind == "bw":
        if not of_calls:
            if _NAMED_FOR_ALL.search(name):
                return _Meaning("throughput", "KiB/s", INTERVAL + OF_ALL)
            return _Meaning("throughput_per_process", "KiB/s", WINDOW + what)
        if not has_priorities:
            raise LogError(
                "a bandwidth log without --log_avg_msec holds 1000 B/s of each call or, before fio 2.10, KiB/s over"
                " time, and nothing in it states the version"
            )
        return _Meaning("throughput_per_process", "kB/s", ONE_CALL + BYTES_OVER_LATENCY)
    if kind == "iops":
        return _Meaning("rate", "IOPS", (INTERVAL if of_calls else WINDOW) + what)
    if not has_priorities:
        raise LogError("a latency log of fio before 3.18 does not say whether it is in ns or, before 2.99, in us")
    return _Meaning("latency", "ns", (ONE_CALL if of_calls else WINDOW) + what)


def _make_series(points: _Points, meaning: _Meaning, log: bytes) -> SeriesRecords:
    """Return one record per value."""
    import numpy as np

    metric, unit, definition, caveats = meaning
    statistics = ("value",) if points.values.shape[1] == 1 else ("mean", "max")
    stored = UNIT_OF_METRIC[metric]
    forms = tuple(
        Record("fio", None, operation, metric, statistic, 0.0, stored, None, definition, 0, 0, unit, caveats)
        for operation in _OPERATIONS
        for statistic in statistics
    )
    count, printed = len(statistics), points.values.ravel()
    return SeriesRecords(
        forms,
        log.decode("latin-1"),
        (points.direction[:, None] * count + np.arange(count)).ravel(),
        # Python divides integers of any length and rounds only once.
        printed * _SCALE[unit] if unit in _SCALE else np.array([number / 10**9 for number in printed.tolist()]),
        np.repeat(points.time / 1000, count),
        np.repeat(points.size, count),
        points.offset.ravel(),
        points.length.ravel(),
    )
