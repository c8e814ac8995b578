"""`python -m coldcache parse`: the records of many logs, read on all cores, printed in the order of the logs."""

import gc
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

from coldcache.core.errors import ColdCacheError, LogError
from coldcache.core.records import to_json_lines
from coldcache.tools import read_file

#: Fewer logs than this are read before a second process has started.
_MANY = 100

#: Logs that a process reads at a time, and the largest of them, in B; records that are put together at a time.
_LOGS, _LARGEST, _RECORDS = 20, 2**20, 10_000


class _Answer(NamedTuple):
    """What is printed of one log: the lines of its records, or why it was refused."""

    lines: Iterable[str]
    refusal: str


def print_records(logs: list[Path]) -> int:
    """Print the records of logs as JSON lines and a line per refused log on stderr.

    Parameters
    ----------
    logs : list of Path
        The logs.

    Returns
    -------
    int
        0 if every log was read, else 2.

    Raises
    ------
    ColdCacheError
        If a process that reads logs is ended from outside.
    """
    # Records form no cycles, and looking for some in a million of them takes longer than to make them.
    gc.set_threshold(1_000_000)
    status = 0
    for log, answer in zip(logs, _read_on_all_cores(logs) if len(logs) >= _MANY else repeat(None), strict=False):
        lines, refusal = answer or _read(log)
        if refusal:
            print(f"coldcache: {log}: {refusal}", file=sys.stderr)
            status = 2
        for some in lines:
            sys.stdout.write(some)
    sys.stdout.flush()
    return status


def _read(log: Path) -> _Answer:
    try:
        records = read_file(log)
    except LogError as error:
        return _Answer((), str(error))
    starts = range(0, len(records), _RECORDS)
    return _Answer((to_json_lines(records[start : start + _RECORDS], str(log)) for start in starts), "")


def _read_some(logs: list[Path]) -> list[_Answer | None]:
    """Return the answers of some logs; None for a large one, which is read when it is printed."""
    answers: list[_Answer | None] = []
    for log in logs:
        if log.is_file() and log.stat().st_size > _LARGEST:
            answers.append(None)
        else:
            lines, refusal = _read(log)
            answers.append(_Answer(tuple(lines), refusal))
    return answers


def _read_on_all_cores(logs: list[Path]) -> Iterator[_Answer | None]:
    """Yield the answers in the order of the logs; no process reads far ahead of what is printed."""
    # Imported here, since it costs more than to read a log.
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    cores = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(cores, get_context("fork")) as pool:
        under_way: deque[Future[list[_Answer | None]]] = deque()
        try:
            for start in range(0, len(logs), _LOGS):
                under_way.append(pool.submit(_read_some, logs[start : start + _LOGS]))
                if len(under_way) > 4 * cores:
                    yield from under_way.popleft().result()
            while under_way:
                yield from under_way.popleft().result()
        except BrokenProcessPool as error:
            raise ColdCacheError("a process that read logs was ended from outside: is memory short?") from error
