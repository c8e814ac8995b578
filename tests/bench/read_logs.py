#!/usr/bin/env python3
"""Print how fast logs are read, each figure beside its goal. Run from the project's root by `make bench`."""

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

SPECIMENS = Path("tests/specimens")
PARSE = [sys.executable, "-m", "coldcache", "parse"]
#: Typical sizes of logs, in B.
_SMALLEST, _LARGEST = 2_000, 40_000


def seconds_of(logs: list[Path], status: int) -> float:
    """Return the wall time that `parse` takes for some logs, in s."""
    began = time.monotonic()
    ended = subprocess.run([*PARSE, *logs], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    assert ended.returncode == status
    return time.monotonic() - began


def choose_logs() -> list[Path]:
    """Return the specimens of typical size that are read, of every tool."""
    logs = [path for path in sorted(SPECIMENS.glob("*-*")) if _SMALLEST <= path.stat().st_size <= _LARGEST]
    return [log for log in logs if subprocess.run([*PARSE, log], capture_output=True, check=False).returncode == 0]


def figures() -> Iterator[tuple[str, float, str, float, bool]]:
    """Yield what was measured, the figure, its unit, its goal, and whether the goal is a maximum."""
    logs = choose_logs()
    start = min(seconds_of([logs[0]], 0) for _ in range(5))
    yield "start of `parse`, with one log", start, "s", 0.3, True
    # The command line holds some 20,000 short paths.
    many = (logs * (10_000 // len(logs) + 1))[:10_000]
    yield f"{len(logs)} kinds of logs, mixed", len(many) / (seconds_of(many, 0) - start), "logs/s", 10_000, False
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
