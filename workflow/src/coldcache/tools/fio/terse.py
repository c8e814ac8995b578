"""Read fio's terse output (``--output-format=terse``, ``--minimal``), version 3 of its format.

Specimen (3.33), one line per job or, with ``group_reporting``, per group::

    3;fio-3.33;plain;0;0;<41 fields of reads>;<41 of writes>;<processor, depths, latencies>;vda;0;0;0;0;0;0;0;0.00%

Bandwidths are in KiB/s, times in ms, latencies in us. The statistics of the disks follow, which all lines of a run
share, then the number of errors and the first of them with ``continue_on_error``, and the job's ``description``.

The format states neither how many lines a run has nor where it ends, so each line is read for itself, its records carry
``no-end-marker``, and two limits remain. A log that is cut after a whole line cannot be told from a whole log. The only
line of a job may be that of one of its processes; it is refused if the share of the group's rate that it states says
so, which it does if the job ran for longer than 0.5 s. Several lines of one job are refused: they may be its processes,
states of one run (``--status-interval``), or runs. Source: fio's
``stat.c``, ``show_thread_status_terse_all`` and ``show_ddir_status_terse``.
"""

import re
from collections.abc import Iterator
from operator import attrgetter

from coldcache.core.errors import LogError
from coldcache.tools.fio.directions import CALLS, LATENCIES, LONGEST, MOVED, SAMPLES
from coldcache.tools.fio.documents import place, plain
from coldcache.tools.fio.printed import Entry, FioFigure, FioRun, Side, scale_figure

_LINE = re.compile(r"^(?:[>| \t]*|<[^>\n]{0,255}> ?)([0-9]{1,2});(fio-[^;\n]{1,40});([^\n]*)(\n|\Z)", re.MULTILINE)
_VERSION = re.compile(r"fio-([23]\.[0-9]+\S*)")

#: Fields before the first side, of one side, between the sides and the disks, and of one disk.
_HEAD, _SIDE, _MIDDLE, _DISK = 5, 41, 34, 9

#: Fields before the disks.
_END = _HEAD + 2 * _SIDE + _MIDDLE

#: The first fields of a disk: its name and its numbers, without the last share in percent.
_PART_OF_DISK = re.compile(r"[^;]*[^;0-9][^;]*(?:;[0-9.]*){1,8}")

_FIRST_PERCENTILE, _PERCENTILES = 12, 20
_MOMENTS = ("min", "max", "mean", "stddev")
_NUMBER = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,12})?")
_PERCENTILE = re.compile(r"([0-9]{1,3}(?:\.[0-9]+)?)%=([0-9]{1,18})")


class _Field:
    """A field of a line: its text, and where it starts."""

    def __init__(self, text: str, start: int):
        self.text, self.start = text, start

    def number(self) -> float:
        if not _NUMBER.fullmatch(self.text):
            raise ValueError(self.text)
        return float(self.text)


def find_terse_runs(text: str) -> list[FioRun]:
    """Return the lines of a log, each as a run; a line that is there twice counts once.

    Raises
    ------
    LogError
        If a line is of another version of the format, is cut, or states an error; or if two lines may be of one run's
        processes.
    """
    runs: list[FioRun] = []
    known = dict[tuple[int, str, str], str]()
    for line in _LINE.finditer(text):
        if line[1] != "3":
            raise LogError(f"{place(text, line.start(1))}: terse output of version {line[1]}: only version 3 is read")
        entry, disks = _read_line(text, line)
        printed = text[line.start(1) : line.end(3)].rstrip("\r")
        keys = [(entry.group, "name", entry.name), (entry.group, "disks", disks)]
        if printed in map(known.get, keys):
            continue
        if not known.keys().isdisjoint(keys):
            raise LogError(
                f"{place(text, line.start(1))}: a second line of job {entry.name[:60]!r} or of its run: terse output"
                " does not say which lines are processes of one run; use --group_reporting, and a file for each run"
            )
        known |= dict.fromkeys(keys, printed)
        version = _VERSION.fullmatch(line[2])
        runs.append(FioRun(version[1] if version else None, {}, [entry], {}, ("no-end-marker",)))
    return runs


