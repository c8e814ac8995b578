#!/usr/bin/env python3
"""Measure how fast logs are read, in processor time, which other load on the machine changes little."""

import gc
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from costs import COLDCACHE, PYTHON, ROOT, cost_of, least
from figures import Measurement, tell

from coldcache.core.errors import LogError
from coldcache.core.records import to_json_lines
from coldcache.tools import read_file

SPECIMENS = ROOT / "tests/specimens"
#: Typical sizes of logs, in B.
_SMALLEST, _LARGEST = 2_000, 40_000
_NUMBER = re.compile(rb"[0-9]+(?:\.[0-9]+)?")
_LOGS, _TURNS = 10_000, 3
_POINTS = 1_000_000


def choose_logs() -> list[Path]:
    """Return the specimens of typical size, for every tool."""
    return [
        path
        for path in sorted(SPECIMENS.glob("*-*"))
        if path.is_file() and _SMALLEST <= path.stat().st_size <= _LARGEST and _is_read(path)
    ]


def _is_read(path: Path) -> bool:
    try:
        read_file(path)
    except LogError:
        return False
    return True


def print_log(log: Path) -> str:
    """Return what `parse` prints for a log."""
    return to_json_lines(read_file(log), str(log))


def find_numbers(log: Path) -> list[tuple[int, float]]:
    """Return every number of a log and its place: the minimum work of any reader."""
    return [(number.start(), float(number[0])) for number in _NUMBER.finditer(log.read_bytes())]


def processor_time(read: Callable[[Path], object], logs: list[Path]) -> float:
    """Return the processor time that one process needs to read each of some logs once, in s."""
    began = time.process_time()
    for log in logs:
        read(log)
    return time.process_time() - began


def processor_time_on_two_cores(read: Callable[[Path], object], logs: list[Path]) -> float:
    """Return the processor time to read some logs for two processes at once, since cores share caches."""
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        return sum(pool.map(partial(processor_time, read), (logs[::2], logs[1::2])))


def measure() -> Iterator[tuple[str, Measurement]]:
    """Yield the rate for mixed logs, with that of a plain search, and the cost of a long series."""
    logs = choose_logs()
    # The command line holds some 20,000 short paths.
    many = (logs * (_LOGS // len(logs) + 1))[:_LOGS]
    parse = [*COLDCACHE, "parse"]
    start = least([cost_of([*parse, logs[0]]) for _ in range(5)])
    whole = least([cost_of([*parse, *many]) for _ in range(_TURNS)])
    gc.set_threshold(1_000_000)
    floor = min(processor_time_on_two_cores(find_numbers, many) for _ in range(_TURNS))
    rate, bare = (2 * _LOGS / seconds for seconds in (whole.processor - start.processor, floor))
    yield "logs-rate", Measurement(rate, bare)
    yield "logs-share", Measurement(rate / bare)
    with tempfile.TemporaryDirectory() as folder:
        series = Path(folder, "long_bw.1.log")
        lines = (f"{100 * row}, {100_000 + row % 999}, {row % 2}, 0, 0\n" for row in range(_POINTS))
        series.write_text("".join(lines))
        cost = cost_of([*parse, series])
        yield "series-seconds", Measurement(cost.processor / (series.stat().st_size / 1e7))
        yield "series-memory", Measurement(cost.memory)
    python = [PYTHON, "-c", "import argparse"]
    turns = [(cost_of([*COLDCACHE, "--help"]), cost_of([*parse, logs[0]]), cost_of(python)) for _ in range(7)]
    shown, parsed, bare = (least(column).seconds for column in zip(*turns, strict=True))
    yield "help-seconds", Measurement(shown, bare)
    yield "parse-seconds", Measurement(parsed, bare)


if __name__ == "__main__":
    tell(measure())
