"""The result lines of IOzone's throughput mode, one block per test, and the checks of a block.

Source: ``iozone.c``, function ``throughput_test``, in which every test prints the same lines.
"""

import re
from typing import Any

from coldcache.core.errors import LogError

_NEWLINE = b"\n"
_ORDER = [b"Min", b"Max", b"Avg"]
_NUMBER = rb" *+([0-9]{1,18}\.[0-9]{2})"
_UNIT = rb" ([Kk]B|ops)"
_SECONDS = rb" *+([0-9]{1,12}\.[0-9]{3})"
_EQUALS = rb"[ \t]*+="
_LINE_END = rb"[ \t\r]*+(?:\n|\Z)"

# Quoted mail and `srun --label` prefix each line. A line end is found faster than a line start, so the reader puts one
# before the log.
LINE_START = rb"\n[>| \t]*+(?:[0-9]{1,9}:[ \t]*+)?"
BLOCK_KINDS = {
    b"Children see": 0, b"Parent sees": 0, b"Min throughput": 1, b"Max throughput": 1, b"Avg throughput": 1,
    b"Min xfer": 2, b"CPU Utilization:": 3, b"CPU utilization:": 3, b"Child[": 4,
    b"Each process": 5, b"Each thread": 5, b"iozone test complete": 6,
}  # fmt: skip
STATEMENT = re.compile(
    LINE_START + rb"(Children see|Parent sees|(?:Min|Max|Avg) throughput|Min xfer|CPU [Uu]tilization:|Child\["
    rb"|Each (?:process|thread)|iozone test complete)[^\n]*"
)
FORMS = (
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
    re.compile(
        rb"Each (?:process|thread) writes a ([0-9]{1,18}) [Kk][Bb]ytes? file in (?:([0-9]{1,18}) [Kk][Bb]yte"
        rb"|telemetry controlled) records" + _LINE_END
    ),
    re.compile(rb"iozone test complete\." + _LINE_END),
)  # fmt: skip
AGGREGATE, PER_PROCESS, LEAST_MOVED, PROCESSOR, CHILD, SIZES, END = range(7)


