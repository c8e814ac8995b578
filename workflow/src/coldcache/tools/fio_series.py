"""Read the series that fio writes while it runs (``--write_bw_log``, ``--write_iops_log``, ``--write_lat_log``).

Specimen (3.33, ``log_avg_msec=200``)::

    200, 20640, 0, 0, 0
    200, 21880, 1, 0, 0

Columns: time in ms, value, direction (0 read, 1 write, 2 trim), size of the call in B, then what the version has of
offset (``log_offset``, 2.1.11), priority (always, from 3.18 on) and time of issue (``log_issue_time``). With
``log_window_value=both`` (3.37) the maximum follows the mean. There is no head, so a log does not say what its values
are; fio puts that into the file's name, ``NAME_bw.1.log``. Their meaning depends on the size of the call as well:

===========  ====================  ==========================================================================
kind         size 0: windows       a size: calls or, before fio 2.10, intervals
===========  ====================  ==========================================================================
``bw``       KiB/s                 calls: 1000 B/s, its bytes over its latency; intervals: KiB/s
``iops``     1/s                   calls: always 1; intervals: 1/s
``..lat``    ns; us before 2.99    ns; us before 2.99
===========  ====================  ==========================================================================

The column of priorities proves a fio from 3.18 on; without it, what hangs on the version is refused. Two things are not
to be seen: a series has no end mark, so one that was cut between two lines holds what it held until then; and with
``log_compression`` the windows of ``bw`` hold the mean of their calls' bandwidths. Source: fio's ``iolog.c``,
``flush_samples``; ``stat.c``, ``add_bw_sample`` and ``__add_samples``; ``init.c``, ``gen_log_name``.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from coldcache.errors import LogError
from coldcache.records import UNIT_OF_METRIC, Record

_KINDS = {"bw": "bw", "bandwidth": "bw", "iops": "iops", "lat": "lat", "latency": "lat", "clat": "clat", "slat": "slat"}
_NAMED_BY_FIO = re.compile(r"_(bw|iops|lat|clat|slat)(?:\.[0-9]+)?\.log")
_NAMED_FOR_ALL = re.compile(r"(?<![a-z])agg-(?:read|write|trim|mixed)_bw\.log")
_NAMED = re.compile(rf"(?<![a-z])({'|'.join(_KINDS)})(?![a-z])")

_NUMBER = rb"(?:0x[0-9a-f]{1,8}|[0-9]{1,19})"
_RECOGNISED = re.compile(rb"[0-9]{1,15}(?:, " + _NUMBER + rb"){3,4096}(?:, )?\r?\n")
_TIME_AND_VALUE = rb"([0-9]{1,15}), ([0-9]{1,18}), "
_ONE_VALUE = _TIME_AND_VALUE + rb"()([0-2]), ([0-9]{1,18})"
_TWO_VALUES = _TIME_AND_VALUE + rb"([0-9]{1,18}), ([0-2]), (0)"
_WITH_PRIORITY = rb"[0-9, ]*, (?:[01]|0x[0-9a-f]{4})\r?\n"
#: Lines that one match takes; a possessive quantifier would take all, but matches wrongly before Python 3.11.5.
_LINES_AT_ONCE = 4096
_MOST_COLUMNS = 8
_NEWLINE = b"\n"
_OPERATIONS = {b"0": "read", b"1": "write", b"2": "trim"}
_ONE, _TWO = (("value", 2),), (("mean", 2), ("max", 3))

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

#: What a printed 1 is in the stored unit.
_SCALE = {"KiB/s": 1024.0, "kB/s": 1000.0, "IOPS": 1.0}

# Half the price of calling the class, on the path that every point takes.
_make_tuple = tuple.__new__


class _Meaning(NamedTuple):
    """What the values of one log are."""

    metric: str
    unit: str
    definition: str
    caveats: tuple[str, ...] = ("pattern-unknown",)


class _Point(Mapping[str, float]):
    """The factors of a point: ``time`` in s and, of a single call, ``transfer_size`` in B.

    A series may have millions of points, and a dictionary costs four times the memory.
    """

    __slots__ = ("_size", "_time")

    def __init__(self, time: float, size: int):
        self._time, self._size = time, size

    def __getitem__(self, key: str) -> float:
        if key == "time":
            return self._time
        if key == "transfer_size" and self._size:
            return self._size
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        return iter(("time", "transfer_size") if self._size else ("time",))

    def __len__(self) -> int:
        return 2 if self._size else 1


def recognise(log: bytes) -> bool:
    """Return whether the log begins with a line of a series, or of a series of histograms."""
    return _RECOGNISED.match(log) is not None


def read(log: bytes, name: str = "") -> list[Record]:
    """Return every point of a series.

    Parameters
    ----------
    log : bytes
        The whole log, as fio wrote it.
    name : str
        The file's name, which tells what the values are.

    Returns
    -------
    list of Record
        One per value, in the order of the lines. ``factors`` holds ``time`` in s on the log's clock (since the start of
        the job or, with ``log_unix_epoch``, since 1970) and the ``transfer_size`` of a single call. The job's pattern
        is not in the log: ``pattern-unknown``. Latencies of windows in five columns carry ``version-from-columns``:
        they are in ns unless a fio before 2.99 was told to log the offset of windows, which have none.

    Raises
    ------
    LogError
        If a line is broken or cut, the name does not tell what the values are, time goes back (several processes in
        one file: ``per_job_logs=0``), or what the values mean depends on a version that the columns do not prove.
    """
    columns = log[: log.find(b"\n")].count(b",") + 1
    if columns > _MOST_COLUMNS:
        raise LogError("a series of histograms (--write_hist_log) is not read: use --write_lat_log")
    line = _find_form(log, columns)
    first = next(line.finditer(log))
    of_calls = first[5] != b"0"
    # A fifth column holds offsets or priorities, and only the first call has the offset 0, too.
    has_priorities = columns > 5 or (columns == 5 and _reach(_WITH_PRIORITY, log) == len(log))
    if has_priorities and columns == 5 and of_calls and log.count(b"\n") == 1:
        has_priorities = False
    meaning = _find_meaning(name, of_calls, has_priorities)
    if columns == 5 and not of_calls and meaning.metric == "latency":
        # Windows have the offset 0, too, if an old fio was told to log it.
        meaning = meaning._replace(caveats=(*meaning.caveats, "version-from-columns"))
    if of_calls and meaning.unit == "IOPS" and all(point[2] == b"1" for point in line.finditer(log)):
        raise LogError("the log notes each call as 1, which is no rate: run fio with --log_avg_msec")
    records = _make_records(line, log, meaning, of_calls)
    if not any(record.value for record in records):
        raise LogError("every value is zero: nothing was moved")
    return records


def _find_form(log: bytes, columns: int) -> re.Pattern[bytes]:
    """Return what matches each line of a log, its groups time, value, maximum, direction and size of the call.

    Raises
    ------
    LogError
        If a line is broken, or if two forms match.
    """
    found, good = [], 0
    for form, least in ((_ONE_VALUE, 4), (_TWO_VALUES, 6)):
        if columns >= least:
            text = form + rb"(?:, " + _NUMBER + rb"){%d}\r?\n" % (columns - 4 - (form is _TWO_VALUES))
            line, end = re.compile(text), _reach(text, log)
            good = max(good, end)
            # Where there is one value, the direction stands in the place of the maximum, and is smaller than the mean.
            if end < len(log):
                continue
            if form is _ONE_VALUE or all(int(point[3]) >= int(point[2]) for point in line.finditer(log)):
                found.append(line)
    if len(found) == 1:
        return found[0]
    if found:
        raise LogError("the columns fit log_window_value=both as well as log_offset: it cannot be told what they are")
    where = log.count(b"\n", 0, good) + 1
    raise LogError(f"line {where}: this is no point of fio's series: the log is broken or cut")


def _reach(line: bytes, log: bytes) -> int:
    """Return where the lines end that match one after the other from the start of a log."""
    lines, end = re.compile(rb"(?:" + line + rb"){1,%d}" % _LINES_AT_ONCE), 0
    while found := lines.match(log, end):
        end = found.end()
    return end


def _find_meaning(name: str, of_calls: bool, has_priorities: bool) -> _Meaning:
    """Return what the values are; raise `LogError` if the file's name or the columns do not tell.

    `of_calls` says whether the lines bear the size of a call, `has_priorities` whether fio is 3.18 or newer.
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
                " time, and nothing in it tells the version"
            )
        return _Meaning("throughput_per_process", "kB/s", ONE_CALL + BYTES_OVER_LATENCY)
    if kind == "iops":
        return _Meaning("rate", "IOPS", (INTERVAL if of_calls else WINDOW) + what)
    if not has_priorities:
        raise LogError("a latency log of fio before 3.18 does not say whether it is in ns or, before 2.99, in us")
    return _Meaning("latency", "ns", (ONE_CALL if of_calls else WINDOW) + what)


