"""Read the JSON output of IOR 3.3 and later (``-O summaryFormat=JSON``).

Specimen, shortened; 3.3 nests one list per repetition in ``Results``, 4.0 has a flat list::

    {"Version": "4.0.0", "Began": "Fri Nov 20 10:26:40 2026", "Command line": "ior -a POSIX ...",
     "tests": [{"TestID": 0, "Parameters": {...}, "Options": {"tasks": 4, "repetitions": 2, ...},
                "Results": [{"access": "write", "bwMiB": 1939.5065, "iops": 1943.6352, ... "totalTime": 0.0330}],
                "max": {"writeMiB": 1939.5065, "writeMB": 2033.7201}}],
     "summary": [{"operation": "write", "TestID": 0, "bwMaxMIB": 1939.5065, ... "MeanTime": 0.0371}],
     "Finished": "Fri Nov 20 10:26:40 2026"}

IOR writes warnings into the middle of it, and 4.0 under ``-v`` closes ``Results`` twice: both are skipped.
"""

import json
import re
from collections.abc import Iterator
from operator import attrgetter
from typing import Any, NamedTuple

from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.core.units import MIB
from coldcache.tools.ior import columns as terms
from coldcache.tools.ior import consistency as ior_checks
from coldcache.tools.repetitions import number_runs

_SUMMARY_KEYS = {
    **terms.name_spread(terms.SUMMARY_MIB, "bwMaxMIB", "bwMinMIB", "bwMeanMIB", "bwStdMIB"),
    **terms.name_spread(terms.SUMMARY_OPS, "OPsMax", "OPsMin", "OPsMean", "OPsSD"),
    "MeanTime": terms.Column("elapsed", "s", 1.0, "", terms.WHOLE, "mean"),
    "StoneWallTime": terms.Column("elapsed", "s", 1.0, "", terms.TO_STONEWALL, "mean"),
    "StoneWallbwMeanMIB": terms.Column("throughput", "B/s", MIB, " MiB", "", "mean"),
}
_WITHOUT_FIGURES = ("Parameters", "Options")
_NEEDED_SUMMARY = _SUMMARY_KEYS.keys() - {"StoneWallTime", "StoneWallbwMeanMIB"}
_MAX_KEYS = dict.fromkeys(("writeMiB", "readMiB"), terms.SUMMARY_MIB._replace(statistic="max"))
_COLUMNS = {**terms.ROW_KEYS, **_SUMMARY_KEYS, **_MAX_KEYS}
_FIGURE = re.compile('"(' + "|".join(_COLUMNS) + r')"\s*:\s*(\d{1,15}(?:\.\d{1,9})?)(?=[\s,}])')
_DOCUMENT = re.compile(rb'\{\s*"Version"\s*:\s*"[^"]*"\s*,\s*"Began"')
#: Lines that do not belong to the document, and IOR's own messages after a value or a bracket.
_MESSAGE = rb"(?:stonewalling pairs|Commencing|WARNING|ior WARNING|delaying|task|Using Time Stamp)"
_FOREIGN = re.compile(
    rb'^(?![ \t]*(?:"[^"\n]*"[ \t]*:|[\[\]{}, \t\r]*$|\[ ' + _MESSAGE + rb"))[^\n]+"
    rb"|(?<=\[ )" + _MESSAGE + rb"[^\n]*"
    rb'|(?<=")Start time skew[^\n]*',
    re.MULTILINE,
)
_DOUBLE_END = re.compile(rb'\](?=\s*\]\s*,\s*"max")')
_DECODER = json.JSONDecoder(parse_float=str, parse_int=str, strict=False)


class JsonFigure(NamedTuple):
    """A number as printed, and its place in the log."""

    text: bytes
    offset: int


def recognise(log: bytes) -> bool:
    """Return whether the log holds the head of IOR's JSON."""
    return b'"Began"' in log and _DOCUMENT.search(log) is not None


def read(log: bytes) -> list[Record]:
    """Return every value that IOR's JSON states.

    Parameters
    ----------
    log : bytes
        The whole log; it may hold several documents, of which a repeated one counts once, and lines of other programs.

    Returns
    -------
    list of Record
        In the order of the log: rates in B/s and 1/s, times in s. Tests with the same factors differ in
        ``repetition``.

    Raises
    ------
    LogError
        If IOR could not flush, found wrong data or moved none, or a document is cut short or damaged, lacks
        repetitions, or contradicts itself.
    """
    ior_checks.refuse_failed(log)
    starts = [found.start() for found in _DOCUMENT.finditer(log)]
    parts = list(zip(starts, [*starts[1:], len(log)], strict=True))
    runs = []
    for start, end in parts:
        try:
            runs.append((log[start:end], _read_document(_decode(log, start, end))))
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise LogError(
                "IOR's JSON is damaged: a key is missing, or has a value that does not belong there"
            ) from error
    return sorted(ior_checks.list_once(runs), key=attrgetter("offset"))


