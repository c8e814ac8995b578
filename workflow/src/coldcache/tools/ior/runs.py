"""Decide whether a run of IOR is complete, and turn a complete one into records."""

import re
from operator import attrgetter
from typing import Any

from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.tools.ior import columns as terms
from coldcache.tools.ior import consistency as ior_checks
from coldcache.tools.ior import rows
from coldcache.tools.ior.text import IorRun, IorTest
from coldcache.tools.repetitions import number_runs

_FATAL = re.compile(rb"(?:ior ERROR: |ERROR: (?=[^\n]*\.[ch]:\d+\))|: Process \d+: FAILED in )[^\n]*")
#: Files of the IO500 harness, which calls IOR as a library under the name ./ior, once per phase.
_IO500_FILE = re.compile(rb"(?:.*/)?ior-(?:easy/ior_file_easy|hard/file|rnd[^/]*/file)\s*$")
_LAYOUTS = {b"file-per-process": "file-per-thread", b"single-shared-file": "shared-file"}

Match = re.Match[bytes]


def read_run(run: IorRun, log: bytes) -> list[Record]:
    """Return every figure that one run states.

    Parameters
    ----------
    run : IorRun
        Of `ior_text.find_runs`.
    log : bytes
        The whole log.

    Returns
    -------
    list of Record
        In the order of the log. Several tests with the same factors, as a script (``-f``) asks for, differ in
        ``repetition``.

    Raises
    ------
    LogError
        If the run ended early, could not flush, found wrong data, moved none, lacks repetitions, states one twice, or
        its figures contradict each other.
    """
    ior_checks.refuse_failed(log, run.start, run.end)
    if run.version is not None and not run.finished and not _is_embedded(run):
        raise LogError(_why_unfinished(run, log))
    heads, summary = _match_summary(run, log)
    accesses, is_direct = terms.parse_command(run.command, run.version)
    is_verified = terms.verifies_reads(run.command, run.version)
    tests: list[list[Record]] = []
    for test in run.tests:
        if run.version is not None and (test.columns is None or b"ordering in a file" not in test.options):
            raise LogError(f"damaged: test {test.number} lacks its options or the heads of its result rows")
        ior_checks.refuse_idle(*(test.options.get(key, b"").decode("latin-1") for key in (b"api", b"dryRun")))
        ours = summary.pop(test.number, {})
        context = terms.IorFacts(
            run.version,
            test.options.get(b"ordering in a file", b"").startswith(b"random"),
            _caveats(run, test, heads, ours),
            _factors(run, test, is_direct, heads, ours),
        )
        records = _read_test(run, test, context, heads, ours, log, accesses)
        tests.append(ior_checks.mark_verified(records) if is_verified else records)
    if summary:
        raise LogError(f"the summary names test {min(summary)}, whose results are missing")
    if not any(tests):
        raise LogError("IOR's log states no results")
    return sorted(number_runs(tests), key=attrgetter("offset"))


def _is_embedded(run: IorRun) -> bool:
    """Return whether the IO500 harness made the run: it prints neither maxima, nor a summary, nor an end marker."""
    test = run.tests[0]
    if len(run.tests) != 1 or not run.command.startswith(b"./ior ") or run.summary_rows or test.maxima:
        return False
    is_one_access = len(terms.parse_command(run.command, run.version)[0]) == 1
    is_io500_file = _IO500_FILE.match(test.options.get(b"test filename", b"")) is not None
    return bool(test.rows) and is_one_access and is_io500_file and b" -G" in run.command


def _why_unfinished(run: IorRun, log: bytes) -> str:
    """Return why a run has no end marker."""
    fatal = _FATAL.search(log, run.start, run.end)
    if fatal:
        return f"IOR ended with an error: {fatal[0].decode('latin-1').strip(': ')}"
    found = sum(len(test.rows) for test in run.tests)
    return f"cut short: IOR's line 'Finished' is missing after {found} result rows, so the run ended early"


