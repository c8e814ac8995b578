r"""Read the logs of IOzone's throughput mode (``iozone -t``), versions 3.308 to 3.508.

Specimen (3.489), one block per test::

    \tChildren see throughput for  4 initial writers \t= 1670903.81 kB/sec
    \tParent sees throughput for  4 initial writers \t= 1481106.36 kB/sec
    \tMin throughput per process \t\t\t=  415568.81 kB/sec
    \tMax throughput per process \t\t\t=  419844.44 kB/sec
    \tAvg throughput per process \t\t\t=  417725.95 kB/sec
    \tMin xfer \t\t\t\t\t=   64512.00 kB

``KB`` and ``kB`` are KiB; ``ops`` (``-O``) are calls. "Children see" is the sum of the processes' own rates, each over
its own time until the first of them is done; "Parent sees" is everything moved over the parent's time from the start
to the last join, and is not printed in cluster mode (``-+m``). Source: ``iozone.c``, function ``throughput_test``.
"""

import re
from typing import Any

from coldcache.errors import LogError
from coldcache.records import UNIT_OF_METRIC, Record

KIBIBYTE = 1024

#: What the test is called in the result lines, and what the operation is called here.
OPERATION_OF_TEST = {
    b"initial writers": "write",
    b"rewriters": "rewrite",
    b"readers": "read",
    b"re-readers": "reread",
    b"reverse readers": "reverse-read",
    b"stride readers": "stride-read",
    b"random readers": "random-read",
    b"mixed workload": "random-mix",
    b"random writers": "random-write",
    b"pwrite writers": "pwrite",
    b"pread readers": "pread",
    b"fwriters": "fwrite",
    b"freaders": "fread",
}

CHILDREN = "sum of the processes' own rates until the first of them is done"
PARENT = "parent: all that was moved over the parent's time from start to last join"
PER_PROCESS = "over the processes, each over its own time"
ONE_PROCESS = "one process over its own time"
WALL = "wall time of the slowest process"

_ORDER = [b"Min", b"Max", b"Avg"]
_STATISTIC = {b"Min": "min", b"Max": "max", b"Avg": "mean"}

_NEWLINE = b"\n"
_BANNER = b"Iozone: Performance Test of File I/O"
_VERSION = re.compile(rb"Version \$Revision: (3\.[0-9]{1,4}) \$")
_NUMBER = rb" *+([0-9]{1,18}\.[0-9]{2})"
_UNIT = rb" ([Kk]B|ops)"
_SECONDS = rb" *+([0-9]{1,12}\.[0-9]{3})"
_EQUALS = rb"[ \t]*+="
_LINE_END = rb"[ \t\r]*+(?:\n|\Z)"

# Quoted mail and `srun --label` put something before each line.
_LINE_START = rb"^[>| \t]*+(?:[0-9]{1,9}:[ \t]*+)?"
_KINDS = {
    b"Children see": 0, b"Parent sees": 0, b"Min throughput": 1, b"Max throughput": 1, b"Avg throughput": 1,
    b"Min xfer": 2, b"CPU Utilization:": 3, b"CPU utilization:": 3, b"Child[": 4, b"Throughput test": 5,
    b"Each process": 6, b"Each thread": 6, b"iozone test complete": 7,
}  # fmt: skip
_STATEMENT = re.compile(
    _LINE_START + rb"(Children see|Parent sees|(?:Min|Max|Avg) throughput|Min xfer|CPU [Uu]tilization:|Child\["
    rb"|Throughput test|Each (?:process|thread)|iozone test complete)[^\n]*",
    re.MULTILINE,
)
_FORMS = (
    re.compile(
        rb"(Children see|Parent sees) throughput for {1,9}([0-9]{1,9}) ([a-z-]{1,12}(?: [a-z]{1,12})?)"
        + _EQUALS + _NUMBER + _UNIT + rb"/sec" + _LINE_END
    ),
    re.compile(rb"(Min|Max|Avg) throughput per (?:process|thread)" + _EQUALS + _NUMBER + _UNIT + rb"/sec" + _LINE_END),
    re.compile(rb"Min xfer" + _EQUALS + _NUMBER + _UNIT + _LINE_END),
    re.compile(
        rb"CPU [Uu]tilization: Wall time" + _SECONDS + rb" *+CPU time" + _SECONDS + rb" *+CPU utilization"
        + _NUMBER + rb" %" + _LINE_END
    ),
    re.compile(
        rb"Child\[([0-9]{1,9})\] xfer count =" + _NUMBER + _UNIT + rb", Throughput =" + _NUMBER + _UNIT + rb"/sec"
        + rb"(?:, wall=" + _SECONDS + rb", cpu=" + _SECONDS + rb", %=" + _NUMBER + rb")?" + _LINE_END
    ),
    re.compile(rb"Throughput test with ([0-9]{1,9}) (?:process|thread)(?:e?s)?" + _LINE_END),
    re.compile(
        rb"Each (?:process|thread) writes a ([0-9]{1,18}) [Kk][Bb]ytes? file in (?:([0-9]{1,18}) [Kk][Bb]yte"
        rb"|telemetry controlled) records" + _LINE_END
    ),
    re.compile(rb"iozone test complete\." + _LINE_END),
)  # fmt: skip
_AGGREGATE, _PER_PROCESS, _LEAST_MOVED, _PROCESSOR, _CHILD, _PROCESSES, _SIZES, _END = range(8)

