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
from coldcache.tools.iozone_block import (
    AGGREGATE,
    END,
    FORMS,
    KINDS,
    LINE_START,
    SIZES,
    STATEMENT,
    Block,
    line_number,
    place,
    quote,
)

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
OVER_PROCESSES = "over the processes, each over its own time"
ONE_PROCESS = "one process over its own time"
MOVED = "over the processes: calls until the first of them is done"
WALL = "wall time of the slowest process"

# Half the price of calling the class, on the path that every value of a log takes.
_make_tuple = tuple.__new__

_STATISTIC = {b"Min": "min", b"Max": "max", b"Avg": "mean"}

_BANNER = b"Iozone: Performance Test of File I/O"
_VERSION = re.compile(rb"Version \$Revision: (3\.[0-9]{1,4}) \$")

# What IOzone says when something went wrong; perror(3) puts the name of the call first.
_CALLS = (
    rb"open|creat|read|write|pread|pwrite|preadv|pwritev|fsync|close|lseek|fdopen|fclose|fwrite|fflush|ranread|shmget"
    rb"|mmap|pit_gettimeofday"
)
_FAILURE = re.compile(
    LINE_START + rb"((?:"
    rb"Error (?:writing|reading|p?f?writ|p?f?read|in file|[0-9])|Can not |Unable to |Found pattern|Dedup mis-compare"
    rb"|iozone: interrupted|exiting iozone|I/O error during |Sanity check failed|Mapping failed|Mmap failed"
    rb"|(?:Test running:[ \t]*)?Client # [0-9]+ (?:reporting an error|is not running)"
    rb"|[Ff]ork failed|Thread (?:create failed|join returned error)|(?:Read |Write )?[Uu]nlock failed|File lock for "
    rb"|Master(?: read failed|: [a-z ]*failed| error)|Memory allocation failed|(?:" + _CALLS + rb"): [A-Z])[^\n]*)"
)
_DIRECT = re.compile(LINE_START + rb"O_DIRECT(?:IO)? feature enabled")
_FILES = re.compile(LINE_START + rb"Command line used: [^\n]*? -F((?: +[^-\s]\S*+)++)")
_HEAD = re.compile(
    LINE_START + rb"(?:Run began: |Command line used: |Throughput test with |Each (?:process|thread) writes )"
)
_CLUSTER = re.compile(LINE_START + rb"(?:Network distribution mode enabled|Test running:)")


