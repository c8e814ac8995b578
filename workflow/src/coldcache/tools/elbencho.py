r"""Read the result files of elbencho 1.0 to 3.1: CSV (``--csvfile``) and JSON (``--jsonfile``, since 3.0).

Specimens, a line per phase::

    ISO date,label,path type,paths,hosts,threads,...,operation,time ms [first],time ms [last],entries/s [first],...
    {"phase_type":"WRITE",...,"config":{...},"first_done":{"elapsed_time_ms":"95",...},"last_done":{...}}

``[last]`` is everything over the time of the last thread, ``[first]`` what was moved until the first was done. CSV cuts
MiB/s to whole numbers; JSON prints numbers as strings, and a slash as ``\/``. An entry is a file or a directory.
A file that was cut between two lines cannot be detected. Source: elbencho's ``source/Statistics.cpp``,
``printPhaseResultsToStringVec`` and ``printPhaseResultsAsJSON``.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from coldcache.core.errors import LogError
from coldcache.core.records import UNIT_OF_METRIC, Record
from coldcache.core.units import MIB
from coldcache.tools.json_offsets import Member, scan_object

#: Name of the tool in campaigns that import its logs.
TOOL = "elbencho"

#: The operation of each phase on data, and on files or directories.
ELBENCHO_PHASES: dict[str, tuple[str, str]] = {
    "WRITE": ("write", "file-create"),
    "READ": ("read", "file-read"),
    "STAT": ("", "file-stat"),
    "STATDIRS": ("", "directory-stat"),
    "MKDIRS": ("", "directory-create"),
    "RMFILES": ("", "file-remove"),
    "RMDIRS": ("", "directory-remove"),
}
#: Phases that only handle caches: nothing is measured in them.
_IDLE = ("SYNC", "DROPCACHE")

_TIMES = {"first": "until the first thread was done", "last": "until the last thread was done"}

#: Words of which every log of this kind holds one.
WORDS = (b'"phase_type"', b"ISO date,", b"FIRST DONE")

_HEADS = re.compile(rb"^ISO date,(?:label,)?path type,[^\n]*$", re.MULTILINE)
_ROW = re.compile(rb"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[^\n]*\n?", re.MULTILINE)
_JSON = re.compile(rb'^[>| \t]*+(\{ *"phase_type" *:[^\n]*)(\n?)', re.MULTILINE)
_TEXT = re.compile(rb"^OPERATION +RESULT TYPE +FIRST DONE +LAST DONE", re.MULTILINE)
_NUMBER = re.compile(r"[0-9]{1,20}")
_VERSION = re.compile(r"[0-9]+(?:[.-][0-9A-Za-z]+)*")

#: The CSV's column of each JSON key.
_JSON_RATES = {
    r"bytes\/s": "B/s", "iops": "IOPS", r"entries\/s": "entries/s", "entries": "entries", "bytes": "B",
}  # fmt: skip
_JSON_FACTS = {
    "path_type": "path type", "file_size": "file size", "block_size": "block size", "direct_io": "direct IO",
    "random_offsets": "random", "io_depth": "IO depth",
}  # fmt: skip


class _Field(NamedTuple):
    """A value as printed, and where."""

    text: str
    offset: int


class _Phase(NamedTuple):
    """One phase: its line in the log, and its values by the names of the CSV's columns."""

    log: bytes
    start: int
    line: bytes
    fields: dict[str, _Field]

    @property
    def where(self) -> str:
        """Return the number of its line; it is only counted for a message."""
        return _place(self.log, self.start)

    def number(self, name: str) -> int | None:
        """Return a whole number; None if the phase has none."""
        field = self.fields.get(name)
        return int(field.text) if field and _NUMBER.fullmatch(field.text) else None

    @property
    def operation(self) -> str:
        """The name of the phase: ``WRITE``, or with ``+`` and an addition; a line without one is read as unnamed."""
        return self.text("operation") or "unnamed"

    @property
    def is_random(self) -> bool:
        """Whether its transfers are at random places."""
        return self.text("random") in ("1", "true")

    def text(self, name: str) -> str | None:
        """Return a text; None if the phase has none."""
        return self.fields[name].text if name in self.fields else None


