"""Logs of mdtest 1.9.3 and 1.9.4-rc1, and of the mdtest of IOR 3.2 to 4.1 development.

A specimen (1.9.3)::

    mdtest-1.9.3 was launched with 4 total task(s) on 1 node(s)
    Command line used: mdtest -F -n 10 -i 3 -d /mnt/target/d
    4 tasks, 40 files

    SUMMARY: (of 3 iterations)
       Operation                      Max            Min           Mean        Std Dev
       ---------                      ---            ---           ----        -------
       File creation     :      18064.291      17943.519      18000.111         51.002
    ...
    -- finished at 11/20/2026 10:23:00 --

``SUMMARY:`` is 1.9.x. ``SUMMARY rate:`` under the banner of 1.9.3 is the mdtest of IOR 3.2. A table under
``SUMMARY time`` holds seconds, whatever unit its heading names. Sources: `mdtest.c` of MDTEST-LANL/mdtest and hpc/ior.
"""

import re
from datetime import datetime
from itertools import chain, pairwise
from math import inf

from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.tools.mdtest.records import (
    SLOW_TREE,
    MdtestFacts,
    MdtestTest,
    SummaryTable,
    process_records,
    table_records,
    verbose_records,
)
from coldcache.tools.mdtest.rows import (
    PREFIX,
    Row,
    count_rows,
    has_rows,
    has_verbose_rows,
    read_processes,
    read_table_rows,
    read_verbose,
)
from coldcache.tools.mdtest.semantics import IOR_3_2, Form, Settings, check_mdtest_version, read_options
from coldcache.tools.repetitions import number_runs

#: Name of the tool in campaigns that import its logs.
TOOL = "mdtest"

#: Words of which every log of this kind holds one.
WORDS = (b" was launched with ", b"SUMMARY")

_BANNER = re.compile(rb"mdtest-(\S{1,40}) was launched with (\d{1,9}) total task\(s\) on (\d{1,9}) node\(s\)")
_COMMAND = re.compile(rb"Command line used: ?([^\n]{0,20000})")
_HEADING = re.compile(rb"SUMMARY(?: (rate|time)(?: \(in [a-z/]{1,10}\))?)?: \(of (\d{1,9}) iterations\)")
_TASKS = re.compile(PREFIX + rb"(\d{1,9}) tasks, (\d{1,19}) (?:files/directories|files|file|directories)[ \t]*\r?\n")
_STARTED = b"-- started at "
_TIME = rb"(\d\d)/(\d\d)/(\d{4}) (\d\d):(\d\d):(\d\d) --"
_FINISHED = re.compile(rb"-- finished at " + _TIME)
_STAMP = re.compile(_STARTED + _TIME)

# Words by which mdtest and IOR's back ends report a failure, and words that must be on the same line.
_FAILURES = (
    (b"FAILED ", re.compile(r": Process \d+(?:\(.*\))?: FAILED (?:in|at) ")),
    (b"ERROR: ", re.compile(r"^(?:ior )?ERROR: ")),
    (b"WARNING: ", re.compile(r"WARNING: (?:[Uu]nable to |.*[)\"] failed)|partial write\(\), -1")),
    (b"verification error in", re.compile("")),
    (b"Invalid options", re.compile("")),
)
_HARMLESS = re.compile(
    r"WARNING: (?:unable to use realpath|Unable to reset to global default|Unable to create test directory path)"
)
# Words of other programs that explain a missing end marker, and mean nothing otherwise.
_ENDINGS = (
    b"Assertion `", b"DUE TO TIME LIMIT", b"oom-kill", b"MPI_ERRORS_ARE_FATAL", b"MPI_ABORT was invoked",
    b"exited on signal", b"non-zero status", b"non-zero exit code", b"CANCELLED AT",
)  # fmt: skip


def printed_version(log: bytes) -> str | None:
    """Return the version of the first run of a log; None without a banner."""
    banner = _BANNER.search(log)
    return _tell_version(banner, _HEADING.search(log, banner.end())) if banner else None


def recognise(log: bytes) -> bool:
    """Return whether the log has the banner of mdtest, or one of its tables (a quoted mail, a page of a wiki)."""
    return _BANNER.search(log) is not None or _HEADING.search(log) is not None