# What IOzone says when something went wrong; perror(3) puts the name of the call first.
_FAILURE = re.compile(
    _LINE_START + rb"("
    rb"Error (?:writing|reading|p?f?writ|p?f?read|in file|[0-9])[^\n]*|Can not [^\n]*|Unable to [^\n]*"
    rb"|iozone: interrupted|exiting iozone|Client # [0-9]+ (?:reporting an error|is not running)[^\n]*"
    rb"|Found pattern[^\n]*|Dedup mis-compare[^\n]*|I/O error during [^\n]*|Sanity check failed[^\n]*"
    rb"|[Ff]ork failed[^\n]*|Thread (?:create failed|join returned error)[^\n]*"
    rb"|Master(?: read failed|: [^\n]*failed| error)[^\n]*|Mapping failed[^\n]*|Mmap failed[^\n]*"
    rb"|(?:Read |Write )?[Uu]nlock failed[^\n]*|File lock for [^\n]*failed[^\n]*"
    rb"|(?:open|creat|read|write|pread|pwrite|preadv|pwritev|fsync|close|lseek|fdopen|fclose|fwrite|fflush|ranread"
    rb"|write failed|Memory allocation failed:|shmget|mmap): [A-Z][^\n]*)",
    re.MULTILINE,
)
_DIRECT = re.compile(_LINE_START + rb"O_DIRECT(?:IO)? feature enabled", re.MULTILINE)
_CLUSTER = re.compile(_LINE_START + rb"(?:Network distribution mode enabled|Test running:)", re.MULTILINE)


class _Block:
    """The lines of one test, as matches of the forms above."""

    def __init__(self, children: re.Match[bytes], sizes: re.Match[bytes] | None):
        self.children = children
        self.sizes = sizes
        self.threads = int(children[2])
        self.unit = children[5]
        self.parent: re.Match[bytes] | None = None
        self.per_process: list[re.Match[bytes]] = []
        self.least_moved: re.Match[bytes] | None = None
        self.processor: re.Match[bytes] | None = None
        self.each: list[re.Match[bytes]] = []

    def add(self, kind: int, line: re.Match[bytes]) -> None:
        """Take the next line of the block; raise `LogError` when it cannot stand here."""
        if kind == _AGGREGATE:
            fits = not self.per_process and not self.parent and line.group(2, 3, 5) == self.children.group(2, 3, 5)
            self.parent = line
        elif kind == _PER_PROCESS:
            fits = [*(known[1] for known in self.per_process), line[1]] == _ORDER[: len(self.per_process) + 1]
            fits = fits and line[3] == self.unit
            self.per_process.append(line)
        elif kind == _LEAST_MOVED:
            fits = len(self.per_process) == 3 and not self.least_moved and line[2] == self.unit
            self.least_moved = line
        elif kind == _PROCESSOR:
            fits = self.least_moved is not None and not self.processor and not self.each
            self.processor = line
        else:
            fits = self.least_moved is not None and int(line[1]) == len(self.each)
            fits = fits and line[3] == line[5] == self.unit
            self.each.append(line)
        if not fits:
            raise LogError(f"{_place(line)}: this line does not belong here: the block of results is jumbled or cut")

    def check(self) -> None:
        """Raise `LogError` unless the block is whole, moved something, and agrees with itself."""
        where = _place(self.children)
        if self.least_moved is None:
            raise LogError(f"{where}: the block of results that starts here is cut short")
        if self.each and len(self.each) != self.threads:
            raise LogError(f"{where}: {len(self.each)} of {self.threads} child lines are there: the block is cut short")
        total = float(self.children[4])
        least, most, mean = (float(line[2]) for line in self.per_process)
        each = [float(line[4]) for line in self.each]
        if 0 in (total, least, most, mean, *each) or (self.parent and float(self.parent[4]) == 0):
            raise LogError(f"{where}: a rate is zero: a process moved nothing, so the test failed or was too short")
        rounding = 0.006 * (self.threads + 1) + 1e-6 * total
        if abs(mean * self.threads - total) > rounding or not least - 0.006 <= mean <= most + 0.006:
            raise LogError(f"{where}: children, min, max and avg disagree: a process moved nothing, or a digit is lost")
        if each and (abs(sum(each) - total) > rounding or (min(each), max(each)) != (least, most)):
            raise LogError(f"{where}: the child lines disagree with the sum, min or max above them")

    def key(self) -> tuple[Any, ...]:
        """Return what tells this test from others of the same log."""
        return (*self.children.group(2, 3, 5), self.sizes and self.sizes.group(1, 2))

    def figures(self) -> tuple[bytes, ...]:
        """Return the printed figures, to tell a repeated block from a second measurement."""
        lines = (self.children, self.parent, *self.per_process, self.least_moved, self.processor, *self.each)
        return tuple(line[0] for line in lines if line)


