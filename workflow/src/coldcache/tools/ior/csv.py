"""Read the CSV output of IOR 4 (``-O summaryFormat=CSV``): a line per access and repetition, no banner, no end marker.

Specimen::

    access,bw(MiB/s),IOPS,Latency,block(KiB),xfer(KiB),open(s),wr/rd(s),close(s),total(s),numTasks,iter
    write,1975.7368,1985.3519,0.0020,16384.0000,1024.0000,0.0028,0.0322,0.0003,0.0324,4,0

Each test of a script prints its column headings again. Output that was cut between two repetitions cannot be detected:
every record carries the caveat ``no-end-marker``. No column tells whether offsets were random: ``pattern-unknown``.
"""

import re

from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.tools.ior import columns as terms
from coldcache.tools.ior import consistency as ior_checks
from coldcache.tools.repetitions import number_runs

HEADS = b"access,bw(MiB/s),"
_LINE = re.compile(rb"(?:\A|\n)(access,bw\(MiB/s\),[^\n]*|(?:write|read),[^\n]*)")
_PLAIN_COLUMNS = {"block(KiB)", "xfer(KiB)", "numTasks", "iter"}
_NEEDED = {"bw(MiB/s)", "total(s)", "numTasks", "iter", "xfer(KiB)"}
_COUNT = re.compile(rb"\d{1,9}")
_NUMBER = re.compile(rb"\d{1,15}\.\d{4}")


def recognise(log: bytes) -> bool:
    """Return whether the log holds the column headings of IOR's CSV."""
    return HEADS in log


def read(log: bytes) -> list[Record]:
    """Return every value that IOR's CSV states.

    Parameters
    ----------
    log : bytes
        The whole log.

    Returns
    -------
    list of Record
        In the order of the log: rates in B/s and 1/s, times in s. The version is None: CSV does not state it. Tables
        of tests with the same factors differ in ``repetition``.

    Raises
    ------
    LogError
        If IOR could not flush or found wrong data, a line is damaged, a repetition appears twice, or write and read
        have different repetitions.
    """
    ior_checks.refuse_failed(log)
    tables: list[list[Record]] = []
    heads: list[str] = []
    seen: dict[str, set[int]] = {}
    lines: set[bytes] = set()
    for line in _LINE.finditer(log):
        if line[1].startswith(b"access,"):
            _check_table(seen, bool(heads))
            heads, seen = _parse_heads(line[1]), {}
            tables.append([])
            continue
        if line[1] in lines:
            raise LogError(f"a result line appears twice in IOR's CSV: {line[1][:80].decode('latin-1')!r}")
        lines.add(line[1])
        if not heads:
            raise LogError("IOR's CSV has a result line before its column heads")
        tables[-1] += _read_line(log, line.start(1), line.end(1), heads, seen)
    _check_table(seen, True)
    if tables and log[-1:] != b"\n":
        raise LogError("cut short: the last line of IOR's CSV is not ended")
    return number_runs(tables)


def _parse_heads(line: bytes) -> list[str]:
    """Return the names of the columns."""
    heads = line.decode("latin-1").strip().split(",")
    unknown = set(heads[1:]) - _PLAIN_COLUMNS - terms.ROW_COLUMNS.keys()
    if unknown or not set(heads) >= _NEEDED or len(set(heads)) != len(heads):
        raise LogError("the column heads of IOR's CSV are damaged or unknown")
    return heads


def _check_table(seen: dict[str, set[int]], begun: bool) -> None:
    """Raise `LogError` if a table is empty, or its accesses have different or missing repetitions."""
    if begun and not seen:
        raise LogError("IOR's CSV states no results")
    for repetitions in seen.values():
        if repetitions != set(range(len(repetitions))) or repetitions != next(iter(seen.values())):
            raise LogError("cut short or damaged: IOR's CSV lacks repetitions of write or read")


def _read_line(log: bytes, start: int, end: int, heads: list[str], seen: dict[str, set[int]]) -> list[Record]:
    """Return the records of one result line."""
    fields = log[start:end].rstrip(b"\r").split(b",")
    texts = dict(zip(heads, fields, strict=False))
    counts = [texts.get(name, b"") for name in ("numTasks", "iter")]
    figures = [text for name, text in texts.items() if name not in ("access", "numTasks", "iter")]
    if len(fields) != len(heads) or not all(map(_COUNT.fullmatch, counts)) or not all(map(_NUMBER.fullmatch, figures)):
        raise LogError(f"a result line of IOR's CSV is damaged: {log[start:end][:80].decode('latin-1')!r}")
    access, repetition = fields[0].decode(), int(texts["iter"])
    if repetition in seen.setdefault(access, set()):
        raise LogError(f"repetition {repetition} of {access} appears twice in IOR's CSV")
    seen[access].add(repetition)
    factors = {"threads": int(texts["numTasks"]), "transfer_size": round(float(texts["xfer(KiB)"]) * 1024)}
    context = terms.IorFacts(None, False, (), factors)
    records = []
    for name, text in zip(heads, fields, strict=True):
        column = terms.ROW_COLUMNS.get(name)
        if column:
            if column.unit in ("B/s", "1/s") and not float(text):
                raise LogError(f"the {access} of repetition {repetition} ran at a rate of zero")
            caveats = ("no-end-marker", "pattern-unknown", *(("rounded",) if float(text) < 0.001 else ()))
            records.append(terms.make_record(context, access, column, text, start, repetition, caveats))
        start += len(text) + 1
    return records