def _match_summary(run: IorRun, log: bytes) -> tuple[rows.RowForm | None, dict[int, dict[bytes, Match]]]:
    """Return the summary's table, and its lines by test and access; a line repeated word by word counts once."""
    if not run.summary_rows or run.summary_columns is None:
        return None, {}
    heads = rows.summary_table(run.summary_columns)
    summary: dict[int, dict[bytes, Match]] = {}
    for start in run.summary_rows:
        found = rows.match_line(heads, log, start)
        test, access = int(found[heads.groups["Test#"]]), found[1]
        first = summary.setdefault(test, {}).setdefault(access, found)
        if first is not found and first[0].split() != found[0].split():
            raise LogError(f"the summary states the {access.decode()} of test {test} twice, with different figures")
    return heads, summary


def _caveats(run: IorRun, test: IorTest, heads: rows.RowForm | None, summary: dict[bytes, Match]) -> tuple[str, ...]:
    """Return the caveats that all figures of a test share."""
    caveats: tuple[str, ...] = ()
    seconds = test.options.get(b"stonewallingTime", b"0").strip() != b"0" or terms.command_size(run.command, b"-D")
    column = heads.groups.get("Stonewall(s)") if heads is not None else None
    is_in_summary = column is not None and any(found[column] != b"NA" for found in summary.values())
    if seconds or is_in_summary or b"Using stonewalling" in test.options:
        caveats += ("stonewalled",)
    if b"ordering in a file" not in test.options:
        caveats += ("pattern-unknown",)
    return caveats


def _factors(
    run: IorRun, test: IorTest, is_direct: bool | None, heads: rows.RowForm | None, summary: dict[bytes, Match]
) -> dict[str, Any]:
    """Return the factors that the log states exactly."""
    options = test.options
    told: dict[str, Any] = {}
    if heads is not None and summary:
        found = next(iter(summary.values()))
        names = ("#Tasks", "tPN", "segcnt", "blksiz", "xsize")
        tasks, per_node, segments, block, transfer = (int(found[heads.groups[name]]) for name in names)
        layout = "shared-file" if found[heads.groups["fPP"]] == b"0" else "file-per-thread"
    else:
        clients = re.findall(rb"\d+", options.get(b"clients", b""))
        tasks = _integer(options.get(b"tasks") or clients[0:1])
        per_node = _integer(options.get(b"clients per node") or clients[1:2])
        transfer = terms.parse_size(options.get(b"xfersize", b"")) or terms.command_size(run.command, b"-t") or 0
        block = terms.parse_size(options.get(b"blocksize", b"")) or terms.command_size(run.command, b"-b") or 0
        segments = (
            _integer(options.get(b"segments")) or terms.command_size(run.command, b"-s") or int(bool(run.command))
        )
        layout = _LAYOUTS.get(options.get(b"access", b"").split(b",")[0].strip(), "")
    nodes = _integer(options.get(b"nodes"))
    if not nodes and per_node and tasks % per_node == 0:
        nodes = tasks // per_node
    told = {
        "threads": tasks,
        "nodes": nodes,
        "transfer_size": transfer,
        "file_size": block * segments,
        "file_layout": layout,
    }
    told = {name: level for name, level in told.items() if level}
    if is_direct is not None:
        told["direct_io"] = is_direct
    return told


def _integer(text: bytes | list[bytes] | None) -> int:
    """Return the integer that `text`, or its only item, states; 0 if it states none."""
    if isinstance(text, list):
        text = text[0] if text else None
    return int(text) if text and text.strip().isdigit() and len(text) < 20 else 0