def read(log: bytes) -> list[Record]:
    """Return every value that a log of mdtest states.

    Parameters
    ----------
    log : bytes
        Standard output of one or more runs, also with lines of schedulers and kernels in between.

    Returns
    -------
    list of Record
        ``rate`` in 1/s and ``elapsed`` in s, in the order of the log. Rows of a table give ``max``, ``min``, ``mean``
        and ``stddev``; rows of ``-v`` and of each process give ``value`` with their repetition. A row of zeros is a
        phase that did not run, and gives no record. A run repeated byte by byte gives its values once; other runs of
        the same test differ in ``repetition``.

    Raises
    ------
    LogError
        If a run stopped with an error, used a backend that stores nothing, has no end marker, lacks a table or a row
        that its command line asks for, or states a rate of zero for a phase that ran.
    """
    _refuse_failed(log)
    banners = list(_BANNER.finditer(log))
    if log.count(_STARTED) > len(banners) > 0:
        raise LogError(f"{log.count(_STARTED)} runs of mdtest started and {len(banners)} have a banner: the log is cut")
    ends = [*(banner.start() for banner in banners), len(log)]
    runs: list[list[Record]] = []
    if _HEADING.search(log, 0, ends[0]) is not None:
        runs.append(_read_run(log, 0, ends[0], Settings(None, None, None, {}, False)))
    elif has_rows(log, 0, ends[0]):
        raise LogError("rows of mdtest precede its banner: the log is mixed up")
    seen: set[bytes] = set()
    for banner, end in zip(banners, ends[1:], strict=True):
        finished = _FINISHED.search(log, banner.end(), end)
        if finished is None:
            _refuse_unfinished(log, banner.start())
        elif _HEADING.search(log, finished.end(), end) is not None or has_rows(log, finished.end(), end):
            raise LogError(f"rows of mdtest follow the end of its run at byte {finished.end()}: the log is mixed up")
        else:
            run = log[banner.start() : finished.end()] if len(banners) > 1 else b""
            if not run or run not in seen:
                runs.append(_read_run(log, banner.start(), finished.start(), _settings(log, banner, end)))
            seen.add(run)
    records = sorted(number_runs(runs), key=_offset)
    if not records:
        raise LogError("no phase of mdtest ran: nothing was measured")
    return records


def _offset(record: Record) -> int:
    return record.offset


def _tell_version(banner: re.Match[bytes], heading: re.Match[bytes] | None) -> str:
    """Return the version that a banner names, unless the heading of the table belongs to a later one."""
    version = banner[1].decode("ascii", "replace")
    return IOR_3_2 if version == "1.9.3" and (heading is None or heading[1]) else version


def _settings(log: bytes, banner: re.Match[bytes], end: int) -> Settings:
    heading = _HEADING.search(log, banner.end(), end)
    version = _tell_version(banner, heading)
    check_mdtest_version(version)
    old = version.startswith("1.9") and heading is not None and heading[1] is None
    command = _COMMAND.search(log, banner.end(), min(end, banner.end() + 100_000))
    options = read_options(command[1].decode("utf-8", "replace"), old) if command else {}
    # This backend of IOR waits, if at all (`src/aiori-DUMMY.c`).
    if options.get("a", "").strip().upper() == "DUMMY":
        raise LogError("mdtest moved nothing: the backend DUMMY")
    return Settings(version, int(banner[2]), int(banner[3]), options, old)


def _line(log: bytes, place: int) -> str:
    begin = log.rfind(b"\n", max(0, place - 300), place + 1) + 1
    begin = begin or max(0, place - 300)
    return log[begin : begin + 300].split(b"\n")[0].strip().decode("utf-8", "replace")


def _refuse_failed(log: bytes) -> None:
    """Refuse a log in which mdtest reports a failure: since 4.0 it warns, goes on, and counts failures as done."""
    for words, failure in _FAILURES:
        place = log.find(words)
        while place >= 0:
            line = _line(log, place)
            if failure.search(line) and not _HARMLESS.search(line):
                raise LogError(f"mdtest failed: {line!r}: its figures cannot be trusted, run it again")
            place = log.find(words, place + len(words))