class BlockLines:
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
        """Add the next line of the block; raise `LogError` if it is misplaced."""
        if kind == AGGREGATE:
            fits = not self.per_process and not self.parent and line.group(2, 3, 5) == self.children.group(2, 3, 5)
            self.parent = line
        elif kind == PER_PROCESS:
            fits = [*(known[1] for known in self.per_process), line[1]] == _ORDER[: len(self.per_process) + 1]
            fits = fits and line[3] == self.unit
            self.per_process.append(line)
        elif kind == LEAST_MOVED:
            fits = len(self.per_process) == 3 and not self.least_moved and line[2] == self.unit
            self.least_moved = line
        elif kind == PROCESSOR:
            fits = self.least_moved is not None and not self.processor and not self.each
            self.processor = line
        else:
            fits = self.least_moved is not None and int(line[1]) == len(self.each)
            fits = fits and line[3] == line[5] == self.unit
            self.each.append(line)
        if not fits:
            raise LogError(f"{place(line)}: this line does not belong here: the block of results is jumbled or cut")

    def check(self) -> None:
        """Raise `LogError` unless the block is complete, moved something, and is consistent."""
        if self.least_moved is None:
            raise self.error("the block of results that starts here is cut short")
        if self.each and len(self.each) != self.threads:
            raise self.error(f"{len(self.each)} of {self.threads} child lines are there: the block is cut short")
        total = float(self.children[4])
        least, most, mean = (float(line[2]) for line in self.per_process)
        each = [float(line[4]) for line in self.each]
        if 0 in (total, least, most, mean, *each) or (self.parent and float(self.parent[4]) == 0):
            raise self.error("a rate is zero: a process moved nothing, so the test failed or was too short")
        rounding = 0.006 * (self.threads + 1)
        if abs(mean * self.threads - total) > rounding or not least - 0.006 <= mean <= most + 0.006:
            raise self.error("children, min, max and avg disagree: a process moved nothing, or a digit is lost")
        # In its search for the minimum, IOzone skips leading processes that moved nothing.
        rounding += 1e-6 * total
        others = self.threads - 1
        if not least * others + most - rounding <= total <= most * others + least + rounding:
            raise self.error("min, max and the sum disagree: a process moved nothing, or a line is of another test")
        self._check_times()
        if each and (abs(sum(each) - total) > rounding + 1e-6 * total or (min(each), max(each)) != (least, most)):
            raise self.error("the child lines disagree with the sum, min or max above them")
        if each and min(float(line[2]) for line in self.each) != float(self.least_moved[1]):
            raise self.error("the child lines disagree with the min xfer above them")
        walls = [float(line[6]) for line in self.each if line[6]]
        if walls and self.processor and float(self.processor[1]) not in (0.0, max(walls)):
            raise self.error("the child lines disagree with the wall time above them")

    def _check_times(self) -> None:
        """Raise `LogError` if a process would have taken longer than the parent or the slowest process.

        The process with the lowest rate moved at least the min xfer, and no process moved more than its file.
        """
        if self.least_moved is None:
            return
        least, moved = float(self.per_process[0][2]), float(self.least_moved[1])
        if self.processor and 0 < float(self.processor[1]) * 1.02 + 0.002 < moved / least:
            raise self.error("min xfer, min throughput and wall time disagree: a line is of another test")
        whole = self._file()
        if self.parent and whole and moved:
            longest = (moved + (self.threads - 1) * whole) / float(self.parent[4])
            if moved / least > 1.05 * longest:
                raise self.error("min xfer, min throughput and the parent's time disagree: a line is of another test")

    def _file(self) -> float | None:
        """Return the total that a process moves, in the unit of the block; None if the log does not say."""
        if not self.sizes:
            return None
        # Without -O blocks are in KiB; a telemetry log states no record size.
        unit = int(self.sizes[2] or 0) if self.unit == b"ops" else 1
        return int(self.sizes[1]) / unit if unit else None

    def moved_bytes(self) -> tuple[float, float] | None:
        """Return the least and the most bytes that the test moved, in B; None if the log does not say.

        The sum of the processes where each is printed, all files where every process finished its own, and otherwise
        what lies between the least that any of them moved and its whole file.
        """
        if not self.sizes or self.least_moved is None or (self.unit == b"ops" and not self.sizes[2]):
            return None
        unit = 1024 * (int(self.sizes[2]) if self.unit == b"ops" else 1)
        if self.each:
            total = unit * sum(float(line[2]) for line in self.each)
            return total, total
        return unit * float(self.least_moved[1]) * self.threads, 1024.0 * int(self.sizes[1]) * self.threads

    def error(self, why: str) -> LogError:
        """Return an error that names the line where the block starts."""
        return LogError(f"{place(self.children)}: {why}")

    def is_stonewalled(self) -> bool:
        """Return whether a process had not finished its file when the fastest one ended the test."""
        whole = self._file()
        return whole is not None and self.least_moved is not None and float(self.least_moved[1]) < whole

    def key(self) -> tuple[Any, ...]:
        """Return the key that distinguishes this test from others of the same log."""
        return (*self.children.group(2, 3, 5), self.sizes and self.sizes.group(1, 2))

    def figures(self) -> tuple[bytes, ...]:
        """Return the printed figures, to distinguish a repeated block from a second measurement."""
        lines = (self.children, self.parent, *self.per_process, self.least_moved, self.processor, *self.each)
        return tuple(line[0] for line in lines if line)


def place(line: re.Match[bytes]) -> str:
    """Return the line number of a match, for a message."""
    return line_number(line.string, line.start())


def line_number(log: bytes, offset: int) -> str:
    """Return the line that holds a byte, for a message; the text has an extra line end before the first line."""
    return f"line {log.count(_NEWLINE, 0, offset)}"


def quote(text: bytes) -> str:
    """Return the start of a text, quoted for a one-line message."""
    return repr(text[:80].decode("utf-8", "replace").strip())