class _Run:
    """One call of IOzone: its blocks and what its head says."""

    def __init__(self, log: bytes, start: int, end: int):
        version = _VERSION.search(log, start, end)
        if not version and log.startswith(_BANNER, start):
            raise LogError(f"{_line_number(log, start)}: IOzone states no version 3.x: the banner is broken or unknown")
        self.version = version[1].decode() if version else None
        self.direct_io = True if _DIRECT.search(log, start, end) else False if version else None
        self.shared = b" -F " in log[start : min(end, start + 8192)]
        self.blocks = _find_blocks(log, start, end)
        cluster = _CLUSTER.search(log, start, end) is not None
        for block in self.blocks:
            block.check()
            if not block.parent and version and not cluster:
                raise LogError(f"{_place(block.children)}: the line of what the parent sees is missing")

    def records(self, block: _Block, repetition: int | None) -> list[Record]:
        """Return the values that one block states."""
        operation = OPERATION_OF_TEST[block.children[3]]
        scale, metric = (1, "rate") if block.unit == b"ops" else (KIBIBYTE, "throughput")
        factors: dict[str, Any] = {"threads": block.threads}
        if block.sizes:
            factors["file_size"] = int(block.sizes[1]) * KIBIBYTE
            if block.sizes[2]:
                factors["transfer_size"] = int(block.sizes[2]) * KIBIBYTE
        if not self.shared:
            factors["file_layout"] = "file-per-thread"
        if self.direct_io is not None:
            factors["direct_io"] = self.direct_io
        caveats = ("stonewalled",) if _is_stonewalled(block) else ()

        def record(
            line: re.Match[bytes], group: int, metric: str, statistic: str, definition: str, process: int | None = None
        ) -> Record:
            seconds = metric == "elapsed"
            return Record(
                "iozone", self.version, operation, metric, statistic,
                float(line[group]) * (1 if seconds else scale), UNIT_OF_METRIC[metric], repetition, definition,
                line.start(group), len(line[group]),
                line[group].decode() if seconds else f"{line[group].decode()} {block.unit.decode()}/sec", caveats,
                factors if process is None else {**factors, "process": process},
            )  # fmt: skip

        per_process = "rate" if metric == "rate" else "throughput_per_process"
        found = [record(block.children, 4, metric, "value", CHILDREN)]
        if block.parent:
            found.append(record(block.parent, 4, "rate" if metric == "rate" else "throughput_parent", "value", PARENT))
        found += (record(line, 2, per_process, _STATISTIC[line[1]], PER_PROCESS) for line in block.per_process)
        if block.processor and float(block.processor[1]):
            found.append(record(block.processor, 1, "elapsed", "max", WALL))
        for process, line in enumerate(block.each):
            found.append(record(line, 4, per_process, "value", ONE_PROCESS, process))
            if line[6] and float(line[6]):
                found.append(record(line, 6, "elapsed", "value", ONE_PROCESS, process))
        return found