def _make_records(line: re.Pattern[bytes], log: bytes, meaning: _Meaning, of_calls: bool) -> list[Record]:
    """Return one record per value; raise `LogError` if time goes back, or if calls and windows are mixed."""
    metric, unit, definition, caveats = meaning
    stored, scale, suffix = UNIT_OF_METRIC[metric], _SCALE.get(unit, 0.0), f" {unit}"
    is_one_call = definition.startswith(ONE_CALL)
    latest = dict.fromkeys(_OPERATIONS, (0, b""))
    factors = _Point(0.0, 0)
    of_factors = (-1, -1)
    records: list[Record] = []
    for point in line.finditer(log):
        begun, number, most, direction, bytes_of_call = point.groups()
        time, size = int(begun), int(bytes_of_call)
        earlier, same = latest[direction]
        if time < earlier:
            raise LogError(
                f"{_place(log, point)}: time goes back: several processes in one file (per_job_logs=0), or lines out of"
                " order"
            )
        if (size > 0) is not of_calls:
            raise LogError(f"{_place(log, point)}: windows and calls are mixed: the log is put together from several")
        if number == same and time == earlier and not is_one_call:
            raise LogError(f"{_place(log, point)}: a line before it says the same: lines stand there twice")
        latest[direction] = (time, number)
        if (time, size) != of_factors:
            factors = _Point(time / 1000, size)
            of_factors = (time, size)
        for statistic, group in _TWO if most else _ONE:
            printed = point[group].decode()
            start, end = point.span(group)
            records.append(
                _make_tuple(Record, (
                    "fio", None, _OPERATIONS[direction], metric, statistic,
                    int(printed) * scale if scale else float(printed + "e-9"), stored, None, definition, start,
                    end - start, printed + suffix, caveats, factors,
                ))
            )  # fmt: skip
    return records


def _place(log: bytes, point: re.Match[bytes]) -> str:
    """Return the number of the line of a point, for a message."""
    return f"line {log.count(_NEWLINE, 0, point.start()) + 1}"