def _refuse_unfinished(log: bytes, start: int) -> None:
    places = [place for place in map(log.find, _ENDINGS) if place >= 0]
    why = _line(log, places[0]) if places else "the log was cut short"
    raise LogError(f"mdtest at byte {start} has no end marker '-- finished at' ({why}): run it again")


def _read_run(log: bytes, start: int, end: int, settings: Settings) -> list[Record]:
    """Return the records of the run between two bytes, after a comparison with its command line."""
    tests = _tests(log, start, end)
    found = [test.tasks or settings.tasks or 0 for test in tests]
    if settings.tasks is not None and not settings.asks_for(found):
        raise LogError(f"the command line of mdtest asks for other tests than those with {found} tasks: the log is cut")
    records: list[Record] = []
    for test in tests:
        records += _read_test(log, test, settings)
    longest = max((record.value for record in records if record.metric == "elapsed"), default=0.0)
    if longest > _longest_phase(log, start, end):
        raise LogError(f"a phase of {longest} s is longer than the whole run of mdtest: lines of the log are mixed up")
    return records


def _longest_phase(log: bytes, start: int, end: int) -> float:
    """Return the longest possible phase by the time stamps of its run, in s; infinity if one is missing."""
    stamps = (_STAMP.search(log, max(0, start - 200), end), _FINISHED.search(log, end, end + 100))
    try:
        started, finished = (
            datetime(int(year), int(month), int(day), int(hour), int(minute), int(second))
            for month, day, year, hour, minute, second in (stamp.groups() for stamp in stamps if stamp)
        )
    except ValueError:
        return inf
    # Time stamps are local times, and daylight saving sets clocks back by an hour.
    at_night = started.hour < 4 or finished.date() != started.date()
    return (finished - started).total_seconds() + (3602 if at_night else 2)


def _tests(log: bytes, start: int, end: int) -> list[MdtestTest]:
    """Return the tests of a run; a table belongs to the line ``4 tasks, 600 files`` before it."""
    headings = list(_HEADING.finditer(log, start, end))
    if not headings:
        raise LogError("the run of mdtest has no table SUMMARY: the log is cut short")
    lines: list[re.Match[bytes]] = []
    place = log.find(b" tasks, ", start, end)
    while place >= 0:
        line = _TASKS.match(log, log.rfind(b"\n", max(start, place - 100), place) + 1, end)
        lines += [line] if line else []
        place = log.find(b" tasks, ", place + 1, end)
    if not lines or headings[0].start() < lines[0].start():
        return [MdtestTest(start, end, None, None, headings)]
    starts = [start, *(line.start() for line in lines[1:]), end]
    return [
        MdtestTest(begin, stop, int(line[1]), int(line[2]), [h for h in headings if begin < h.start() < stop])
        for line, (begin, stop) in zip(lines, pairwise(starts), strict=True)
    ]


def _read_test(log: bytes, test: MdtestTest, settings: Settings) -> list[Record]:
    kinds = [(heading[1] or b"rate").decode() for heading in test.headings]
    if settings.tasks is None:
        wanted = kinds if kinds in (["rate"], ["time"]) else ["rate", "time"]
    elif "P" in settings.options and not settings.old and settings.version != IOR_3_2:
        wanted = ["rate", "time"]
    else:
        wanted = ["time"] if "Z" in settings.options and not settings.old else ["rate"]
    if kinds != wanted:
        raise LogError(f"mdtest was asked for the tables {wanted}, and the log has {kinds}: it is cut or mixed up")
    tables = [_read_table(log, heading, test, settings) for heading in test.headings]
    rows = [row for table in tables for row in table.rows]
    if count_rows(log, test.start, test.end) != len(rows):
        raise LogError("rows of a SUMMARY are outside of it: the log is mixed up")
    if has_verbose_rows(log, test.headings[0].end(), test.end):
        raise LogError("rows of an iteration follow its SUMMARY: the log is mixed up")
    if len({(table.iterations, tuple(row.operation for row in table.rows)) for table in tables}) != 1:
        raise LogError("the tables of rates and of times have other rows or iterations: the log is mixed up")
    iterations = read_verbose(log, test.start, test.headings[0].start())
    ends = [test.start, *(heading.end() for heading in test.headings)]
    processes = [read_processes(log, end, heading.start()) for end, heading in zip(ends, test.headings, strict=False)]
    # A time of 0.000 is rounded if its rate is not zero; 1.9.x also prints times of phases that did not run.
    ran = {row.operation for row in (*rows, *(row for row, _ in chain(*processes))) if any(row.values)}
    ran |= {row.operation for row, *_ in iterations if row.values[1]}
    if log.find(b"Backend doesn't support rename", test.start, test.end) >= 0:
        ran.discard("directory-rename")
    context = MdtestFacts(log, settings, test, ran, _find_slow_trees(tables))
    records = verbose_records(context, tables[0], iterations)
    for table, process in zip(tables, processes, strict=True):
        records += process_records(context, table, process)
        records += table_records(context, table)
    return records