def _decode(log: bytes, start: int, end: int) -> dict[str, Any]:
    """Return one document, its figures replaced by `JsonFigure`."""
    part = log[start:end]
    for attempt in (bytes, _blank_foreign, _close_once):
        text = attempt(part).decode("latin-1")
        try:
            document, _ = _DECODER.raw_decode(text)
            break
        except ValueError:
            continue
    else:
        raise LogError("cut short or damaged: IOR's JSON does not end, the run ended early or was written over")
    places = _FIGURE.finditer(text)
    _place(document, places, start)
    if next(places, None) is not None:
        raise LogError("IOR's JSON is damaged: figures are outside the document")
    return document


def _blank_foreign(text: bytes) -> bytes:
    """Return `text` with foreign lines overwritten by blanks, at equal length."""
    return _FOREIGN.sub(lambda found: b" " * len(found[0]), text)


def _close_once(text: bytes) -> bytes:
    """Return `text` without foreign lines and without the second end of ``Results``, at equal length."""
    return _DOUBLE_END.sub(b" ", _blank_foreign(text))


def _place(node: Any, places: Iterator[re.Match[str]], base: int) -> None:
    """Replace each figure below `node` by its text and offset; both run in the order of the document."""
    if isinstance(node, list):
        for one in node:
            _place(one, places, base)
        return
    for key, value in node.items() if isinstance(node, dict) else ():
        if key in _COLUMNS:
            found = next(places, None)
            if found is None or found[1] != key or found[2] != value:
                raise LogError(f"IOR's JSON is damaged, or states no number, at the key {key!r}: {str(value)[:40]!r}")
            node[key] = JsonFigure(value.encode(), base + found.start(2))
        elif not isinstance(value, str) and key not in _WITHOUT_FIGURES:
            _place(value, places, base)


def _read_document(document: dict[str, Any]) -> list[Record]:
    """Return the records of one document."""
    version = document["Version"]
    terms.check_ior_version(version)
    if "Finished" not in document:
        raise LogError("cut short: IOR's JSON lacks the key 'Finished', so the run ended early")
    summaries = _rows_of(document.get("summary"))
    tests = document.get("tests")
    if not isinstance(tests, list) or not tests:
        raise LogError("IOR's JSON states no tests")
    numbers = [test.get("TestID") for test in tests if isinstance(test, dict)]
    if len(set(numbers)) != len(tests) or any(one.get("TestID") not in numbers for one in summaries):
        raise LogError("IOR's JSON is damaged: tests and summary do not belong together")
    found: list[list[Record]] = []
    for test in tests:
        context = _context(document, test)
        ours = [one for one in summaries if one.get("TestID") == test["TestID"]]
        records = _read_test(test, ours, context)
        is_verified = test["Parameters"].get("checkRead") == "1"
        found.append(ior_checks.mark_verified(records) if is_verified else records)
    return number_runs(found)


def _rows_of(node: Any) -> list[dict[str, Any]]:
    """Return the results in a flat list, or in a list of one list per repetition."""
    rows: list[dict[str, Any]] = []
    for one in node if isinstance(node, list) else ():
        rows += one if isinstance(one, list) else [one]
    if not all(isinstance(one, dict) for one in rows):
        raise LogError("IOR's JSON is damaged: a result is not an object")
    return rows


def _context(document: dict[str, Any], test: dict[str, Any]) -> terms.IorFacts:
    """Return the context that the records of a test share."""
    parameters, options = test.get("Parameters"), test.get("Options")
    if not isinstance(parameters, dict) or not isinstance(options, dict):
        raise LogError("IOR's JSON is damaged: a test lacks its parameters or options")
    ior_checks.refuse_idle(str(options.get("api", "")), str(parameters.get("dryRun", "")))
    _, is_direct = terms.parse_command(str(document.get("Command line", "")).encode(), document["Version"])
    layout = {"file-per-process": "file-per-thread", "single-shared-file": "shared-file"}
    try:
        factors = {
            "threads": int(options["tasks"]),
            "nodes": int(options["nodes"]) if "nodes" in options else None,
            "transfer_size": int(parameters["transferSize"]),
            "file_size": int(parameters["blockSize"]) * int(parameters["segmentCount"]),
            "file_layout": layout.get(options.get("access", "")),
            "direct_io": is_direct,
        }
    except (KeyError, ValueError, TypeError) as error:
        raise LogError("IOR's JSON is damaged: tasks, transferSize, blockSize or segmentCount is missing") from error
    caveats = ("stonewalled",) if parameters.get("deadlineForStonewall", "0") != "0" else ()
    told = {name: level for name, level in factors.items() if level is not None}
    return terms.IorFacts(document["Version"], parameters.get("randomOffset", "0") != "0", caveats, told)


