r"""Read the log of SAS's viya_perf_tool.sh 4.0, which runs the family's test on each of several hosts.

Specimen (4.0.1)::

    [vm][2026-11-21T08:47:25.734Z]:    read time:              0.93 seconds per physical core
    [vm][2026-11-21T08:47:25.746Z]:    read throughput rate:   257.98 MB/second per physical core

PATH and DNFS test the data directory with one process per core, CDC the CAS disk cache with two. For CDC, 4.0.0 divides
by the number of cores, and 4.0.1 by processes and processes per core, so the rates of 4.0.0 are a quarter of those of
4.0.1. The time stamps decide which it was: a mean cannot exceed the phase. Source:
``viya_perf_tool.sh``, function ``print_iotest_results``.
"""

import re
from datetime import datetime

from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.core.units import MIB
from coldcache.tools.lines import name_line
from coldcache.tools.repetitions import number_runs
from coldcache.tools.rhel_iotest.numbers import (
    COUNT,
    LAST_FINISHER,
    MEAN_TIME,
    NUMBER,
    PER_CORE,
    ScriptFigure,
    ScriptRun,
    read_count,
    read_number,
)

TWO_PER_CORE = "sum over the processes of a core of file size over elapsed time, from the mean elapsed time"
QUARTER = "file size over the sum of the elapsed times of the processes of a core, from their mean"

_STAMP = rb"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
_LINE = re.compile(
    rb"^[>| \t]*+\[([^\]\n]{1,200})\]\[(" + _STAMP + rb")\]: *+(?:(Begin|End) ([A-Z]{3,4}) IO Test for \[|"
    rb"(Script Version|Iterations \(threads\) per physical (?:CPU )?core|Total iterations(?: \(incl[^)\n]*\))?"
    rb"|Block ?size|Blocks(?: per iteration)?|(?:read|write) (?:time|throughput rate)):"
    rb"|(Launching iteration: 1|Executing (?:write|read) tests|(?:Write|Read) tests complete"
    rb"|Execution is complete!|WARNING - potential caching)(?=[ \t\r]*$)|(ERROR - ))([^\n]*)$",
    re.MULTILINE,
)
_RATE = re.compile(rb" +(" + NUMBER + rb") (seconds|MB/second) per physical core[ \t\r]*")
_COUNT = re.compile(rb" +(" + COUNT + rb")(?: KB)?[ \t\r]*")
_RECOGNISE = re.compile(rb"viya_perf_tool|MB/second per physical core")

_NO_END = "viya_perf_tool did not print 'Execution is complete!' behind whole tests: the log is cut short"


def recognise(log: bytes) -> bool:
    """Return whether the log looks like viya_perf_tool's: by its stamped lines."""
    return _RECOGNISE.search(log) is not None and _LINE.search(log) is not None


def read(log: bytes) -> list[Record]:
    """Return every figure that the log states, and by its time stamps the rate until each phase's last process is done.

    Several runs of one test differ in ``repetition``.

    Raises
    ------
    LogError
        If a test failed, the log is cut short or a line is broken, or figures contradict the stamps.
    """
    runs = _find_runs(log)
    is_one_of_several = len({test.host for run in runs for test in run}) > 1
    return number_runs([[record for test in run for record in test.records(is_one_of_several)] for run in runs])


def _find_runs(log: bytes) -> list[list["_Test"]]:
    """Return the tests of each run of the script; a test that was pasted twice counts once."""
    runs: list[list[_Test]] = [[]]
    tests: dict[bytes, _Test] = {}
    begun: set[bytes] = set()
    seen: set[tuple[bytes, bytes]] = set()
    version, is_whole = None, False
    for line in _LINE.finditer(log):
        host, _, edge, mode, label, event, failure, rest = line.groups()
        if failure:
            where = name_line(log, line.start())
            said = " ".join(rest.decode("utf-8", "replace").split())[:120]
            raise LogError(f"{where}: viya_perf_tool says {said!r}: its figures are void")
        if label == b"Script Version" or (edge == b"Begin" and is_whole):
            if host in begun:
                raise LogError(f"{name_line(log, line.start())}: a run begins; {_NO_END}")
            version, is_whole = rest.strip().decode("ascii", "replace") if label else None, False
            begun |= {host} if label else set()
        if event == b"Execution is complete!":
            if tests:
                break
            runs, begun, is_whole = [*runs, []], set(), True
        elif edge == b"Begin":
            if host in tests:
                where = name_line(log, line.start())
                raise LogError(f"{where}: a test begins on {host.decode('utf-8', 'replace')!r} before the last ended")
            tests[host] = _Test(log, host, mode, line.start(), line[2], version)
        elif edge == b"End":
            if host not in tests or tests[host].mode != mode:
                raise LogError(f"{name_line(log, line.start())}: a test ends that did not begin: the log is cut")
            test = tests.pop(host)
            test.follow(line)
            if (test.host, test.stamp) not in seen:
                runs[-1].append(test)
            seen.add((test.host, test.stamp))
        elif host in tests:
            tests[host].take(line)
    if tests or not is_whole or not any(runs):
        raise LogError(_NO_END)
    return runs