def _read_test(
    run: IorRun,
    test: IorTest,
    context: terms.IorFacts,
    heads: rows.RowForm | None,
    summary: dict[bytes, Match],
    log: bytes,
    accesses: frozenset[str],
) -> list[Record]:
    """Return the records of one test: its rows, its maxima and its lines of the summary."""
    records: list[Record] = []
    rates: dict[bytes, list[bytes]] = {}
    if test.columns is not None:
        table = rows.result_table(test.columns)
        found_rows = [rows.match_line(table, log, start) for start in test.rows]
        rates = _group_rates(table, found_rows, test, _declared_repetitions(run, test, heads, summary))
        wanted = summary.keys() | {access.encode() for access in accesses if run.version is not None}
        for access in sorted(wanted - rates.keys()):
            raise LogError(f"cut short or damaged: the {access.decode()} rows of test {test.number} are missing")
        for found in found_rows:
            records += rows.row_records(table, found, context)
    if run.summary_columns is not None:
        for access in sorted(rates.keys() - summary.keys()):
            # Before 4.1 a read that only verifies (-R) has rows and no summary.
            if access.decode() in accesses:
                raise LogError(f"cut short or damaged: the summary lacks the {access.decode()} of test {test.number}")
    maxima = _read_maxima(test, context, log, rates)
    records += maxima.values()
    for access, found in summary.items():
        assert heads is not None
        maximum = maxima.get(access)
        highest, lowest = found[heads.groups["Max(MiB)"]], found[heads.groups["Min(MiB)"]]
        if maximum is not None and maximum.printed.split()[0].encode() != highest:
            raise LogError(f"IOR's summary and its line 'Max' contradict each other on {access.decode()}")
        caveats = ior_checks.compare_summary(access.decode(), rates.get(access, ()), highest, lowest, context.version)
        if caveats and maximum is not None:
            records[records.index(maximum)] = maximum._replace(caveats=maximum.caveats + caveats)
        ours = context._replace(caveats=context.caveats + caveats) if caveats else context
        records += rows.summary_records(heads, found, ours, maximum is not None)
    return records


def _group_rates(
    table: rows.RowForm, found_rows: list[Match], test: IorTest, wanted: int | None
) -> dict[bytes, list[bytes]]:
    """Return the printed rates by access; raises `LogError` if a repetition is missing or appears twice."""
    rates: dict[bytes, list[bytes]] = {}
    repetitions: dict[bytes, list[int]] = {}
    rate, iteration = table.groups["bw(MiB/s)"], table.groups["iter"]
    for found in found_rows:
        rates.setdefault(found[1], []).append(found[rate])
        repetitions.setdefault(found[1], []).append(int(found[iteration]))
    for access, stated in repetitions.items():
        place = f"repetitions of {access.decode()} in test {test.number}"
        if len(set(stated)) != len(stated):
            raise LogError(f"damaged: {place} appear twice")
        if wanted is not None and (len(stated) != wanted or max(stated) != wanted - 1):
            raise LogError(f"cut short or damaged: {len(stated)} of {wanted} {place}")
    rates.pop(b"remove", None)
    if not rates:
        raise LogError(f"cut short: test {test.number} states no result rows")
    return rates


def _declared_repetitions(
    run: IorRun, test: IorTest, heads: rows.RowForm | None, summary: dict[bytes, Match]
) -> int | None:
    """Return how many repetitions the options or the summary announce; None if the start of the log is missing."""
    stated = _integer((test.options.get(b"repetitions", b"").split() or [b""])[0])
    if not stated and heads is not None and summary:
        stated = int(next(iter(summary.values()))[heads.groups["reps"]])
    if not stated and run.version is not None:
        raise LogError(f"damaged: the options of test {test.number} do not state its repetitions")
    return stated or None


def _read_maxima(
    test: IorTest, context: terms.IorFacts, log: bytes, rates: dict[bytes, list[bytes]]
) -> dict[bytes, Record]:
    """Return the records of the lines ``Max Write:`` and ``Max Read:`` by access."""
    maxima: dict[bytes, Record] = {}
    for start in test.maxima:
        access = log[start + 4 : start + 9].split(b":")[0].lower()
        record = rows.max_record(log, start, context)
        if maxima.setdefault(access, record).value != record.value:
            raise LogError(f"test {test.number} states two different maxima of {access.decode()}")
        if test.columns is not None and access not in rates:
            raise LogError(f"cut short or damaged: the {access.decode()} rows of test {test.number} are missing")
    return maxima