def _read_test(test: dict[str, Any], summaries: list[dict[str, Any]], context: terms.IorFacts) -> list[Record]:
    """Return the records of one test: results, maxima, summary."""
    records: list[Record] = []
    rates: dict[str, list[bytes]] = {}
    counts: dict[str, int] = {}
    for row in _rows_of(test.get("Results")):
        access = row.get("access")
        if (
            access not in ("write", "read", "remove")
            or ("bwMiB" in row) == (access == "remove")
            or not _has_all_times(row)
        ):
            raise LogError("IOR's JSON is damaged: a result lacks its access, rate or time")
        repetition = counts[access] = counts.get(access, -1) + 1
        if "bwMiB" in row:
            rates.setdefault(access, []).append(row["bwMiB"].text)
        records += _row_records(row, access, repetition, context)
    _check_repetitions(test, counts)
    maxima = {key[:-3]: figure for key, figure in (test.get("max") or {}).items() if key in _MAX_KEYS}
    for access, figure in maxima.items():
        records.append(_record(figure, _MAX_KEYS[f"{access}MiB"], access, None, context))
    if len({summary.get("operation") for summary in summaries}) != len(summaries):
        raise LogError("IOR's JSON is damaged: its summary states an operation of one test twice")
    for summary in summaries:
        records += _summary_records(summary, rates, maxima, context)
    if not maxima.keys() <= rates.keys():
        raise LogError("IOR's JSON is damaged: a maximum is stated whose results are missing")
    return records


def _has_all_times(row: dict[str, Any]) -> bool:
    """Return whether a result has every figure that IOR prints; IOPS and latency came with 3.3."""
    if "bwMiB" not in row:
        return "totalTime" in row
    return terms.ROW_KEYS.keys() - row.keys() in (set(), {"iops", "latency"})


def _check_repetitions(test: dict[str, Any], counts: dict[str, int]) -> None:
    """Raise `LogError` if an access was asked for and a repetition of it is missing."""
    parameters = test["Parameters"]
    asked = ["write"] if parameters.get("writeFile") == "1" else []
    if "1" in (parameters.get("readFile"), parameters.get("checkRead")):
        asked.append("read")
    for access in dict.fromkeys([*asked, *counts]):
        if str(counts.get(access, -1) + 1) != test["Options"].get("repetitions"):
            raise LogError(f"cut short or damaged: IOR's JSON lacks repetitions of {access}, or states one twice")
    if not counts:
        raise LogError("IOR's JSON states no results")


def _record(
    figure: JsonFigure, column: terms.Column, access: str, repetition: int | None, context: terms.IorFacts
) -> Record:
    """Return the record of one figure."""
    value = float(figure.text)
    caveats = context.caveats
    if not value and column.unit in ("B/s", "1/s") and column.statistic != "stddev":
        raise LogError(f"the {access} ran at a rate of zero")
    if column.unit == "s" and value < 0.001:
        caveats += ("rounded",)
    operation = terms.name_ior_operation(access, context.is_random)
    return terms.make_record(context, operation, column, figure.text, figure.offset, repetition, caveats)


def _row_records(row: dict[str, Any], access: str, repetition: int, context: terms.IorFacts) -> list[Record]:
    """Return a record for each figure of one result."""
    records = []
    for key, column in terms.ROW_KEYS.items():
        figure = row.get(key)
        if not isinstance(figure, JsonFigure):
            continue
        if access == "remove":
            column = column._replace(definition=terms.REMOVAL)
        record = _record(figure, column, access, repetition, context)
        if column.metric == "latency" and isinstance(row.get("iops"), JsonFigure):
            caveat = ior_checks.latency_caveat(figure.text, row["iops"].text, context)
            record = record._replace(caveats=record.caveats + caveat)
        records.append(record)
    return records


def _summary_records(
    summary: dict[str, Any], rates: dict[str, list[bytes]], maxima: dict[str, JsonFigure], context: terms.IorFacts
) -> list[Record]:
    """Return a record for each figure of one line of the summary, except a maximum that was stated before."""
    access = summary.get("operation")
    if access not in rates:
        raise LogError("IOR's JSON is damaged: the summary names an operation whose results are missing")
    if not summary.keys() >= _NEEDED_SUMMARY or ("StoneWallTime" in summary) != ("StoneWallbwMeanMIB" in summary):
        raise LogError("IOR's JSON is damaged: its summary lacks a figure")
    highest, lowest = summary["bwMaxMIB"].text, summary["bwMinMIB"].text
    ior_checks.compare_summary(access, rates[access], highest, lowest, context.version)
    if access in maxima and maxima[access].text != highest:
        raise LogError(f"IOR's summary and its maximum contradict each other on {access}")
    records = []
    for key, column in _SUMMARY_KEYS.items():
        if key not in summary or (key == "bwMaxMIB" and access in maxima):
            continue
        if not column.definition:
            metric = _stonewall_metric(summary, context)
            column = column._replace(metric=metric, definition=terms.AT_STONEWALL[metric])
        records.append(_record(summary[key], column, access, None, context))
    return records


def _stonewall_metric(summary: dict[str, Any], context: terms.IorFacts) -> str:
    """Return what the summary's stonewall rate counts."""
    rate, time = float(summary["StoneWallbwMeanMIB"].text), float(summary["StoneWallTime"].text)
    return terms.stonewall_metric(context.version, rate, time, float(summary["xsizeMiB"]), context.factors["threads"])