def recognise(log: bytes) -> bool:
    """Return whether the log looks like elbencho's: by its CSV's heads, its JSON's keys, or its table."""
    if _has_json(log):
        return True
    if b"ISO date," in log and _HEADS.search(log) is not None:
        return True
    return b"FIRST DONE" in log and _TEXT.search(log) is not None


def _has_json(log: bytes) -> bool:
    return b'"phase_type"' in log and b'"last_done"' in log


def read(log: bytes) -> list[Record]:
    """Return every figure of every phase.

    Parameters
    ----------
    log : bytes
        A CSV or JSON file, to which several runs may have appended.

    Returns
    -------
    list of Record
        Per phase ``throughput`` (B/s), ``rate`` of transfers under the name of the transfer and of entries under that
        of files or directories, ``elapsed`` (s), ``count`` and ``latency`` (s); figures until the first thread was done
        carry ``stonewalled``. Phases with the same factors differ in ``repetition``.

    Raises
    ------
    LogError
        If a line is broken or names an unknown phase, a phase has no rate, or rate, time and amount contradict each
        other; and for the table that elbencho prints for people.
    """
    has_csv = _HEADS.search(log) is not None
    if has_csv and _has_json(log):
        raise LogError("holds elbencho's CSV and its JSON: put each into a file of its own")
    phases = list(_read_csv(log)) if has_csv else list(_read_json(log))
    if not phases:
        if _TEXT.search(log):
            raise LogError("elbencho's table for people is not read: run it with --csvfile or --jsonfile")
        raise LogError("elbencho's file states no phase")
    seen: dict[tuple[Any, ...], set[bytes]] = {}
    chosen = []
    for phase in phases:
        name = phase.operation.partition("+")[0]
        if name in _IDLE:
            continue
        if name not in ELBENCHO_PHASES and not name.startswith("RWMIX"):
            raise LogError(f"{phase.where}: no phase of elbencho is known as {name[:40]!r}")
        factors = _factors(phase)
        lines = seen.setdefault((name, phase.is_random, *factors.items()), set())
        if phase.line not in lines:
            chosen.append((phase, name, factors, len(lines), lines))
            lines.add(phase.line)
    found: list[Record] = []
    for phase, name, factors, repetition, lines in chosen:
        _check(phase)
        found += _records(phase, name, factors, repetition if len(lines) > 1 else None)
    if not found:
        raise LogError("elbencho's file states no phase that measures anything")
    return found


def _read_csv(log: bytes) -> Iterator[_Phase]:
    """Yield the phases of a CSV file; each row belongs to the heads before it."""
    heads: list[str] = []
    for line in re.finditer(rb"^[^\n]+\n?", log, re.MULTILINE):
        if _HEADS.match(line[0]):
            heads = line[0].decode("utf-8", "replace").rstrip("\r\n").split(",")
        elif _ROW.match(line[0]):
            texts = line[0].rstrip(b"\r\n").split(b",")
            if not line[0].endswith(b"\n") or len(texts) != len(heads):
                raise LogError(
                    f"{_place(log, line.start())}: {len(texts)} of {len(heads)} columns, or no line end: cut, or of "
                    "another version"
                )
            fields, offset = {}, line.start()
            for head, text in zip(heads, texts, strict=True):
                if text:
                    fields[head] = _Field(text.decode("utf-8", "replace"), offset)
                offset += len(text) + 1
            yield _Phase(log, line.start(), line[0], fields)
        elif heads and line[0].count(b",") > len(heads) // 2:
            raise LogError(f"{_place(log, line.start())}: a row without its date: the line is broken")


def _read_json(log: bytes) -> Iterator[_Phase]:
    """Yield the phases of a JSON file, under the names of the CSV's columns."""
    text = log.decode("latin-1")
    if log.count(b'"phase_type"') != len(_JSON.findall(log)):
        raise LogError("a line of elbencho's JSON has lost its start")
    for line in _JSON.finditer(log):
        try:
            members, end = scan_object(text, line.start(1))
            if text[end : line.end(1)].strip():
                raise ValueError("text behind the object")
            fields = dict(_read_fields(text, members))
        except (ValueError, RecursionError, KeyError) as error:
            cause = f"{_place(log, line.start())}: the JSON of this phase is cut short or broken"
            raise LogError(cause) from error
        yield _Phase(log, line.start(), line[0], fields)


