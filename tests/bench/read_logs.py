#!/usr/bin/env python3
"""Print how fast logs are read, each figure beside its goal. Run from the project's root by `make bench`.

The logs are those of tests/specimens, by tool; a rate is that of the fastest of several passes on one core.
"""

import sys
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from coldcache.errors import LogError
from coldcache.tools import read_log

PASSES = 10
RECORDS = 100_000
LARGE = 20_000_000
#: Logs a second on one core, and MB of memory for a million records.
GOAL, MEMORY_GOAL, LARGE_GOAL = 5000.0, 500.0, 10.0


def sound_logs() -> dict[str, list[bytes]]:
    """Return the captured logs that are read, by tool."""
    logs = defaultdict(list)
    for path in sorted(filter(Path.is_file, Path("tests/specimens").iterdir())):
        try:
            logs[read_log(path.read_bytes())[0].tool].append(path.read_bytes())
        except LogError:
            continue
    return logs


def fastest(task: Callable[[], object]) -> float:
    """Return the least CPU time of several passes, in s."""
    times = []
    for _ in range(PASSES):
        began = time.process_time()
        task()
        times.append(time.process_time() - began)
    return min(times)


def memory_of_a_million(logs: list[bytes]) -> float:
    """Return what a million records take, in MB, from a part of them."""
    tracemalloc.start()
    kept = []
    while len(kept) < RECORDS:
        for log in logs:
            kept += read_log(log)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return taken / len(kept)


def main() -> int:
    """Print the table; return 1 if a goal was missed."""
    table = Table("what", "measured", "goal", title=f"one core, Python {sys.version.split()[0]}")
    missed = 0

    def add(what: str, figure: float, unit: str, goal: float, met: bool) -> None:
        nonlocal missed
        missed += not met
        table.add_row(what, f"{figure:.3g} {unit}", f"{goal:g} {unit}{'' if met else '  missed'}")

    found = sound_logs()
    found = {tool: logs for tool, logs in found.items() if tool in ("fio", "iozone", "ior", "mdtest", "rhel_iotest")}
    seconds = {tool: fastest(lambda logs=logs: [read_log(log) for log in logs]) for tool, logs in found.items()}
    for tool, logs in found.items():
        size = sum(map(len, logs)) / len(logs) / 1000
        table.add_row(f"{tool}, {size:.1f} KB a log", f"{len(logs) / seconds[tool]:.0f} logs/s", "")
    mixed = len(found) / sum(seconds[tool] / len(logs) for tool, logs in found.items())
    add("all of them mixed", mixed, "logs/s", GOAL, mixed >= GOAL)
    memory = memory_of_a_million([log for logs in found.values() for log in logs])
    add("a million records", memory, "MB", MEMORY_GOAL, memory <= MEMORY_GOAL)
    lines = b"[ 1234.567890] nfs: server fileserver not responding, still trying\n"
    for tool, logs in found.items():
        large = logs[0] + lines * (LARGE // len(lines))
        rate = len(large) / 1e6 / fastest(lambda large=large: read_log(large))
        add(f"{tool}, one log of {LARGE / 1e6:.0f} MB", rate, "MB/s", LARGE_GOAL, rate >= LARGE_GOAL)
    Console(width=110).print(table)
    return min(missed, 1)


if __name__ == "__main__":
    sys.exit(main())