def _find_slow_trees(tables: list[SummaryTable]) -> set[str]:
    """Return the tree operations of an iteration that were so slow that their rate is printed as 0.000."""
    rows = [row for table in tables if table.metric == "elapsed" for row in table.rows]
    return {row.operation for row in rows if row.operation[:4] == "tree" and min(row.values[:3]) > SLOW_TREE}


def _read_table(log: bytes, heading: re.Match[bytes], test: MdtestTest, settings: Settings) -> SummaryTable:
    """Return one table; raise `LogError` if it lacks a row that its version and command line require."""
    rows = read_table_rows(log, heading.end(), test.end)
    columns = _columns(log, heading, rows)
    iterations, metric = int(heading[2]), "elapsed" if heading[1] == b"time" else "rate"
    if settings.tasks is not None and iterations != settings.number("i", 1):
        raise LogError(f"mdtest was asked for {settings.number('i', 1)} iterations, its SUMMARY is of {iterations}")
    operations = {row.operation for row in rows}
    kinds = settings.kinds() or frozenset(operation.split("-")[0] for operation in operations) - {"tree", "stonewall"}
    wanted = {"tree-create", "tree-remove"}
    if "directory" in kinds:
        wanted |= {"directory-create", "directory-stat", "directory-remove"}
        # Introduced in development versions of 3.4, shortly before rows lost their colon.
        wanted |= {"directory-rename"} & operations if rows[0].width else {"directory-rename"}
    if "file" in kinds:
        wanted |= {"file-create", "file-stat", "file-read", "file-remove"}
    wide = rows[0].width > 20 or columns == "ranks with deviation"
    if wide and log.find(b"Continue stonewall hit", test.start, heading.start()) >= 0:
        wanted |= {"stonewall"}
    if not kinds or operations - {"stonewall"} != wanted - {"stonewall"} or not operations >= wanted:
        missing = ", ".join(sorted(wanted - operations)) or "none"
        extra = ", ".join(sorted(operations - wanted)) or "none"
        raise LogError(f"the SUMMARY at byte {heading.start()} lacks rows ({missing}) or has others ({extra})")
    form = Form.POOLED if wide else _form(heading, rows, iterations, settings)
    return SummaryTable(metric, iterations, rows, form, columns)


def _form(heading: re.Match[bytes], rows: list[Row], iterations: int, settings: Settings) -> Form:
    """Return how the table was computed, from its layout: one banner covers several ways of counting."""
    if not rows[0].width:
        return Form.SLOWEST
    if not (settings.version or "1.9").startswith(("1.9", "3.2")):
        return Form.POOLED
    spread = any(row.values[0] != row.values[1] for row in rows if row.operation[:4] in ("file", "dire"))
    # Development versions after 3.2 pool the ranks, under the banner of 1.9.3; an iteration has one fastest rank.
    pooled = heading[1] is not None and iterations == 1 and spread
    return Form.POOLED if pooled or "B" in settings.options else Form.FASTEST


def _columns(log: bytes, heading: re.Match[bytes], rows: list[Row]) -> str:
    """Return which columns the table has: ``plain``, or ranks first with or without their own deviation."""
    counts = {len(row.values) for row in rows if row.operation != "stonewall"}
    if counts == {4}:
        return "plain"
    titles = log[heading.end() : rows[0].spans[0][0]][:2000]
    before, _, after = titles.partition(b"per Iteration:")
    if counts != {7} or b"per Rank:" not in before or not after:
        raise LogError(f"the SUMMARY at byte {heading.start()} has rows of {sorted(counts)} numbers: it is broken")
    return "ranks with deviation" if b"Std Dev" in before else "ranks"
