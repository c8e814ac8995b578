"""Make records from one side (read, write, trim) of a job in fio's JSON."""

import re
from collections.abc import Mapping
from functools import lru_cache
from operator import attrgetter
from typing import Any, NamedTuple

from coldcache.core.errors import LogError
from coldcache.core.records import UNIT_OF_METRIC, VERIFIED, Record
from coldcache.tools.fio.options import (
    OPERATION_OF_ENGINE,
    bytes_moved,
    name_factors,
    name_fio_operation,
    operation_on_names,
    take_number,
    verifies_reads,
)
from coldcache.tools.json_offsets import Member, find_figures, match_figure, scan_object
from coldcache.tools.lines import name_line

SIDES = ("read", "write", "trim", "mixed")

MOVED = "all that the job's processes moved, over the longest of their run times"
CALLS = "all calls of the job's processes, over the longest of their run times"
LONGEST = "the longest run time of the job's processes"
TOTAL = "calls of all of the job's processes"
SAMPLES = "samples over time (bwavgtime), as fio merges those of the job's processes"
ONE_PROCESS = "one process of several: "
ONE_CLIENT = "one client of several: "
LATENCIES = {
    "slat": "submission latency (slat): until the call is handed over",
    "clat": "completion latency (clat): from handing over to completion",
    "lat": "total latency (lat): from the start of the call to completion",
}

#: Keys of a job or of a whole result that never occur inside a side.
_OUTER = frozenset(("jobname", "groupid", "job options", "jobs", *SIDES))

#: The repeated entry with which fio 2.x, and 3.x before 3.2, pads a list of percentiles.
_PADDING = '"0.00"'

_PERCENTILE = re.compile(r"[0-9]{1,3}(?:\.[0-9]+)?")

_OFFSET = attrgetter("offset")
_MOMENTS = ("min", "max", "mean", "stddev")
_SAMPLED = (
    ("bw_", ("bw_min", "bw_max", "bw_mean", "bw_dev"), "KiB/s"),
    ("iops_", ("iops_min", "iops_max", "iops_mean", "iops_stddev"), "IOPS"),
)
#: Power of ten between the printed and the stored unit; KiB also need a factor of 1,024.
_POWER = {"B/s": "", "KiB/s": "", "IOPS": "", "I/Os": "", "ms": "e-3", "us": "e-6", "ns": "e-9"}


#: The statistic of a number, and where the number starts and ends.
_Place = tuple[str, int, int]


class JobFacts(NamedTuple):
    """Facts about a job that its sides share.

    Attributes
    ----------
    text : str
        The log, one character per byte.
    version : str or None
        fio's version.
    name : str
        The job's name.
    options : mapping or None
        The job's options; None if the log does not print them.
    threads : int or None
        Processes of the reporting group.
    is_whole : bool
        Whether the entry is its whole reporting group, not one process of several.
    clients : int or None
        Clients of a client/server run; None for other runs.
    """

    text: str
    version: str | None
    name: str
    options: Mapping[str, str] | None
    threads: int | None
    is_whole: bool
    clients: int | None


def is_active(side: Any) -> bool:
    """Return whether a side of a job, as plain JSON, moved anything."""
    return isinstance(side, dict) and bool(
        side.get("io_bytes") or side.get("total_ios") or side.get("bw_bytes") or side.get("bw") or side.get("iops")
    )


def read_side(origin: JobFacts, side: str, member: Member) -> list[Record]:
    """Return the values of one side of a job.

    Raises
    ------
    LogError
        If the side moved something at a rate of zero, lacks a figure, or contradicts itself.
    """
    reader = _Side(origin, side, member)
    reader.add_rates()
    if not reader.has_body:
        reader.add_latencies()
    reader.add_samples()
    reader.records.sort(key=_OFFSET)
    return reader.records


