r"""Read the output of SAS's throughput scripts: rhel_iotest.sh, its copy k8s_iotest.sh, iotest.sh, viya_perf_tool.sh.

Each starts one ``dd`` per physical core (or a given number) and divides the size of one file by the mean of the
elapsed times. Specimen (k8s_iotest.sh 0.1.00)::

    STATISTICS
      read time:              0.25 seconds per physical core average
      read throughput rate:   1,080.00 megabytes/second per physical core

Megabytes are MiB, gigabytes GiB; separators are those of the locale, and if its decimal mark is a comma, the decimals
are lost. Times are truncated to hundredths before the division. The console and ``.results`` only state the rates;
``.log`` also states the time of every ``dd``. Source: the scripts' functions ``print_results`` and ``cleanup``.
"""

import re
from collections import Counter
from typing import Any

from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.core.units import MIB
from coldcache.tools.lines import name_line
from coldcache.tools.rhel_iotest import viya
from coldcache.tools.rhel_iotest.numbers import (
    COUNT,
    LAST_FINISHER,
    MEAN_TIME,
    NUMBER,
    OWN_TIME,
    PER_CORE,
    PER_PROCESS,
    ScriptFigure,
    ScriptRun,
    read_count,
    read_number,
)

#: Name of the tool in campaigns that import its logs.
TOOL = "rhel_iotest"

_LINE = rb"^[>| \t]*+"
_END = rb"[ \t\r]*+$"
_RECOGNISE = re.compile(
    _LINE + rb"(?:(?:read|write) throughput rate:[^\n]{1,40}/second per physical core"
    rb"|average (?:read|write) throughput rate[ \t]*:|Performing \w*iotest with [0-9]"
    rb"|<<(?:STATUS|ERROR)>> +(?:executing (?:write|read) testing|start time:|failed to execute write test"
    rb"|target directory|creating (?:dir|file)))",
    re.MULTILINE,
)
#: Words of which every log of this kind holds one.
WORDS = (b" throughput rate", b"iotest with ", b"<<STATUS>>", b"<<ERROR>>", b"viya_perf_tool", b" per physical core")
_ERROR = re.compile(_LINE + rb"(<<ERROR>>[^\n]*)", re.MULTILINE)

#: Lines of figures, by their first words; each must be complete.
_STATEMENT = re.compile(
    _LINE + rb"(RESULTS" + _END + rb"|INVOCATION|Script Version:|iterations:|Iterations:|Blocks:|Blocksize:|filesize"
    rb"|(?:average )?(?:read|write) (?:time|throughput rate)\b|<<STATUS>> +processing complete"
    rb"|<<STATUS>> +executing write testing|<<WARNING>> +potential caching|[^\n:]*\b(?:read|write)test\.out\.)[^\n]*",
    re.MULTILINE,
)
_FORMS = {
    b"INVOCATION": re.compile(rb"INVOCATION *: *(\S+)([^\n]*)"),
    b"Script Version:": re.compile(rb"Script Version: +(\S+)" + _END),
    b"iterations:": re.compile(rb"[Ii]terations: +([0-9]{1,6})" + _END),
    b"Blocks:": re.compile(rb"Blocks: +(" + COUNT + rb")" + _END),
    b"Blocksize:": re.compile(rb"Blocksize: +([0-9]{1,9}) KB" + _END),
    b"filesize": re.compile(
        rb"filesize *: +(?:" + NUMBER + rb" gigabytes|([0-9]{1,18}) bytes or [0-9]*\.[0-9]{2} megabytes)" + _END
    ),
    b"per core": re.compile(
        rb"(read|write) (time|throughput rate): +(" + NUMBER + rb") (seconds|megabytes/second) per physical core"
        rb"(?: average)?" + _END
    ),
    b"per process": re.compile(
        rb"average (read|write) (time in seconds|throughput rate) *: +([0-9]*\.[0-9]{2})(?: (megabytes per second))?"
        + _END
    ),
    b"out": re.compile(rb"[^\n:]*\b(read|write)test\.out\.([0-9]{1,6}): *real +([0-9]{1,9}\.[0-9]{2})" + _END),
}
_FORMS[b"Iterations:"] = _FORMS[b"iterations:"]


def recognise(log: bytes) -> bool:
    """Return whether the log belongs to the family, by lines that only these scripts print."""
    if not any(word in log for word in WORDS):
        return False
    return _RECOGNISE.search(log) is not None or viya.recognise(log)