class _Test:
    """The lines of one test on one host."""

    def __init__(self, log: bytes, host: bytes, mode: bytes, start: int, stamp: bytes, version: str | None):
        self.log, self.host, self.mode, self.start, self.stamp = log, host, mode, start, stamp
        self.version = version
        self.counts: dict[bytes, int] = {}
        self.figures: dict[bytes, ScriptFigure] = {}
        self.stamps: dict[bytes, re.Match[bytes]] = {}
        self.phase = b""
        self.latest = stamp

    def take(self, line: re.Match[bytes]) -> None:
        """Add the next line of the test; raise `LogError` if it is broken."""
        label, event, rest = line[5], line[6], line[8]
        self.follow(line)
        if event and event.startswith(b"Executing"):
            self.phase = event.split()[1]
        elif event and event.startswith(b"Launching"):
            self.stamps[b"begin " + self.phase] = line
        elif event and event.endswith(b"tests complete"):
            self.stamps[b"end " + event.split()[0].lower()] = line
        elif label and label.startswith((b"read", b"write")):
            form = _RATE.fullmatch(rest)
            if form is None or (form[2] == b"seconds") != label.endswith(b"time"):
                where, said = name_line(self.log, line.start()), rest[:60].decode("utf-8", "replace")
                raise LogError(f"{where}: a line of results is broken: {said!r}")
            self.figures[label] = read_number(form[1], line.start(8) + form.start(1), self.log)
        elif label:
            form = _COUNT.fullmatch(rest)
            if form is None:
                where, said = name_line(self.log, line.start()), rest[:60].decode("utf-8", "replace")
                raise LogError(f"{where}: {label.decode('utf-8', 'replace')} is broken: {said!r}")
            self.counts[label.split(b" (")[0]] = read_count(form[1]) - (b"including one extra" in label)

    def follow(self, line: re.Match[bytes]) -> None:
        """Note the time of a line; raise `LogError` if it is earlier than that of the previous line."""
        if line[2] < self.latest:
            raise LogError(f"{name_line(self.log, line.start())}: time goes back: lines of the log are mixed up")
        self.latest = line[2]

    def _count(self, *names: bytes) -> int:
        for name in names:
            if self.counts.get(name, 0) > 0:
                return self.counts[name]
        raise self.error(f"{names[0].decode()!r} counts none: nothing can have been measured")

    def error(self, why: str) -> LogError:
        """Return an error that names the test."""
        mode, host = self.mode.decode(), self.host.decode("utf-8", "replace")
        return LogError(f"{name_line(self.log, self.start)}: {mode} IO test for {host!r}: {why}")

    def records(self, is_one_of_several: bool) -> list[Record]:
        """Return the values that the test states; raise `LogError` if one is missing, zero or impossible."""
        threads, per_core = self._count(b"Total iterations"), self._count(b"Iterations")
        transfer = self._count(b"Block size", b"Blocksize") * 1024
        size = self._count(b"Blocks per iteration", b"Blocks") * transfer
        told: dict[str, int | str] = {"nodes": 1, "threads": threads, "transfer_size": transfer, "file_size": size}
        if is_one_of_several:
            told["client"] = self.host.decode("utf-8", "replace")
        run = ScriptRun(self.version, told, False)
        found = []
        for operation in ("read", "write"):
            time, rate = (self.figures.get(f"{operation} {kind}".encode()) for kind in ("time", "throughput rate"))
            begin, end = (self.stamps.get(f"{edge} {operation}".encode()) for edge in ("begin", "end"))
            if not (time and rate and begin and end):
                raise self.error(f"a line of {operation} is missing: the log is cut")
            if not rate.value or not time.value:
                raise self.error(f"the {operation} rate or time is zero: nothing was measured")
            if abs(rate.value * time.value - size / MIB) > 0.012 * rate.value + 0.02 * time.value:
                raise self.error(f"size, time and rate of {operation} contradict each other: a digit is lost")
            try:
                phase = (_moment(end) - _moment(begin)).total_seconds()
            except ValueError as error:
                raise self.error(f"a stamp of {operation} is no date: a digit is lost") from error
            if phase <= 0:
                raise self.error(f"{operation} ended before it began: lines of the log are mixed up")
            is_quarter = self._divides_by_cores(time.value, per_core, phase)
            definition = PER_CORE if per_core == 1 else QUARTER if is_quarter else TWO_PER_CORE
            caveats = ("viya-4.0.0-per-core",) if is_quarter and per_core > 1 else ()
            test = f"; {self.mode.decode()} test"
            last = ScriptFigure(phase, end.start(2), end[2], False)
            for metric, statistic, figure, value, meaning, unit, more in (
                ("elapsed", "mean", time, time.value, MEAN_TIME, "seconds", caveats),
                ("throughput_per_core", "value", rate, rate.value * MIB, definition, "MB/second", caveats),
                (
                    "throughput",
                    "value",
                    last,
                    threads * size / phase,
                    LAST_FINISHER,
                    "",
                    ("derived", "from-time-stamps"),
                ),
            ):
                found.append(
                    run.record(operation, metric, figure, value, meaning + test, unit, *more, statistic=statistic)
                )
        return sorted(found, key=lambda record: record.offset)

    def _divides_by_cores(self, printed: float, per_core: int, phase: float) -> bool:
        """Return whether the printed time is the mean times `per_core`, as in 4.0.0, instead of the mean over it."""
        slack = 1.02 * phase + 0.05
        possible = {False: printed * per_core <= slack, True: printed / per_core <= slack}
        asked = self.version == "4.0.0"
        if possible[asked]:
            return asked
        if possible[not asked]:
            return not asked
        raise self.error(f"a mean time of {printed:g} s does not fit a phase of {phase:g} s: a digit is lost")


def _moment(line: re.Match[bytes]) -> datetime:
    return datetime.fromisoformat(line[2].decode().replace("Z", "+00:00"))