class _Side:
    """One side of a job, with the records made so far."""

    def __init__(self, origin: JobFacts, side: str, member: Member):
        self.origin = origin
        self.plain, self.start, self.end = member
        #: Whether every key occurs once, and all values are numbers or objects of numbers.
        quotes = origin.text.count('"', self.start, self.end) - 2 * origin.text.count(_PADDING, self.start, self.end)
        self.is_simple = quotes == 2 * _count_keys(self.plain)
        if not self.is_simple:
            self.scan(self.start)
        self.operation, caveat = name_fio_operation(side, origin.options, origin.name)
        inner = [value for value in self.plain.values() if isinstance(value, dict)]
        if not all(map(_OUTER.isdisjoint, (self.plain, *inner))):
            raise self.error("it holds parts of another job: lines are mixed up")
        verified = VERIFIED if side == "read" and verifies_reads(origin.options) else None
        self.caveats = tuple(code for code in (caveat, verified) if code)
        moved, calls = bytes_moved(self.plain), take_number(self.plain, "total_ios")
        self.factors = name_factors(side, origin.options, origin.threads, moved, calls)
        if origin.clients is not None:
            self.factors["clients"] = origin.clients
        self.names_only = operation_on_names(origin.options) is not None
        #: A call of it is a part of the operation only, and so is its latency.
        self.has_body = self.names_only and (origin.options or {}).get("ioengine") not in OPERATION_OF_ENGINE
        self.throughput = "throughput" if origin.is_whole else "throughput_per_process"
        self.scope = (ONE_CLIENT if (origin.clients or 0) > 1 else "") + ("" if origin.is_whole else ONE_PROCESS)
        self.records: list[Record] = []

    def find(self, key: str) -> Member:
        """Return a member of the side; raise `LogError` if it has two values, or cannot be found."""
        text, quoted = self.origin.text, f'"{key}"'
        at = text.find(quoted, self.start, self.end)
        number = match_figure(text, at) if self.is_simple and text.find(quoted, at + 1, self.end) < 0 else None
        if number:
            return Member(self.plain[key], *number.span(2))
        return self.scan(self.start)[key]

    def scan(self, start: int) -> dict[str, Member]:
        """Return the members of an object of the side; raise `LogError` if one of them has two values."""
        try:
            return scan_object(self.origin.text, start)[0]
        except ValueError as error:
            line = name_line(self.origin.text, start)
            raise LogError(f"{line}: job {self.origin.name[:60]!r} gives two values for one figure") from error

    def add(self, places: list[_Place], metric: str, definition: str, unit: str, *more: str) -> None:
        """Append a record with the caveats `more` for each figure; raise `LogError` for text that is not a number."""
        origin, operation, factors, append = self.origin, self.operation, self.factors, self.records.append
        text, version, stored = origin.text, origin.version, UNIT_OF_METRIC[metric]
        make = Record._make
        definition, caveats, power, suffix = self.scope + definition, self.caveats + more, _POWER[unit], f" {unit}"
        for statistic, start, end in places:
            printed = text[start:end]
            try:
                value = float(printed + power)
            except ValueError:
                value = _divide(printed, power)
            if not 0 <= value < 1e300:
                raise self.error(f"{printed[:40]!r} is no figure", start)
            if unit == "KiB/s":
                value *= 1024
            append(
                make((
                    "fio", version, operation, metric, statistic, value, stored, None, definition, start,
                    end - start, printed + suffix, caveats, factors,
                ))
            )  # fmt: skip

    def add_value(self, key: str, metric: str, definition: str, unit: str, *more: str) -> float:
        """Append the figure of a key of the side itself, and return it."""
        if key not in self.plain:
            raise self.error(f"{key} is missing")
        member = self.find(key)
        self.add([("value", member.start, member.end)], metric, definition, unit, *more)
        return self.records[-1].value

    def add_rates(self) -> None:
        """Append throughput, rate, elapsed time and count; raise `LogError` if they are zero or disagree."""
        seconds = self.add_value("runtime", "elapsed", LONGEST, "ms")
        is_whole_number = type(self.plain.get("iops")) is int
        frequency = self.add_value("iops", "rate", CALLS, "IOPS", *(("rounded",) if is_whole_number else ()))
        rate, unit = None, 1
        if not self.names_only:
            if "bw_bytes" in self.plain:
                rate = self.add_value("bw_bytes", self.throughput, MOVED, "B/s")
            else:
                rate, unit = self.add_value("bw", self.throughput, MOVED, "KiB/s", "rounded"), 1024
        if not seconds or not frequency or rate == 0:
            raise self.error("a rate is zero although something was moved: the job failed or was too short")
        if "total_ios" in self.plain:
            calls = self.add_value("total_ios", "count", TOTAL, "I/Os")
            if abs(frequency * seconds - calls) > (seconds if is_whole_number else 1e-6 * seconds) + 1e-9 * calls:
                raise self.error("iops, runtime and total_ios contradict each other: a digit is lost")
        # fio truncates its figures.
        total = bytes_moved(self.plain)
        if (
            rate
            and total
            and not -1e-9 * total <= total - rate * seconds + (unit == 1024) * 1024 <= unit * (seconds + 2)
        ):
            raise self.error("bandwidth, runtime and io_bytes contradict each other: a digit is lost")

    def add_latencies(self) -> None:
        """Append the moments and percentiles of the measured latencies."""
        for kind, definition in LATENCIES.items():
            key, unit = (f"{kind}_ns", "ns") if f"{kind}_ns" in self.plain else (kind, "us")
            plain = self.plain.get(key)
            if isinstance(plain, dict) and plain.get("N", plain.get("max") or plain.get("mean")):
                self.add(self.find_latencies(key, plain), "latency", definition, unit)

    def find_latencies(self, key: str, plain: dict[str, Any]) -> list[_Place]:
        """Return the statistics of one kind of latency."""
        text, quoted, percentiles = self.origin.text, f'"{key}"', plain.get("percentile")
        layout = _lay_out(tuple(plain), tuple(percentiles) if isinstance(percentiles, dict) else ())
        if layout.mistake:
            raise self.error(f"{key} {layout.mistake}")
        at = text.find(quoted, self.start, self.end)
        if self.is_simple and text.find(quoted, at + 1, self.end) < 0:
            try:
                figures = find_figures(text, at + len(quoted), self.end, layout.keys)
            except ValueError:
                pass
            else:
                named = zip(layout.statistics, figures, strict=True)
                return [(name, *figure.span(2)) for name, figure in named if name]
        inner = self.scan(self.scan(self.start)[key].start)
        if isinstance(percentiles, dict) and "percentile" in inner:
            inner |= self.scan(inner["percentile"].start)
        return [(name, place.start, place.end) for key, place in inner.items() if (name := _name_statistic(key))]

    def add_samples(self) -> None:
        """Append the statistics of the samples over time, if any were taken."""
        for prefix, keys, unit in _SAMPLED:
            there = [self.plain[key] for key in keys if key in self.plain]
            if len(there) < 4 or (self.names_only and unit != "IOPS"):
                continue
            if not self.plain.get(f"{prefix}samples", there[1] or there[2]):
                continue
            metric = "rate" if unit == "IOPS" else self.throughput
            places = [(name, *self.find(key)[1:]) for name, key in zip(_MOMENTS, keys, strict=True)]
            self.add(places, metric, SAMPLES, unit)

    def error(self, why: str, place: int | None = None) -> LogError:
        """Return an error that names line, job and side."""
        line = name_line(self.origin.text, self.start if place is None else place)
        return LogError(f"{line}: job {self.origin.name[:60]!r}, {self.operation}: {why}")


