"""Turn IOR's result rows, maxima and summary lines into records, and compare them with each other.

IOR prints a rate below 3600 with two decimals, from 3600 on as an integer (caveat ``rounded``), below 1 with six, and a
negative number as ``-`` (``src/ior-output.c``: PPDouble). Summary and maxima always carry two decimals.
"""

import re
from functools import lru_cache
from typing import NamedTuple

from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.core.units import MIB
from coldcache.tools.ior import columns as terms
from coldcache.tools.ior import consistency as ior_checks
from coldcache.tools.lines import name_line

_MAX = re.compile(rb"Max (Write|Read):[ \t]*(\d{1,15}\.\d\d) MiB/sec \((\d{1,15}\.\d\d) MB/sec\)[ \t\r]*(?:\n|\Z)")
_NUMBER = rb"([01]\.\d{6}|\d{1,4}\.\d\d|\d{4,19}|-)"
_COUNT = rb"(\d{1,9})"
_PLAIN_COLUMNS = {"block(KiB)": _NUMBER, "xfer(KiB)": _NUMBER, "iter": _COUNT}


class RowForm(NamedTuple):
    """The pattern of a line under given column headings, and the groups that hold figures."""

    line: re.Pattern[bytes]
    figures: tuple[tuple[int, terms.Column], ...]
    groups: dict[str, int]


@lru_cache(maxsize=64)
def result_table(heads: bytes) -> RowForm:
    """Return the table of result rows under the column headings ``access bw(MiB/s) ... iter``.

    Raises
    ------
    LogError
        If a column is unknown, or rate, total time or iteration are not among them.
    """
    names = heads.decode("latin-1").split()
    figures = []
    pattern = rb"(write|read|remove)"
    for group, name in enumerate(names[1:], start=2):
        if name in terms.ROW_COLUMNS:
            figures.append((group, terms.ROW_COLUMNS[name]))
        elif name not in _PLAIN_COLUMNS:
            raise LogError(f"the column {name!r} of IOR's results is unknown here")
        pattern += rb"[ \t]+" + _PLAIN_COLUMNS.get(name, _NUMBER)
    groups = {name: group for group, name in enumerate(names, start=1)}
    if not {"bw(MiB/s)", "total(s)", "iter"} <= groups.keys() or len(groups) != len(names):
        raise LogError("the column heads of IOR's results are damaged")
    return RowForm(re.compile(pattern + rb"[ \t\r]*(?:\n|\Z)"), tuple(figures), groups)


_SUMMARY_COLUMNS = {
    **terms.name_spread(terms.SUMMARY_MIB, "Max(MiB)", "Min(MiB)", "Mean(MiB)", "StdDev"),
    **terms.name_spread(terms.SUMMARY_OPS, "Max(OPs)", "Min(OPs)", "Mean(OPs)", "StdDev(OPs)"),
    "Mean(s)": terms.Column("elapsed", "s", 1.0, " s", terms.WHOLE, "mean"),
    "Stonewall(s)": terms.Column("elapsed", "s", 1.0, " s", terms.TO_STONEWALL, "mean"),
    "Stonewall(MiB)": terms.Column("throughput", "B/s", MIB, " MiB", "", "mean"),
}
_MAXIMUM = terms.SUMMARY_MIB._replace(statistic="max", suffix=" MiB/sec")
_REMOVAL = terms.ROW_COLUMNS["total(s)"]._replace(definition=terms.REMOVAL)
_SUMMARY_DECIMALS = {
    "Mean(s)": rb"(\d{1,15}\.\d{5})",
    "Stonewall(s)": rb"(\d{1,15}\.\d\d|NA)",
    "Stonewall(MiB)": rb"(\d{1,15}\.\d\d|NA)",
}
_TEST_COUNTS = frozenset(("Test#", "#Tasks", "tPN", "reps", "fPP", "segcnt", "blksiz", "xsize"))
_SUMMARY_COUNTS = _TEST_COUNTS | {"reord", "reordoff", "reordrand", "seed", "RefNum"}
_SUMMARY_NEEDS = _TEST_COUNTS | {"Max(MiB)", "Min(MiB)", "Mean(MiB)", "Mean(s)"}


@lru_cache(maxsize=64)
def summary_table(heads: bytes) -> RowForm:
    """Return the table of summary lines under the column headings ``Operation Max(MiB) ... RefNum``.

    Raises
    ------
    LogError
        If a column is unknown, or a necessary one is missing.
    """
    names = heads.decode("latin-1").split()
    for at in range(1, len(names)):
        if names[at] == "StdDev" and names[at - 1] == "Mean(OPs)":
            names[at] = "StdDev(OPs)"
    figures = []
    pattern = rb"(write|read)"
    for group, name in enumerate(names[1:], start=2):
        if name in _SUMMARY_COLUMNS:
            figures.append((group, _SUMMARY_COLUMNS[name]))
            pattern += rb"[ \t]+" + _SUMMARY_DECIMALS.get(name, rb"(\d{1,15}\.\d\d)")
        elif name in _SUMMARY_COUNTS:
            pattern += rb"[ \t]+(-?\d{1,19})"
        elif name in ("aggs(MiB)", "aggsize"):
            pattern += rb"[ \t]+(\d{1,18}(?:\.\d{1,9})?)"
        elif name == "API":
            pattern += rb"[ \t]+(\S+)"
        else:
            raise LogError(f"the column {name!r} of IOR's summary is unknown here")
    groups = {name: group for group, name in enumerate(names, start=1)}
    if not groups.keys() >= _SUMMARY_NEEDS or len(groups) != len(names):
        raise LogError("the column heads of IOR's summary are damaged")
    return RowForm(re.compile(pattern + rb"[ \t\r]*(?:\n|\Z)"), tuple(figures), groups)