class _Run:
    """One call of IOzone: its blocks and what its head says."""

    def __init__(self, log: bytes, start: int, end: int):
        version = _VERSION.search(log, start, end)
        if not version and log.startswith(_BANNER, start):
            raise LogError(f"{line_number(log, start)}: IOzone states no version 3.x: the banner is broken or unknown")
        self.version = version[1].decode() if version else None
        self.direct_io = True if _DIRECT.search(log, start, end) else False if version else None
        named = _FILES.search(log, start, end)
        self.files = named[1].split() if named else []
        self.blocks = _find_blocks(log, start, end)
        cluster = _CLUSTER.search(log, start, end) is not None
        for block in self.blocks:
            block.check()
            if not block.parent and version and not cluster:
                raise LogError(f"{place(block.children)}: the line of what the parent sees is missing")
        for what in ("each", "processor"):
            without = [block for block in self.blocks if not getattr(block, what)]
            if 0 < len(without) < len(self.blocks):
                raise without[0].error("the block lacks lines that other blocks have (-C, -+u): it is cut short")

    def records(self, block: Block, repetition: int | None) -> list[Record]:
        """Return the values that one block states."""
        found: list[Record] = []
        operation = OPERATION_OF_TEST[block.children[3]]
        factors, caveats = self.factors(block), ("stonewalled",) if block.is_stonewalled() else ()
        calls = block.unit == b"ops"
        unit = block.unit.decode()
        scale, aggregate, parent, per_process = (
            (1, "rate", "rate", "rate")
            if calls
            else (KIBIBYTE, "throughput", "throughput_parent", "throughput_per_process")
        )

        suffixes = {"elapsed": "", "count": f" {unit}"}
        suffix_of_rate = f" {unit}/sec"

        def add(line: re.Match[bytes], group: int, metric: str, statistic: str, definition: str, **more: int) -> None:
            printed = line[group].decode()
            found.append(
                _make_tuple(Record, (
                    "iozone", self.version, operation, metric, statistic,
                    float(printed) * (scale if metric != "elapsed" else 1), UNIT_OF_METRIC[metric], repetition,
                    definition, line.start(group) - 1, len(printed), printed + suffixes.get(metric, suffix_of_rate),
                    caveats, {**factors, **more} if more else factors,
                ))
            )  # fmt: skip

        add(block.children, 4, aggregate, "value", CHILDREN)
        if block.parent:
            add(block.parent, 4, parent, "value", PARENT)
        for line in block.per_process:
            add(line, 2, per_process, _STATISTIC[line[1]], OVER_PROCESSES)
        if calls and block.least_moved:
            add(block.least_moved, 1, "count", "min", MOVED)
        if block.processor and float(block.processor[1]):
            add(block.processor, 1, "elapsed", "max", WALL)
        for process, line in enumerate(block.each):
            if calls:
                add(line, 2, "count", "value", ONE_PROCESS, process=process)
            add(line, 4, per_process, "value", ONE_PROCESS, process=process)
            if line[6] and float(line[6]):
                add(line, 6, "elapsed", "value", ONE_PROCESS, process=process)
        return found

    def factors(self, block: Block) -> dict[str, Any]:
        """Return what the log tells of the factors of one block, in stored units."""
        factors: dict[str, Any] = {"threads": block.threads}
        if block.sizes:
            factors["file_size"] = int(block.sizes[1]) * KIBIBYTE
            if block.sizes[2]:
                factors["transfer_size"] = int(block.sizes[2]) * KIBIBYTE
        # Without -F each process makes a file of its own.
        files = self.files[: block.threads]
        if self.version and (not files or len(set(files)) == block.threads):
            factors["file_layout"] = "file-per-thread"
        elif files and block.threads == len(files) and len(set(files)) == 1:
            factors["file_layout"] = "shared-file"
        if self.direct_io is not None:
            factors["direct_io"] = self.direct_io
        return factors


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
    log = b"\n" + log
    failure = _FAILURE.search(log)
    if failure:
        said = failure[1][:120].decode("utf-8", "replace").strip()
        raise LogError(
            f"{line_number(log, failure.start(1))}: IOzone says {said!r}: the test failed, whatever it exits with"
        )
    starts = [match.start() for match in re.finditer(re.escape(_BANNER), log)]
    if not starts or FORMS[0].search(log, 0, starts[0]):
        starts.insert(0, 0)
    runs = [_Run(log, start, end) for start, end in zip(starts, [*starts[1:], len(log)], strict=True)]
    # Per test, the figures seen and the number of each; a dictionary because the same test may stand there 1e5 times.
    seen: dict[tuple[Any, ...], dict[tuple[bytes, ...], int]] = {}
    chosen, begun = [], set()
    for run in runs:
        for block in run.blocks:
            test = (*block.key(), run.direct_io)
            known = seen.setdefault(test, {})
            figures = block.figures()
            if figures not in known:
                if (*test, block.children[4]) in begun:
                    raise block.error("the block begins like one before it and ends otherwise: lines stand there twice")
                begun.add((*test, block.children[4]))
                known[figures] = len(known)
                chosen.append((run, block, known, known[figures]))
    found: list[Record] = []
    for run, block, known, repetition in chosen:
        found += run.records(block, repetition if len(known) > 1 else None)
    return found


def _find_blocks(log: bytes, start: int, end: int) -> list[Block]:
    """Return the blocks of results of one call; raise `LogError` if it did not end or a line is broken."""
    blocks: list[Block] = []
    sizes, ended, after = None, False, start
    for statement in STATEMENT.finditer(log, start, end):
        kind = KINDS[statement[1]]
        line = FORMS[kind].match(log, statement.start(1), end)
        if line is None:
            where = line_number(log, statement.start(1))
            raise LogError(f"{where}: a line of results is broken: {quote(log[slice(*statement.span())])}")
        after = line.end()
        if kind == END:
            ended = True
        elif kind == SIZES:
            sizes = line
        elif kind == AGGREGATE and line[1] == b"Children see":
            if line[3] not in OPERATION_OF_TEST:
                raise LogError(f"{place(line)}: no test of IOzone is called {quote(line[3])}")
            blocks.append(Block(line, sizes))
            ended = False
        elif not blocks:
            raise LogError(f"{place(line)}: the block of results that ends here has lost its first line")
        else:
            blocks[-1].add(kind, line)
    if not ended and not _is_excerpt(log, start, after, end):
        raise LogError("IOzone did not print 'iozone test complete.': the run was cut short or is still going")
    if not blocks:
        raise LogError("no results of IOzone's throughput mode: run it with -t; its single-process table is not read")
    return blocks


def _is_excerpt(log: bytes, start: int, after: int, end: int) -> bool:
    """Return whether whole blocks are quoted: no head of a run before them, and other text goes on behind them.

    A log that was cut short has its head, or ends with its last line of results.
    """
    return (
        after > start
        and not _HEAD.search(log, start, after)
        and bool(log[after : min(end, after + 65536)].strip(b"> |\t\r\n"))
    )