def read(log: bytes) -> list[Record]:
    """Return every figure that a log of the family states, and the rate until the last process is done if known.

    Parameters
    ----------
    log : bytes
        Console output, ``.results`` or ``.log`` of one or more runs.

    Returns
    -------
    list of Record
        Per run and operation ``throughput_per_core`` (B/s; `iotest.sh`: ``throughput_per_process``), the published
        figure; where the log has them the mean ``elapsed`` time and that of each process, and ``throughput`` of all
        processes until the last is done, with the caveat ``derived`` and a pointer to that last time.

    Raises
    ------
    LogError
        If the script reports an error, the log is cut short, a line is broken, or figures contradict each other.
    """
    if viya.recognise(log):
        if _RECOGNISE.search(log) is not None:
            raise LogError("holds logs of viya_perf_tool.sh and of another script: put each into a file of its own")
        return viya.read(log)
    failure = _ERROR.search(log)
    if failure:
        said = " ".join(failure[1].decode("utf-8", "replace").split())[:120]
        raise LogError(f"{name_line(log, failure.start(1))}: the script says {said!r}: its figures are void")
    runs: list[_Run] = []
    stated: dict[tuple[bytes, ...], set[tuple[bytes, ...]]] = {}
    for statements in _split_runs(log):
        run = _Run(log, statements)
        # The text of an earlier run may be repeated here, with or without the times of each process.
        known, each = stated.setdefault(run.stated(run.figures()), set()), run.stated(run.lines[b"out"])
        if not known or (each and each not in known):
            runs.append(run)
        known.add(each)
    if not runs:
        raise LogError("no results: the run was cut short or is still going")
    found: list[Record] = []
    names = [(run.name, tuple(sorted(run.run.factors.items()))) for run in runs]
    times, before = Counter(names), Counter[tuple[Any, ...]]()
    for name, run in zip(names, runs, strict=True):
        run.run.repetition = before[name] if times[name] > 1 else None
        before[name] += 1
        found += run.records()
    return sorted(found, key=lambda record: record.offset)


def _split_runs(log: bytes) -> list[list[re.Match[bytes]]]:
    """Return the statements of each run, up to and including its results."""
    runs: list[list[re.Match[bytes]]] = [[]]
    has_results = False
    for statement in _STATEMENT.finditer(log):
        is_heading = statement[1].startswith(b"RESULTS")
        begins = statement[1].startswith(b"Script Version") or statement[1].endswith(b"executing write testing")
        if has_results and (is_heading or begins):
            runs.append([])
            has_results = False
        has_results = has_results or is_heading
        runs[-1].append(statement)
    return runs if runs != [[]] else []


