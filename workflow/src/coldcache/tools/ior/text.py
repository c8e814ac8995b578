"""Find IOR's lines in a text log: banners, options, result rows, maxima, summaries and end markers.

A run is the output of one call of IOR::

    IOR-3.3.0: MPI Coordinated Test of Parallel I/O
    Command line        : ior -a POSIX -i 3 -e -F -C -o x -w -r -t 1m -b 16m
    repetitions         : 3
    access    bw(MiB/s)  IOPS       Latency(s)  block(KiB) xfer(KiB)  open(s)    wr/rd(s)   close(s)   total(s)   iter
    write     2076.65    2078.31    0.001922    16384      1024.00    0.006677   0.030794   0.000125   0.030819   0
    Max Write: 2157.41 MiB/sec (2262.21 MB/sec)
    Summary of all tests:
    Operation   Max(MiB)   Min(MiB)  Mean(MiB)     StdDev   Max(OPs) ...
    Finished            : Fri Nov 20 10:25:32 2026

Lines of other programs in between are skipped. IOR 3.0 and 3.1 indent the options by a tab and print ``=`` instead of
the colon. (``src/ior-output.c``; in 3.0 and 3.1 ``src/ior.c``.)
"""

import re
from collections.abc import Iterator
from itertools import chain

from coldcache.core.errors import LogError
from coldcache.tools.lines import name_line

_BODY = (
    rb"(?:(?P<row>(?:write|read|remove)[ \t][^\n]*)"
    rb"|IOR-(?P<banner>\S+): MPI Coordinated Test of Parallel"
    rb"|(?P<columns>access[ \t]+bw\(MiB/s\)[^\n]*)"
    rb"|(?P<summary>Operation[ \t]+Max\(MiB\)[^\n]*)"
    rb"|(?P<max>Max (?:Write|Read):[^\n]*)"
    rb"|(?P<end>Finished[ \t]*:)"
    rb"|(?:TestID[ \t]*:[ \t]*(?P<test>\d{1,9})|Test (?P<old_test>\d{1,9}) started:)"
    rb"|\t?(?P<key>Command line(?: used)?|api|dryRun|test filename|access|segments|ordering in a file|nodes|tasks"
    rb"|clients(?: per node)?|repetitions|xfersize|blocksize|stonewallingTime|Using stonewalling)"
    rb"[ \t]*[:=][ \t]*(?P<value>[^\n]*))"
)
#: Quoted mail, Open MPI's --tag-output, srun's --label.
_PREFIX = rb"[ \t>|]*+(?:\[\d++,\d++\]<std\w++>:|\d++:)?[ \t]*+"
_FIRST = re.compile(_BODY)
_LINE = re.compile(rb"\n" + _BODY)
_PREFIXED_FIRST = re.compile(_PREFIX + _BODY)
_PREFIXED_LINE = re.compile(rb"\n" + _PREFIX + _BODY)
_ANCHOR = re.compile(rb"IOR-\S+: MPI Coordinated|access[ \t]+bw\(MiB/s\)|Operation[ \t]+Max\(MiB\)|Max (?:Write|Read):")
_FULL_ROW = re.compile(rb"(?:write|read|remove)(?:[ \t]+(?:[\d.]+|-)){7,}")


class IorTest:
    """One test of a run: its options as printed, and the places of its column headings, rows and maxima."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.options: dict[bytes, bytes] = {}
        self.columns: bytes | None = None
        self.rows: list[int] = []
        self.maxima: list[int] = []


class IorRun:
    """One call of IOR, from its banner to the next one."""

    def __init__(self, version: str | None, start: int) -> None:
        self.version = version
        self.start = start
        self.end = start
        self.command = b""
        self.tests: list[IorTest] = [IorTest(0)]
        self.summary_columns: bytes | None = None
        self.summary_rows: list[int] = []
        self.finished = False
        self.in_summary = False

    def has_results(self) -> bool:
        """Return whether any figure was printed."""
        return bool(self.summary_rows) or any(test.rows or test.maxima for test in self.tests)


def _lines(log: bytes) -> Iterator[re.Match[bytes]]:
    """Yield a match for each line that is IOR's."""
    first, line = _FIRST, _LINE
    anchor = _ANCHOR.search(log)
    if anchor and anchor.start() and log[anchor.start() - 1] != 10:
        first, line = _PREFIXED_FIRST, _PREFIXED_LINE
    head = first.match(log)
    return chain([head] if head else [], line.finditer(log))


def find_ior_runs(log: bytes) -> list[IorRun]:
    """Return the runs of a text log, in order, each with the places of its figures.

    Parameters
    ----------
    log : bytes
        The whole log.

    Returns
    -------
    list of Run
        The first one has no version if results precede any banner.

    Raises
    ------
    LogError
        If a result row is misplaced: before the column headings, or after the end marker.
    """
    run = IorRun(None, 0)
    runs = [run]
    for found in _lines(log):
        kind = found.lastgroup
        if kind == "banner":
            run.end = found.start()
            run = IorRun(found["banner"].decode("latin-1"), found.start())
            runs.append(run)
        elif kind == "value":
            _add_option(run, found["key"], found["value"])
        elif kind == "end":
            run.finished = True
        elif kind:
            _add_figures(run, kind, found, log)
    run.end = len(log)
    return [one for one in runs if one.version is not None or one.has_results()]


def _add_option(run: IorRun, key: bytes, value: bytes) -> None:
    """Keep an option of the test that is about to start."""
    if key.startswith(b"Command line"):
        run.command = run.command or value
    elif run.tests[-1].columns is None:
        run.tests[-1].options[key] = value


def _add_figures(run: IorRun, kind: str, found: re.Match[bytes], log: bytes) -> None:
    """Note the place of a line of figures, or start the test or table that it announces."""
    test = run.tests[-1]
    start = found.start(kind)
    if run.finished and run.version is not None:
        raise LogError(f"{name_line(log, start)} states results after the line 'Finished': lines are out of order")
    if kind == "row":
        _add_row(run, test, start, log)
    elif kind == "columns":
        if test.columns is not None and run.version is not None:
            raise LogError(f"{name_line(log, start)}: the column heads of test {test.number} appear twice")
        if test.columns is not None:
            test = IorTest(test.number + 1)
            run.tests.append(test)
        test.columns = found["columns"]
        run.in_summary = False
    elif kind == "summary":
        if run.summary_columns not in (None, found["summary"]):
            raise LogError(f"{name_line(log, start)}: the summary's column heads change within one run")
        run.summary_columns = found["summary"]
        run.in_summary = True
    elif kind == "max":
        test.maxima.append(start)
    else:
        _open_test(run, int(found[kind]), log, start)


def _add_row(run: IorRun, test: IorTest, start: int, log: bytes) -> None:
    """Note the place of a result row in its table."""
    if run.in_summary:
        run.summary_rows.append(start)
    elif test.columns is not None:
        test.rows.append(start)
    elif _FULL_ROW.match(log, start):
        raise LogError(f"{name_line(log, start)} is a result row without column heads above it")


def _open_test(run: IorRun, number: int, log: bytes, start: int) -> None:
    """Begin the next test of a run."""
    if run.tests[-1].columns is None:
        run.tests.pop()
    if any(test.number == number for test in run.tests):
        raise LogError(f"{name_line(log, start)}: test {number} appears twice in one run")
    run.tests.append(IorTest(number))
    run.in_summary = False
