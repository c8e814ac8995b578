"""`python -m coldcache parse`: print the records of logs in their order, reading many logs on all cores."""

import gc
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

from coldcache.core.errors import ColdCacheError, LogError
from coldcache.core.record_formats import write_head, write_records
from coldcache.tools import read_file

#: Below this number of logs, one process is faster than starting others.
_MANY = 100

#: Logs per task of a process, the largest log that it reads, in B, and records per printed piece: larger pieces do not
#: stay in the processor's cache.
_LOGS, _LARGEST, _RECORDS = 20, 2**20, 1_000


class _Answer(NamedTuple):
    """The lines to print for one log, or why it was refused."""

    lines: Iterable[str]
    refusal: str


def print_records(logs: list[Path], form: str = "jsonl") -> int:
    """Print the records of logs, and a line per refused log on stderr.

    Parameters
    ----------
    logs : list of Path
        The logs.
    form : str
        A format of `record_formats.FORMATS`.

    Returns
    -------
    int
        0 if every log was read, 2 if one was refused.

    Raises
    ------
    ColdCacheError
        If a reading process is killed.
    """
    # Records form no cycles; searching a million of them for garbage takes longer than creating them.
    gc.set_threshold(1_000_000)
    status = 0
    sys.stdout.write(write_head(form))
    answers = _read_on_all_cores(logs, form) if len(logs) >= _MANY else repeat(None)
    for log, answer in zip(logs, answers, strict=False):
        lines, refusal = answer or _read(log, form)
        if refusal:
            print(f"coldcache: {log}: {refusal}", file=sys.stderr)
            status = 2
        for piece in lines:
            sys.stdout.write(piece)
    sys.stdout.flush()
    return status


def _read(log: Path, form: str) -> _Answer:
    try:
        records = read_file(log)
    except LogError as error:
        return _Answer((), str(error))
    # A table needs the widths of all.
    step = _RECORDS if form != "table" else max(len(records), 1)
    starts = range(0, len(records), step)
    return _Answer((write_records(records[start : start + step], str(log), form) for start in starts), "")


def _read_some(logs: list[Path], form: str) -> list[_Answer | None]:
    """Return the answer for each log; None for a large log, which is read when it is printed."""
    answers: list[_Answer | None] = []
    for log in logs:
        if log.is_file() and log.stat().st_size > _LARGEST:
            answers.append(None)
        else:
            lines, refusal = _read(log, form)
            answers.append(_Answer(tuple(lines), refusal))
    return answers


def _read_on_all_cores(logs: list[Path], form: str) -> Iterator[_Answer | None]:
    """Yield the answers in the order of the logs, without reading far ahead of the output."""
    # Imported here because the import takes longer than reading a log.
    from concurrent.futures import Future, ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    cores = len(os.sched_getaffinity(0))
    with ProcessPoolExecutor(cores, get_context("fork")) as pool:
        under_way: deque[Future[list[_Answer | None]]] = deque()
        try:
            for start in range(0, len(logs), _LOGS):
                under_way.append(pool.submit(_read_some, logs[start : start + _LOGS], form))
                if len(under_way) > 4 * cores:
                    yield from under_way.popleft().result()
            while under_way:
                yield from under_way.popleft().result()
        except BrokenProcessPool as error:
            raise ColdCacheError("a process that was reading logs was killed, perhaps for lack of memory") from error