class _Run:
    """The checked statements of one run."""

    def __init__(self, log: bytes, statements: list[re.Match[bytes]]):
        self.log = log
        self.lines: dict[bytes, list[re.Match[bytes]]] = {form: [] for form in _FORMS}
        heads = [b" ".join(statement[1].split()) for statement in statements]
        for statement, head in zip(statements, heads, strict=True):
            if not head.startswith((b"RESULTS", b"<<")):
                self._take(statement)
        self.figure = {(line[1].decode(), line[2][:4]): line for line in self.figures()}
        rates = {("read", b"thro"), ("write", b"thro")}
        why = ""
        if len(self.figure) != len(self.figures()) or not rates <= self.figure.keys():
            why = "the results of the run that starts here are not all there"
        elif any(b"executing" in head for head in heads) and b"<<STATUS>> processing complete" not in heads:
            why = "the run that starts here did not end"
        if why:
            raise LogError(f"{name_line(log, statements[0].start())}: {why}: the log is cut short")
        self.is_old = bool(self.lines[b"per process"])
        self.name = b" ".join(b" ".join(line.groups()) for line in self.lines[b"INVOCATION"][-1:])
        version = self.lines[b"Script Version:"]
        self.run = ScriptRun(
            version[-1][1].decode("utf-8", "replace") if version else None,
            self._factors(),
            any(head.startswith(b"<<WARNING>> potential caching") for head in heads),
        )
        self._check()

    def _take(self, statement: re.Match[bytes]) -> None:
        head = statement[1]
        kind = head if head in _FORMS else b"per process" if head.startswith(b"average") else b"per core"
        kind = b"out" if head.endswith(b"test.out.") else kind
        line = _FORMS[kind].match(self.log, statement.start(1), statement.end())
        if line is None:
            said = statement[0].strip()[-80:].decode("utf-8", "replace")
            raise LogError(f"{name_line(self.log, statement.start(1))}: a line of results is broken: {said!r}")
        self.lines[kind].append(line)

    def figures(self) -> list[re.Match[bytes]]:
        """Return the lines of the results."""
        return self.lines[b"per core"] + self.lines[b"per process"]

    def stated(self, lines: list[re.Match[bytes]]) -> tuple[bytes, ...]:
        """Return the content of some lines, to distinguish a repeated text from a second run."""
        return tuple(line[0].strip() for line in lines)

    def _factors(self) -> dict[str, int]:
        told: dict[str, int] = {}
        options = self.lines[b"INVOCATION"][-1][2] if self.lines[b"INVOCATION"] else b""
        asked = re.search(rb" -i *([0-9]{1,6})\b", options)
        size = re.search(rb" -s *([0-9]{1,9})\b", options)
        if self.lines[b"iterations:"] or self.lines[b"Iterations:"] or asked:
            lines = self.lines[b"iterations:"] + self.lines[b"Iterations:"]
            told["threads"] = int(lines[0][1] if lines else asked[1] if asked else 0)
        transfer = self.lines[b"Blocksize:"][-1][1] if self.lines[b"Blocksize:"] else size[1] if size else None
        if transfer:
            told["transfer_size"] = int(transfer) * 1024
        if self.lines[b"Blocks:"] and transfer:
            told["file_size"] = read_count(self.lines[b"Blocks:"][-1][1]) * told["transfer_size"]
        elif self.lines[b"filesize"] and self.lines[b"filesize"][-1][1]:
            told["file_size"] = int(self.lines[b"filesize"][-1][1])
        return {"nodes": 1, **told}

    def number(self, line: re.Match[bytes]) -> ScriptFigure:
        """Return the figure of a line of results."""
        return read_number(line[3], line.start(3), self.log)

    def _check(self) -> None:
        """Raise `LogError` if a rate is zero, a process is missing, or times and rates contradict each other."""
        for operation in ("read", "write"):
            why = self._find_fault(operation)
            if why:
                where = name_line(self.log, self.figure[operation, b"thro"].start())
                raise LogError(f"{where}: {why}")

    def _find_fault(self, operation: str) -> str | None:
        """Return what is wrong with the figures of an operation; None if nothing is."""
        factors = self.run.factors
        rate = self.number(self.figure[operation, b"thro"])
        if not rate.value:
            return f"the {operation} rate is zero: nothing was measured"
        each = self.processes(operation)
        if self.lines[b"out"] and sorted(each) != list(range(1, factors.get("threads", 0) + 1)):
            there = ", ".join(map(str, sorted(each)))
            return f"the times of {operation} are of processes {there}, not of 1 to {factors.get('threads')}"
        time = self.figure.get((operation, b"time"))
        if time is None:
            return None
        seconds = self.number(time)
        mean = sum(figure.value for figure in each.values()) / len(each) if each else None
        if mean is not None and not -0.005 < mean - seconds.value < (1.0 if seconds.is_truncated else 0.015):
            return f"the times of {operation} contradict their mean: a digit is lost"
        if "file_size" in factors and not _fits(factors["file_size"] / MIB, seconds, rate):
            return f"size, time and rate of {operation} contradict each other"
        return None

    def processes(self, operation: str) -> dict[int, ScriptFigure]:
        """Return the elapsed time of each process of an operation, by its number."""
        own = [line for line in self.lines[b"out"] if line[1].decode() == operation]
        return {int(line[2]): self.number(line) for line in own}

    def records(self) -> list[Record]:
        """Return the values that the run states."""
        found = []
        threads, size = self.run.factors.get("threads"), self.run.factors.get("file_size")
        for operation in ("read", "write"):
            each = self.processes(operation)
            for number, figure in each.items():
                found.append(self.run.record(operation, "elapsed", figure, figure.value, OWN_TIME, "s", process=number))
            if each and threads and size and (last := max(each.values(), key=lambda figure: figure.value)).value:
                rate = threads * size / last.value
                short = ("derived", "rounded") if last.value < 1 else ("derived",)
                found.append(self.run.record(operation, "throughput", last, rate, LAST_FINISHER, "s", *short))
            found += self._published(operation, size)
        return found

    def _published(self, operation: str, size: int | None) -> list[Record]:
        """Return the mean time and the rate that the script prints for an operation."""
        found = []
        metric, definition, unit = "throughput_per_core", PER_CORE, "megabytes/second"
        # Without conv=fsync, iotest.sh counts bytes in the page cache as written.
        caveats: tuple[str, ...] = ()
        if self.is_old:
            metric, definition, unit = "throughput_per_process", PER_PROCESS, "megabytes per second"
            caveats = ("no-fsync",) if operation == "write" else ()
        time = self.figure.get((operation, b"time"))
        if time is not None and (seconds := self.number(time)).value:
            found.append(
                self.run.record(
                    operation, "elapsed", seconds, seconds.value, MEAN_TIME, "seconds", *caveats, statistic="mean"
                )
            )
        rate = self.number(self.figure[operation, b"thro"])
        # Truncated to hundredths, a time below a second is wrong by more than one per cent.
        if size and size / MIB / rate.value < 1:
            caveats = (*caveats, "rounded")
        found.append(self.run.record(operation, metric, rate, rate.value * MIB, definition, unit, *caveats))
        return found


def _fits(size: float, seconds: ScriptFigure, rate: ScriptFigure) -> bool:
    """Return whether a rate equals a size, in MiB, over a mean time; a truncated time may have any decimals."""
    if seconds.is_truncated:
        return size / (seconds.value + 1) < rate.value + 1 and size > rate.value * seconds.value
    lost = 1.0 if rate.is_truncated else 0.011
    return not seconds.value or -0.011 < size / seconds.value - rate.value < lost