def _read_fields(text: str, members: dict[str, Member]) -> Iterator[tuple[str, _Field]]:
    """Yield the values of a phase's JSON under the names of the CSV's columns; boost prints numbers as strings."""
    yield "operation", _field(text, members["phase_type"])
    if "label" in members:
        yield "label", _field(text, members["label"])
    for name, member in scan_object(text, members["config"].start)[0].items():
        yield _JSON_FACTS.get(name, name), _field(text, member)
    for time in ("first", "last"):
        done = scan_object(text, members[f"{time}_done"].start)[0]
        yield f"time ms [{time}]", _field(text, done["elapsed_time_ms"])
        mixed = scan_object(text, done["rwmix_read"].start)[0] if "rwmix_read" in done else {}
        for prefix, part in (("", done), ("rwmix read ", mixed)):
            for name, column in _JSON_RATES.items():
                if name in part:
                    yield f"{prefix}{column} [{time}]", _field(text, part[name])
        if "latency" in done:
            yield from _read_latencies(text, done["latency"])


def _read_latencies(text: str, latency: Member) -> Iterator[tuple[str, _Field]]:
    for name, kind in scan_object(text, latency.start)[0].items():
        column = {"entries": "Ent", "IO": "IO"}.get(name)
        if column is None or not isinstance(kind.value, dict):
            continue
        own = scan_object(text, kind.start)[0]
        mixed = scan_object(text, own["rwmix_read"].start)[0] if "rwmix_read" in own else {}
        for prefix, part in (("", own), ("rwmix read ", mixed)):
            for statistic in ("min", "avg", "max"):
                if f"{statistic}_us" in part:
                    yield f"{prefix}{column} lat us [{statistic}]", _field(text, part[f"{statistic}_us"])


def _field(text: str, member: Member) -> _Field:
    start, end = member.start, member.end
    if text[start] == '"':
        start, end = start + 1, end - 1
    return _Field(text[start:end], start)


def _place(log: bytes, offset: int) -> str:
    """Return the number of the line that holds a byte, for a message."""
    return f"line {log.count(chr(10).encode(), 0, offset) + 1}"


def _factors(phase: _Phase) -> dict[str, Any]:
    """Return the factors that a phase states; elbencho counts threads per host."""
    hosts, threads = phase.number("hosts") or 1, phase.number("threads") or 1
    told: dict[str, Any] = {"threads": hosts * threads, "nodes": hosts}
    is_file = phase.text("path type") == "file"
    if phase.text("path type") in ("dir", "file") and not (is_file and phase.number("paths") != 1):
        told["file_layout"] = "shared-file" if is_file and hosts * threads > 1 else "file-per-thread"
    told |= _sizes(phase, hosts * threads)
    told["direct_io"] = phase.text("direct IO") in ("1", "true")
    files = phase.number("files")
    if files:
        told["files"] = files * max(phase.number("dirs") or 1, 1)
    mix = re.fullmatch(r"RWMIX([0-9]{1,3})(?:\+.*)?", phase.operation)
    if mix:
        told["mix"] = int(mix[1])
    version = phase.text("version")
    if version and not _VERSION.fullmatch(version):
        raise LogError(f"{phase.where}: {version[:40]!r} is no version of elbencho: the line is broken")
    return told if not version else {**told, "version": version}


def _sizes(phase: _Phase, threads: int) -> dict[str, int]:
    """Return the sizes that a phase states: files of a folder have bodies, all else is shared by all threads."""
    told = {}
    size, paths = phase.number("file size") or 0, phase.number("paths") or 1
    if phase.text("path type") == "dir":
        told["file_body"] = size
    elif size * paths % threads == 0:
        told["file_size"] = size * paths // threads
    told |= {"transfer_size": phase.number("block size") or 0, "queue_depth": phase.number("IO depth") or 0}
    return {factor: level for factor, level in told.items() if level}


