"""Read the logs of IOR 3.0 to 4.1: text, JSON and CSV.

IOR 3.2's JSON and the CSV of 3.2 and 3.3 are refused: the JSON is never closed and joins its parts, the CSV prints
values without separators and no results.
"""

import re

from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.tools.ior import csv as ior_csv
from coldcache.tools.ior import json_log as ior_json
from coldcache.tools.ior.columns import check_ior_version
from coldcache.tools.ior.consistency import list_once
from coldcache.tools.ior.runs import read_run
from coldcache.tools.ior.text import find_ior_runs

#: Name of the tool in campaigns that import its logs.
TOOL = "ior"

_BANNER = b": MPI Coordinated Test of Parallel I/O"

#: Words of which every log of this kind holds one.
WORDS = (_BANNER, b'"Began"', ior_csv.HEADS, b"(MiB", b"MiB/sec")

_TABLE = re.compile(
    rb"access[ \t]+bw\(MiB/s\)|Max (?:Write|Read):[ \t]*[\d.]+ MiB/sec|Operation[ \t]+Max\(MiB\)[ \t]+Min\(MiB\)"
)
_SEPARATORLESS = re.compile(
    rb"\s*(\d+\.\d+[^\s,;]*?)(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\S"
)
_BANNER_VERSION = re.compile(rb"IOR-(\S+): MPI Coordinated")


def printed_version(log: bytes) -> str | None:
    """Return the version in IOR's first banner; None without a banner."""
    banner = _BANNER_VERSION.search(log)
    return banner[1].decode(errors="replace") if banner else None


def recognise(log: bytes) -> bool:
    """Return whether the log looks like IOR's, by its banner, its column headings or its JSON keys."""
    return (
        _BANNER in log
        or ior_json.recognise(log)
        or ior_csv.recognise(log)
        or _SEPARATORLESS.match(log) is not None
        or _has_table(log)
    )


def _has_table(log: bytes) -> bool:
    # The expression takes many times as long as finding a word.
    return (b"(MiB" in log or b"MiB/sec" in log) and _TABLE.search(log) is not None


def read(log: bytes) -> list[Record]:
    """Return every value that an IOR log states, of all its runs and tests.

    Parameters
    ----------
    log : bytes
        The whole log, as IOR wrote it, with or without lines of other programs in between.

    Returns
    -------
    list of Record
        In the order of the log: rates in B/s and 1/s, times in s.

    Raises
    ------
    LogError
        If a run is unfinished, damaged or contradicts itself, or a version or format cannot be trusted.
    """
    for version in _BANNER_VERSION.finditer(log):
        check_ior_version(version[1].decode("latin-1"))
    banner = _BANNER_VERSION.search(log)
    separatorless = _SEPARATORLESS.match(log)
    if banner and banner[1].startswith(b"3.2") and b'\n  "Began": "' in log:
        raise LogError(f"IOR {banner[1].decode('latin-1')} prints broken JSON: repeat the run with the default format")
    if separatorless or (banner and b"summaryFormat=CSV" in log and b"\nResults:" not in log):
        said = (separatorless or banner)[1].decode("latin-1")  # type: ignore[index]
        raise LogError(
            f"IOR {said} prints CSV without separators and without results: repeat the run with the default format"
        )
    is_text = banner is not None or _has_table(log)
    forms = [("JSON", ior_json.recognise(log)), ("CSV", ior_csv.recognise(log)), ("text", is_text)]
    found = [form for form, is_there in forms if is_there]
    if len(found) > 1:
        raise LogError(f"holds {' and '.join(found)} of IOR: put each into a file of its own")
    readers = {"JSON": ior_json.read, "CSV": ior_csv.read}
    return readers.get("".join(found), _read_text)(log)


def _read_text(log: bytes) -> list[Record]:
    """Return every value of a text log; a run that was pasted twice counts once."""
    runs = find_ior_runs(log)
    if not runs:
        raise LogError("IOR's log states no results")
    return list_once((log[run.start : run.end], read_run(run, log)) for run in runs)