def _read_line(text: str, line: re.Match[str]) -> tuple[Entry, str]:
    """Return the result that a line states, and the statistics of its disks."""
    fields, start = [], line.start(1)
    for word in text[start : line.end(3)].rstrip("\r").split(";"):
        fields.append(_Field(word, start))
        start += len(word.encode("latin-1", "replace")) + 1
    where = place(text, line.start(1))
    if len(fields) < _END or not line[4]:
        raise LogError(f"{where}: a line of terse output has {len(fields)} fields: it is cut short")
    disks, rest = _part_disks([field.text for field in fields[_END:]])
    if _PART_OF_DISK.fullmatch(";".join(rest)):
        raise LogError(f"{where}: a line of terse output has {len(fields)} fields: it is cut short")
    name = plain(fields[2].text)
    try:
        group, error = int(fields[3].number()), int(fields[4].number())
        if error:
            raise LogError(f"{where}: job {name[:60]!r} ended with error {error}: its figures are void")
        if len(rest) > 1 and all(map(str.isdecimal, rest[:2])) and int(rest[0]):
            raise LogError(f"{where}: job {name[:60]!r} went on over {rest[0]} errors: its figures are void")
        sides = [
            side
            for number, side_name in enumerate(("read", "write"))
            for side in _read_side(where, side_name, fields[_HEAD + number * _SIDE : _HEAD + (number + 1) * _SIDE])
        ]
    except ValueError as error:
        raise LogError(f"{where}: a field of terse output is no number: {str(error)[:40]!r}") from error
    return Entry(name, group, None, line.start(1), sides), ";".join(disks)


def _part_disks(words: list[str]) -> tuple[list[str], list[str]]:
    """Return the fields of whole disks at the end of a line, and those after them."""
    ends = 0
    while words[ends + _DISK - 1 : ends + _DISK] and words[ends + _DISK - 1].endswith("%"):
        ends += _DISK
    return words[:ends], words[ends:]


def _read_side(where: str, name: str, fields: list[_Field]) -> Iterator[Side]:
    """Yield a side that moved something; raises `ValueError` for a field that is no number."""
    moved, bandwidth, rate = (field.number() for field in fields[:3])
    if not any((moved, bandwidth, rate)):
        return
    totals = (
        _figure(fields[1], "throughput", "value", MOVED, 1024, "KiB/s"),
        _figure(fields[2], "rate", "value", CALLS, 1, "IOPS"),
        _figure(fields[3], "elapsed", "value", LONGEST, 1e-3, "ms"),
    )
    figures = [*totals]
    for kind, first in (("slat", 4), ("clat", 8), ("lat", _FIRST_PERCENTILE + _PERCENTILES)):
        if fields[first + 1].number() or fields[first + 2].number():
            figures += [
                _figure(field, "latency", statistic, LATENCIES[kind], 1e-6, "us")
                for field, statistic in zip(fields[first : first + 4], _MOMENTS, strict=True)
            ]
    for field in fields[_FIRST_PERCENTILE : _FIRST_PERCENTILE + _PERCENTILES]:
        match = _PERCENTILE.fullmatch(field.text)
        if match is None:
            raise ValueError(field.text)
        # "0%=0" fills the list up.
        if float(match[1]):
            percentile = _Field(match[2], field.start + match.start(2))
            name_of = f"p{match[1].rstrip('0').rstrip('.') if '.' in match[1] else match[1]}"
            figures.append(_figure(percentile, "latency", name_of, LATENCIES["clat"], 1e-6, "us"))
    low, high, share, mean, deviation = fields[-5:]
    if mean.number():
        # The mean of the samples, as a share of the rate of the whole group.
        part = _Field(share.text.removesuffix("%"), share.start).number()
        if 0 < part < 100 and abs(mean.number() * 100 / part - bandwidth) > 0.01 * bandwidth + 1:
            raise LogError(f"{where}: this is one of several processes of its group; use --group_reporting, or JSON")
        figures += [
            _figure(field, "throughput", statistic, SAMPLES, 1024, "KiB/s")
            for field, statistic in zip((low, high, mean, deviation), _MOMENTS, strict=True)
        ]
    yield Side(name, fields[0].start, moved * 1024, 1024, *totals, None, sorted(figures, key=attrgetter("start")))


def _figure(field: _Field, metric: str, statistic: str, definition: str, scale: float, unit: str) -> FioFigure:
    is_exact = metric == "elapsed" or (metric == "latency" and "." in field.text)
    return FioFigure(
        metric, statistic, definition, scale_figure(field.text, scale), field.start, field.text, unit,
        0.0 if is_exact else scale,
    )  # fmt: skip
