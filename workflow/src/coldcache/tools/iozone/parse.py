r"""Read the logs of IOzone: throughput mode (``iozone -t``), and the tables of `auto`; versions 3.308 to 3.508.

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
from operator import attrgetter
from typing import Any

from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.tools.iozone.auto import COLUMN, AutoTable, find_header, read_auto_table, records_of_table
from coldcache.tools.iozone.blocks import FORMS, LINE_START, line_number
from coldcache.tools.iozone.runs import BANNER, IozoneRun, find_version

#: Name of the tool in campaigns that import its logs.
TOOL = "iozone"

# IOzone's error messages; perror(3) puts the name of the call first, as fio does in "write: IOPS=1600".
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
    rb"|Master(?: read failed|: [a-z ]*failed| error)|Memory allocation failed"
    rb"|(?:" + _CALLS + rb"): (?!IOPS=)[A-Z])[^\n]*)"
)

#: Words of which every log of this kind holds one.
WORDS = (BANNER, b"Children see throughput for", COLUMN)


def recognise(log: bytes) -> bool:
    """Return whether the log looks like IOzone's: by its banner or by a line of results."""
    if BANNER in log or b"Children see throughput for" in log:
        return True
    return COLUMN in log and find_header(b"\n" + log, 0, len(log) + 1) is not None


def read(log: bytes) -> list[Record]:
    """Return every rate that a log of IOzone states.

    Parameters
    ----------
    log : bytes
        One or more calls of ``iozone``, with any text before, after and between the lines.

    Returns
    -------
    list of Record
        ``throughput`` (B/s) or, with ``-O``, ``rate`` (1/s): the sum of the children first, then the parent's figure,
        then min, max and mean over the processes, then each process (``-C``). Blocks that repeat the same figures
        (``-R``, a log pasted twice) count once; the same test measured in several calls differs in ``repetition``.
        Figures of a test whose fastest process ended it for the others carry ``stonewalled``. A table of one process
        (``-a``) has one value per cell; the report that ``-R`` adds must agree with it.

    Raises
    ------
    LogError
        If IOzone printed an error or a zero rate, did not print ``iozone test complete.``, or if a line of results is
        broken, missing or contradicts the others.
    """
    log = b"\n" + log
    failure = _FAILURE.search(log)
    if failure:
        said = failure[1][:120].decode("utf-8", "replace").strip()
        raise LogError(
            f"{line_number(log, failure.start(1))}: IOzone says {said!r}: the test failed, whatever it exits with"
        )
    starts = [match.start() for match in re.finditer(re.escape(BANNER), log)]
    if not starts or FORMS[0].search(log, 0, starts[0]) or find_header(log, 0, starts[0]):
        starts.insert(0, 0)
    calls = list(zip(starts, [*starts[1:], len(log)], strict=True))
    tables = {call for call in calls if find_header(log, *call)}
    found = _read_tables(log, [call for call in calls if call in tables])
    runs = [IozoneRun(log, *call) for call in calls if call not in tables]
    # Per test, the figures seen and the number of each; a dictionary, because a test may occur 1e5 times.
    seen: dict[tuple[Any, ...], dict[tuple[bytes, ...], int]] = {}
    chosen, begun = [], set()
    for run in runs:
        for block in run.blocks:
            test = (*block.key(), run.direct_io)
            known = seen.setdefault(test, {})
            figures = block.figures()
            if figures not in known:
                if (*test, block.children[4]) in begun:
                    raise block.error("the block starts like a previous one and ends differently: lines appear twice")
                begun.add((*test, block.children[4]))
                known[figures] = len(known)
                chosen.append((run, block, known, known[figures]))
    for run, block, known, repetition in chosen:
        found += run.records(block, repetition if len(known) > 1 else None)
    return sorted(found, key=attrgetter("offset")) if len(calls) > len(runs) else found


def _read_tables(log: bytes, calls: list[tuple[int, int]]) -> list[Record]:
    """Return the records of the calls that print a table; a text that was pasted twice counts once."""
    tables: dict[tuple[Any, ...], list[AutoTable]] = {}
    for start, end in calls:
        table = read_auto_table(log, start, end, find_version(log, start, end))
        printed = [(cell.operation, cell.file_size, cell.record_size, cell.printed) for cell in table.cells]
        same = tables.setdefault((table.is_calls, table.direct_io, *(cell[:3] for cell in printed)), [])
        if all([cell.printed for cell in other.cells] != [cell[3] for cell in printed] for other in same):
            same.append(table)
    return [
        record for same in tables.values() for number, table in enumerate(same)
        for record in records_of_table(table, number if len(same) > 1 else None)
    ]  # fmt: skip