def _count_keys(plain: dict[str, Any]) -> int:
    """Return how many keys a side and its objects have, without those that pad a list."""
    inner = [value for value in plain.values() if isinstance(value, dict)]
    inner += [value[key] for value in inner for key in ("percentile", "bins") if isinstance(value.get(key), dict)]
    return len(plain) + sum(len(value) - ("0.00" in value) for value in inner)


class _Layout(NamedTuple):
    """The keys of the numbers of one kind of latency in their order, and what each of them is.

    Attributes
    ----------
    keys : list of str
        Without the padding of the percentiles.
    statistics : list of str or None
        The statistic of each; None for other numbers.
    mistake : str
        Why the figures cannot be trusted; empty if they can.
    """

    keys: list[str]
    statistics: list[str | None]
    mistake: str


# The entries of a log, and most logs, have the same keys.
@lru_cache(maxsize=256)
def _lay_out(own: tuple[str, ...], percentiles: tuple[str, ...]) -> _Layout:
    """Return the layout of a latency from its own keys, in the order of the log, and those of its percentiles."""
    keys = [name for name in own if name not in ("percentile", "bins")]
    ranks = [name for name in percentiles if name != "0.00"]
    mistake = ""
    if not set(percentiles).isdisjoint(own):
        mistake = "gives two values for one statistic: lines are mixed up"
    elif not all(map(_name_statistic, ranks)):
        mistake = "has a percentile without a number: a line is broken"
    elif ranks:
        place = own.index("percentile")
        keys[place:place] = ranks
    return _Layout(keys, [_name_statistic(name) for name in keys], mistake)


@lru_cache(maxsize=256)
def _name_statistic(key: str) -> str | None:
    """Return ``mean`` for ``mean``, ``p99.9`` for ``99.900000``, None for anything else.

    fio 2.x pads its list of percentiles with ``"0.00" : 0``.
    """
    if key in _MOMENTS:
        return key
    if key == "0.00" or not _PERCENTILE.fullmatch(key):
        return None
    return "p" + (key.rstrip("0").rstrip(".") if "." in key else key)


def _divide(printed: str, power: str) -> float:
    """Return a printed number, with an exponent, in the stored unit; -1 if it is not a number."""
    if printed[:1].isdecimal() and set(printed) <= set("0123456789.eE+-"):
        return float(printed) / float("1" + power.replace("-", ""))
    return -1.0
