"""One call of IOzone's throughput mode: its header, its blocks of results, and the records of each.

Source: ``iozone.c``, ``main`` for the head and ``throughput_test`` for the results.
"""

import re
from typing import Any

from coldcache.core.errors import LogError
from coldcache.core.records import UNIT_OF_METRIC, Record
from coldcache.core.units import KIB
from coldcache.tools.iozone.blocks import (
    AGGREGATE,
    BLOCK_KINDS,
    END,
    FORMS,
    LINE_START,
    SIZES,
    STATEMENT,
    BlockLines,
    line_number,
    place,
    quote,
)

#: The operation of each test, by its name in the result lines.
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
CHILD_TIME = "one process over its own time"
UNTIL_FIRST_DONE = "over the processes: calls until the first of them is done"
WALL = "wall time of the slowest process"

_STATISTIC = {b"Min": "min", b"Max": "max", b"Avg": "mean"}

BANNER = b"Iozone: Performance Test of File I/O"
_VERSION = re.compile(rb"Version \$Revision: (3\.[0-9]{1,4}) \$")

_DIRECT = re.compile(LINE_START + rb"O_DIRECT(?:IO)? feature enabled")
_FILES = re.compile(LINE_START + rb"Command line used: [^\n]*? -F((?: +[^-\s]\S*+)+)")
_HEAD = re.compile(
    LINE_START + rb"(?:Run began: |Command line used: |Throughput test with |Each (?:process|thread) writes )"
)
_CLUSTER = re.compile(LINE_START + rb"(?:Network distribution mode enabled|Test running:)")


class IozoneRun:
    """One call of IOzone: its header and its blocks."""

    def __init__(self, log: bytes, start: int, end: int):
        self.version = version = find_version(log, start, end)
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

    def records(self, block: BlockLines, repetition: int | None) -> list[Record]:
        """Return the records of one block."""
        found: list[Record] = []
        operation = OPERATION_OF_TEST[block.children[3]]
        factors, caveats = self.factors(block), ("stonewalled",) if block.is_stonewalled() else ()
        calls = block.unit == b"ops"
        unit = block.unit.decode()
        scale, aggregate, parent, per_process = (
            (1, "rate", "rate", "rate") if calls else (KIB, "throughput", "throughput_parent", "throughput_per_process")
        )

        suffixes = {"elapsed": "", "count": f" {unit}"}
        suffix_of_rate = f" {unit}/sec"

        def add(line: re.Match[bytes], group: int, metric: str, statistic: str, definition: str, **more: Any) -> None:
            printed = line[group].decode()
            found.append(
                Record._make((
                    "iozone", self.version, operation, metric, statistic,
                    float(printed) * (scale if metric != "elapsed" else 1), UNIT_OF_METRIC[metric], repetition,
                    definition, line.start(group) - 1, len(printed), printed + suffixes.get(metric, suffix_of_rate),
                    caveats, {**factors, **more} if more else factors,
                ))
            )  # fmt: skip

        add(block.children, 4, aggregate, "value", CHILDREN)
        if block.parent:
            add(block.parent, 4, parent, "value", PARENT)
        moved = block.moved_bytes()
        for line in block.per_process:
            bounds = {"moved": moved} if moved and line[1] == b"Min" else {}
            add(line, 2, per_process, _STATISTIC[line[1]], OVER_PROCESSES, **bounds)
        if calls and block.least_moved:
            add(block.least_moved, 1, "count", "min", UNTIL_FIRST_DONE)
        if block.processor and float(block.processor[1]):
            add(block.processor, 1, "elapsed", "max", WALL)
        for process, line in enumerate(block.each):
            if calls:
                add(line, 2, "count", "value", CHILD_TIME, process=process)
            add(line, 4, per_process, "value", CHILD_TIME, process=process)
            if line[6] and float(line[6]):
                add(line, 6, "elapsed", "value", CHILD_TIME, process=process)
        return found

    def factors(self, block: BlockLines) -> dict[str, Any]:
        """Return the factors of one block, in stored units."""
        factors: dict[str, Any] = {"threads": block.threads}
        if block.sizes:
            factors["file_size"] = int(block.sizes[1]) * KIB
            if block.sizes[2]:
                factors["transfer_size"] = int(block.sizes[2]) * KIB
        # Without -F each process creates its own file.
        files = self.files[: block.threads]
        if self.version and (not files or len(set(files)) == block.threads):
            factors["file_layout"] = "file-per-thread"
        elif files and block.threads == len(files) and len(set(files)) == 1:
            factors["file_layout"] = "shared-file"
        if self.direct_io is not None:
            factors["direct_io"] = self.direct_io
        return factors


def find_version(log: bytes, start: int, end: int) -> str | None:
    """Return the version that a call states, None if it has no banner; raise `LogError` for a broken banner."""
    version = _VERSION.search(log, start, end)
    if not version and log.startswith(BANNER, start):
        raise LogError(f"{line_number(log, start)}: IOzone states no version 3.x: the banner is broken or unknown")
    return version[1].decode() if version else None


def _find_blocks(log: bytes, start: int, end: int) -> list[BlockLines]:
    """Return the blocks of results of one call; raise `LogError` if it did not end or a line is broken."""
    blocks: list[BlockLines] = []
    sizes, ended, after = None, False, start
    for statement in STATEMENT.finditer(log, start, end):
        kind = BLOCK_KINDS[statement[1]]
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
            blocks.append(BlockLines(line, sizes))
            ended = False
        elif not blocks:
            raise LogError(f"{place(line)}: the block of results that ends here has lost its first line")
        else:
            blocks[-1].add(kind, line)
    if not ended and not _is_excerpt(log, start, after, end):
        raise LogError("IOzone did not print 'iozone test complete.': the run was cut short or is still going")
    if not blocks:
        raise LogError("no results of IOzone: neither those of its throughput mode (-t) nor a table of one process")
    return blocks


def _is_excerpt(log: bytes, start: int, after: int, end: int) -> bool:
    """Return whether complete blocks are quoted: without a run's header before them, and with other text after them.

    A log that was cut short has its header, or ends with its last line of results.
    """
    return (
        after > start
        and not _HEAD.search(log, start, after)
        and bool(log[after : min(end, after + 65536)].strip(b"> |\t\r\n"))
    )