def _check(phase: _Phase) -> None:
    """Raise `LogError` if a phase has no rate, or its rates, times and amounts contradict each other."""
    rates = 0
    for time in _TIMES:
        milliseconds = phase.number(f"time ms [{time}]")
        if milliseconds is None:
            raise LogError(f"{phase.where}: the time of the phase is missing: the line is broken")
        for prefix in ("", "rwmix read "):
            for rate, amount in (("MiB/s", "MiB"), ("B/s", "B"), ("entries/s", "entries"), ("IOPS", "I/Os")):
                per_second = phase.number(f"{prefix}{rate} [{time}]")
                moved = phase.number(f"{prefix}{amount} [{time}]")
                rates += bool(per_second)
                if per_second is None or moved is None:
                    continue
                # All three are cut to whole numbers.
                least, most = per_second * milliseconds / 1000, (per_second + 1) * (milliseconds + 1) / 1000
                if moved + 1 < least * 0.999 or moved > most * 1.001 + 1:
                    raise LogError(f"{phase.where}: {prefix}{rate}, {amount} and time [{time}] contradict each other")
    if not rates:
        raise LogError(f"{phase.where}: phase {phase.operation[:40]} has no rate: it failed or was too short")


class _Figure(NamedTuple):
    """A column of figures: its name, operation, metric, statistic, meaning, factor or power of ten, and caveats."""

    column: str
    operation: str
    metric: str
    statistic: str
    meaning: str
    scale: int | str
    caveats: tuple[str, ...] = ()


def _records(phase: _Phase, name: str, factors: dict[str, Any], repetition: int | None) -> list[Record]:
    """Return the records of one phase, in the order of the log."""
    version = factors.get("version")
    told = {factor: level for factor, level in factors.items() if factor != "version"}
    transfer, entry = ELBENCHO_PHASES.get(name, ELBENCHO_PHASES["WRITE"])
    random = "random-" if phase.is_random else ""
    figures = _all_figures(transfer and random + transfer, entry, f"{random}read")
    found = []
    for column, operation, metric, statistic, meaning, scale, caveats in figures:
        field = phase.fields.get(column)
        value = int(field.text) if field and _NUMBER.fullmatch(field.text) else 0
        if not field or not value or not operation:
            continue
        unit = column.removeprefix("rwmix read ").rpartition(" [")[0]
        if unit == "MiB/s" or (metric == "rate" and value < 100):
            caveats = (*caveats, "rounded")
        found.append(
            Record(
                "elbencho", version, operation, metric, statistic,
                float(f"{value}{scale}") if isinstance(scale, str) else float(value * scale), UNIT_OF_METRIC[metric],
                repetition, meaning, field.offset, len(field.text), f"{field.text} {unit.split()[-1]}",
                ("no-end-marker", *caveats), told,
            )
        )  # fmt: skip
    return sorted(found, key=lambda record: record.offset)


@cache
def _all_figures(transfer: str, entry: str, mixed: str) -> list[_Figure]:
    """Return the columns that a phase may have."""
    return [*_figures("", transfer, entry), *_figures("rwmix read ", mixed, "file-read")]


def _figures(prefix: str, transfer: str, entry: str) -> Iterator[_Figure]:
    """Yield the columns of a phase's own figures, or of the reads that are mixed into it."""
    for time, definition in _TIMES.items():
        caveats = ("stonewalled",) if time == "first" else ()
        yield _Figure(f"{prefix}MiB/s [{time}]", transfer, "throughput", "value", definition, MIB, caveats)
        yield _Figure(f"{prefix}B/s [{time}]", transfer, "throughput", "value", definition, 1, caveats)
        yield _Figure(f"{prefix}IOPS [{time}]", transfer, "rate", "value", definition, 1, caveats)
        yield _Figure(f"{prefix}entries/s [{time}]", entry, "rate", "value", definition, 1, caveats)
        yield _Figure(f"{prefix}entries [{time}]", entry, "count", "value", f"done {definition}", 1, caveats)
        yield _Figure(f"{prefix}I/Os [{time}]", transfer, "count", "value", f"done {definition}", 1, caveats)
        if not prefix:
            yield _Figure(f"time ms [{time}]", transfer or entry, "elapsed", "value", definition, "e-3", caveats)
    for kind, operation, thing in (("Ent", entry, "file or directory"), ("IO", transfer, "transfer")):
        for statistic, ours in (("min", "min"), ("avg", "mean"), ("max", "max")):
            yield _Figure(f"{prefix}{kind} lat us [{statistic}]", operation, "latency", ours, f"one {thing}", "e-6")