def match_line(table: RowForm, log: bytes, start: int) -> re.Match[bytes]:
    """Return the match of the line at `start`; raises `LogError` naming the line if it does not fit its table."""
    found = table.line.match(log, start)
    if found is None:
        end = log.find(b"\n", start)
        shown = log[start : end if end >= 0 else len(log)][:80].decode("latin-1").strip()
        raise LogError(f"{name_line(log, start)} is damaged: {shown!r}")
    return found


def row_records(table: RowForm, found: re.Match[bytes], context: terms.IorFacts) -> list[Record]:
    """Return a record for each figure of a result row.

    Parameters
    ----------
    table : RowForm
        Of `result_table`.
    found : Match
        Of `match_line`.
    context : IorFacts
        Of the test.

    Returns
    -------
    list of Record
        Rates in B/s and 1/s, times in s, in the order of the row; times that IOR prints as ``-`` are left out.

    Raises
    ------
    LogError
        If a rate is zero or missing: the phase ran, yet moved nothing.
    """
    spans, texts = found.regs, (found[0], *found.groups())
    access = texts[1].decode()
    repetition = int(texts[table.groups["iter"]])
    caveats = context.caveats
    if access == "remove":
        group = table.groups["total(s)"]
        caveats = tuple(caveat for caveat in caveats if caveat != "pattern-unknown")
        return [terms.make_record(context, "file-remove", _REMOVAL, texts[group], spans[group][0], repetition, caveats)]
    operation = terms.name_ior_operation(access, context.is_random)
    records = []
    for group, column in table.figures:
        text = texts[group]
        caveats = context.caveats
        if column.unit != "s":
            if text == b"-" or not float(text):
                raise LogError(f"the {access} of repetition {repetition} ran at a rate of zero")
            if b"." not in text:
                caveats += ("rounded",)
        elif text == b"-":
            continue
        elif column.metric == "latency" and "IOPS" in table.groups:
            caveats += ior_checks.latency_caveat(text, texts[table.groups["IOPS"]], context)
        records.append(terms.make_record(context, operation, column, text, spans[group][0], repetition, caveats))
    return records


def max_record(log: bytes, start: int, context: terms.IorFacts) -> Record:
    """Return the record of a line ``Max Write: 2157.41 MiB/sec (2262.21 MB/sec)``.

    Raises
    ------
    LogError
        If the line is damaged, its two units contradict each other, or the rate is zero.
    """
    found = _MAX.match(log, start)
    if found is None or abs(float(found[2]) * 1.048576 - float(found[3])) > 0.0106:
        raise LogError(f"{name_line(log, start)} is damaged: IOR states a maximum that cannot be read")
    if not float(found[2]):
        raise LogError(f"{name_line(log, start)} states a maximum of zero")
    operation = terms.name_ior_operation(found[1].decode().lower(), context.is_random)
    return terms.make_record(context, operation, _MAXIMUM, found[2], found.start(2), None, context.caveats)


def summary_records(table: RowForm, found: re.Match[bytes], context: terms.IorFacts, skip_max: bool) -> list[Record]:
    """Return a record for each figure of a summary line.

    Parameters
    ----------
    table : RowForm
        Of `summary_table`.
    found : Match
        Of `match_line`.
    context : IorFacts
        Of the test.
    skip_max : bool
        Whether the line's maximum repeats a ``Max Write:`` or ``Max Read:`` line.

    Returns
    -------
    list of Record
        Rates in B/s and 1/s, times in s, without a repetition; columns marked ``NA`` are left out.
    """
    spans, texts = found.regs, (found[0], *found.groups())
    operation = terms.name_ior_operation(texts[1].decode(), context.is_random)
    records = []
    for group, column in table.figures:
        text = texts[group]
        if text == b"NA" or (skip_max and column is _SUMMARY_COLUMNS["Max(MiB)"]):
            continue
        if not column.definition:
            metric = _stonewall_metric(table, texts, context.version)
            column = column._replace(metric=metric, definition=terms.AT_STONEWALL[metric])
        caveats = context.caveats
        if column.statistic != "stddev" and not float(text):
            caveats += ("rounded",)
        records.append(terms.make_record(context, operation, column, text, spans[group][0], None, caveats))
    return records


def _stonewall_metric(table: RowForm, texts: tuple[bytes, ...], version: str | None) -> str:
    """Return what the column ``Stonewall(MiB)`` of a summary line counts."""
    names = ("Stonewall(MiB)", "Stonewall(s)", "aggs(MiB)")
    rate, time, moved = (float(texts[table.groups[name]]) for name in names)
    return terms.stonewall_metric(version, rate, time, moved, int(texts[table.groups["#Tasks"]]))