def recognise(log: bytes) -> bool:
    """Return whether the log looks like IOzone's: by its banner or by a line of results."""
    return _BANNER in log or b"Children see throughput for" in log


def read(log: bytes) -> list[Record]:
    """Return every rate that a log of IOzone's throughput mode states.

    Parameters
    ----------
    log : bytes
        One or more calls of ``iozone -t``, with any text before, after and between the lines.

    Returns
    -------
    list of Record
        ``throughput`` (B/s) or, with ``-O``, ``rate`` (1/s): the sum of the children first, then the parent's figure,
        then min, max and mean over the processes, then each process (``-C``). Blocks that repeat the same figures
        (``-R``, a log pasted twice) count once; the same test measured in several calls is told apart by
        ``repetition``. Figures of a test that its fastest process ended for the others carry ``stonewalled``.

    Raises
    ------
    LogError
        If IOzone printed an error or a zero rate, did not print ``iozone test complete.``, printed no throughput
        (single-process mode), or if a line of results is broken, missing or contradicts the others.
    """
    failure = _FAILURE.search(log)
    if failure:
        said = failure[1][:120].decode("utf-8", "replace").strip()
        raise LogError(
            f"{_line_number(log, failure.start(1))}: IOzone says {said!r}: the test failed, whatever it exits with"
        )
    starts = [match.start() for match in re.finditer(re.escape(_BANNER), log)]
    if not starts or _FORMS[0].search(log, 0, starts[0]):
        starts.insert(0, 0)
    runs = [_Run(log, start, end) for start, end in zip(starts, [*starts[1:], len(log)], strict=True)]
    seen: dict[tuple[Any, ...], list[tuple[bytes, ...]]] = {}
    chosen = []
    for run in runs:
        for block in run.blocks:
            known = seen.setdefault((*block.key(), run.direct_io), [])
            if block.figures() not in known:
                known.append(block.figures())
                chosen.append((run, block, known, len(known) - 1))
    found: list[Record] = []
    for run, block, known, repetition in chosen:
        found += run.records(block, repetition if len(known) > 1 else None)
    return found


def _find_blocks(log: bytes, start: int, end: int) -> list[_Block]:
    """Return the blocks of results of one call; raise `LogError` if it did not end or a line is broken."""
    blocks: list[_Block] = []
    threads, sizes, ended = None, None, False
    for statement in _STATEMENT.finditer(log, start, end):
        kind = _KINDS[statement[1]]
        line = _FORMS[kind].match(log, statement.start(1), end)
        if line is None:
            place = _line_number(log, statement.start(1))
            raise LogError(f"{place}: a line of results is broken: {_quote(log[slice(*statement.span())])}")
        if kind == _END:
            ended = True
        elif kind == _PROCESSES:
            threads = int(line[1])
        elif kind == _SIZES:
            sizes = line
        elif kind == _AGGREGATE and line[1] == b"Children see":
            if line[3] not in OPERATION_OF_TEST:
                raise LogError(f"{_place(line)}: no test of IOzone is called {_quote(line[3])}")
            if threads not in (None, int(line[2])):
                raise LogError(f"{_place(line)}: {line[2].decode()} children in a test with {threads} processes")
            blocks.append(_Block(line, sizes))
            ended = False
        elif not blocks:
            raise LogError(f"{_place(line)}: the block of results that ends here has lost its first line")
        else:
            blocks[-1].add(kind, line)
    if not ended:
        raise LogError("IOzone did not print 'iozone test complete.': the run was cut short or is still going")
    if not blocks:
        raise LogError("no results of IOzone's throughput mode: run it with -t; its single-process table is not read")
    return blocks


def _is_stonewalled(block: _Block) -> bool:
    """Return whether a process had moved less than its file when the fastest one ended the test."""
    if not block.sizes or not block.least_moved:
        return False
    whole = float(block.sizes[1])
    if block.unit == b"ops":
        if not block.sizes[2]:
            return False
        whole /= int(block.sizes[2])
    return float(block.least_moved[1]) < whole


def _place(line: re.Match[bytes]) -> str:
    """Return the line number of a match, for a message."""
    return _line_number(line.string, line.start())


def _line_number(log: bytes, offset: int) -> str:
    """Return the number of the line that holds a byte, for a message."""
    return f"line {log.count(_NEWLINE, 0, offset) + 1}"


def _quote(text: bytes) -> str:
    """Return the start of a text as it can stand in a one-line message."""
    return repr(text[:80].decode("utf-8", "replace").strip())
