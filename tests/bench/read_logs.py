#!/usr/bin/env python3
"""Print how fast logs are read, each figure beside its goal. Run from the project's root by `make bench`.

Processor time counts, for other load on the machine changes it little.
"""

import gc
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from coldcache.records import to_json_lines
from coldcache.tools import read_file

SPECIMENS = Path("tests/specimens")
PARSE = [sys.executable, "-m", "coldcache", "parse"]
#: Typical sizes of logs, in B.
_SMALLEST, _LARGEST = 2_000, 40_000
_NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?")
_TURNS = 15


def seconds_of(logs: list[Path], status: int) -> float:
    """Return the processor time that `parse` takes for some logs, in s, with that of its processes."""
    began = time_of_children()
    ended = subprocess.run([*PARSE, *logs], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    assert ended.returncode == status
    return time_of_children() - began


def time_of_children() -> float:
    """Return the processor time of all processes that have ended, in s."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def choose_logs() -> list[Path]:
    """Return the specimens of typical size that are read, of every tool."""
    logs = [path for path in sorted(SPECIMENS.glob("*-*")) if _SMALLEST <= path.stat().st_size <= _LARGEST]
    return [log for log in logs if subprocess.run([*PARSE, log], capture_output=True, check=False).returncode == 0]


def processor_time(read: Callable[[Path], object], logs: list[Path]) -> float:
    """Return the processor time that one process needs to read each of some logs once, in s."""
    began = time.process_time()
    for log in logs:
        read(log)
    return time.process_time() - began


def print_log(log: Path) -> str:
    """Return what `parse` prints of a log."""
    return to_json_lines(read_file(log), str(log))


def find_numbers(log: Path) -> list[tuple[int, float]]:
    """Return every number of a log and its place: the least that any reader has to do."""
    return [(number.start(), float(number[0])) for number in _NUMBER.finditer(log.read_bytes())]


def compare_with_floor(logs: list[Path]) -> tuple[float, float]:
    """Return the logs that one core reads in a second, and their time over that of `find_numbers`.

    Both take turns, so that what else the machine does burdens both alike; the least of each counts.
    """
    gc.set_threshold(1_000_000)
    times = [(processor_time(print_log, logs), processor_time(find_numbers, logs)) for _ in range(_TURNS)]
    mine, floor = (min(column) for column in zip(*times, strict=True))
    return len(logs) / mine, mine / floor


def figures() -> Iterator[tuple[str, float, str, float, bool]]:
    """Yield what was measured, the figure, its unit, its goal, and whether the goal is a maximum."""
    logs = choose_logs()
    start = min(seconds_of([logs[0]], 0) for _ in range(5))
    yield "start of `parse`, with one log", start, "s", 0.3, True
    # The command line holds some 20,000 short paths.
    many = (logs * (10_000 // len(logs) + 1))[:10_000]
    per_core = len(many) / (seconds_of(many, 0) - start)
    yield f"{len(logs)} kinds of logs, mixed, on two cores", 2 * per_core, "logs/s", 10_000, False
    per_core, ratio = compare_with_floor(logs)
    yield "the same, without processes and output", 2 * per_core, "logs/s", 10_000, False
    yield "the same over a plain search for their numbers", ratio, "times", 2, True
    with tempfile.TemporaryDirectory() as folder:
        series = Path(folder, "long_bw.1.log")
        series.write_text("".join(f"{100 * row}, {100_000 + row % 999}, {row % 2}, 0, 0\n" for row in range(1_000_000)))
        megabytes = series.stat().st_size / 1e6
        yield "a series of 1,000,000 records", seconds_of([series], 0) / megabytes * 10, "s per 10 MB", 1, True
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    yield "peak memory of all these", peak, "MiB", 500, True


def main() -> int:
    """Print the table; return 1 if a goal was missed."""
    table = Table("what", "measured", "goal")
    missed = 0
    for what, figure, unit, goal, is_most in figures():
        met = figure <= goal if is_most else figure >= goal
        missed += not met
        table.add_row(what, f"{figure:.5g} {unit}", f"{'≤≥'[not is_most]} {goal:g} {unit}{'' if met else '  missed'}")
    Console(width=110).print(table)
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
