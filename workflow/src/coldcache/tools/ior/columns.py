"""The meaning of IOR's figures: units, definitions, factors and known versions.

Taken from IOR's own sources (``src/ior.c``: ReduceIterResults, ``src/ior-output.c``: PrintReducedResult and
PrintLongSummaryOneOperation) of versions 3.0.1 to 4.1.0+dev.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from coldcache.core.errors import LogError
from coldcache.core.records import Record
from coldcache.core.units import MIB

OPEN_TO_CLOSE = "aggregate over ranks, open to close"
WHOLE = "open to close"
OPS_ROW = "transfers of all ranks, first start to last end of the reads or writes"
OPS_SUMMARY = "transfers of all ranks, open to close"
FASTEST_RANK = "mean per transfer of the fastest rank"
REMOVAL = "removal of the test files"
TO_STONEWALL = "until the stonewall"
#: Under the same heading, IOR 4 prints the bytes of a mean rank, and 3.3 those of all ranks.
AT_STONEWALL = {"throughput": "aggregate over ranks, up to the stonewall"}
AT_STONEWALL["throughput_per_process"] = "mean rank, up to the stonewall"

_KNOWN = re.compile(r"(?:3\.[0-4]|4\.[01])(?!\d)")
#: Options of one letter that take a value (``src/parse_options.c``).
_WITH_VALUE = frozenset("aAbdDfGijJlMNoOQstTUX")
_OPTION = re.compile(r"-[-A-Za-z]")
_HUMAN = re.compile(rb"(\d{1,18}) (bytes|MiB|GiB|TiB)\s*$")
_HUMAN_UNIT = {b"bytes": 1, b"MiB": MIB, b"GiB": 2**30, b"TiB": 2**40}


class Column(NamedTuple):
    """One column of figures: its metric, unit, factor to that unit, unit as printed, definition and statistic."""

    metric: str
    unit: str
    scale: float
    suffix: str
    definition: str
    statistic: str = "value"


class IorFacts(NamedTuple):
    """Facts that all records of one test share."""

    version: str | None
    is_random: bool
    caveats: tuple[str, ...]
    factors: Mapping[str, Any]


def name_spread(column: Column, *names: str) -> dict[str, Column]:
    """Return the columns of the maximum, minimum, mean and standard deviation of a figure, by their names."""
    statistics = ("max", "min", "mean", "stddev")
    return {name: column._replace(statistic=what) for name, what in zip(names, statistics, strict=True)}


#: Throughput and rate of transfers as summaries state them.
SUMMARY_MIB = Column("throughput", "B/s", MIB, " MiB", OPEN_TO_CLOSE)
SUMMARY_OPS = Column("rate", "1/s", 1.0, " OPs", OPS_SUMMARY)

#: Figures of a result row, by the column's heading in text and CSV.
ROW_COLUMNS = {
    "bw(MiB/s)": Column("throughput", "B/s", MIB, " MiB/s", OPEN_TO_CLOSE),
    "IOPS": Column("rate", "1/s", 1.0, " IOPS", OPS_ROW),
    "Latency(s)": Column("latency", "s", 1.0, " s", FASTEST_RANK),
    "Latency": Column("latency", "s", 1.0, " s", FASTEST_RANK),
    "open(s)": Column("elapsed", "s", 1.0, " s", "open"),
    "wr/rd(s)": Column("elapsed", "s", 1.0, " s", "write or read"),
    "close(s)": Column("elapsed", "s", 1.0, " s", "close"),
    "total(s)": Column("elapsed", "s", 1.0, " s", WHOLE),
}

#: The same figures in a result of the JSON output.
ROW_KEYS = {
    "bwMiB": ROW_COLUMNS["bw(MiB/s)"]._replace(suffix=" MiB"),
    "iops": ROW_COLUMNS["IOPS"]._replace(suffix=" iops"),
    "latency": ROW_COLUMNS["Latency"]._replace(suffix=""),
    "openTime": ROW_COLUMNS["open(s)"]._replace(suffix=""),
    "wrRdTime": ROW_COLUMNS["wr/rd(s)"]._replace(suffix=""),
    "closeTime": ROW_COLUMNS["close(s)"]._replace(suffix=""),
    "totalTime": ROW_COLUMNS["total(s)"]._replace(suffix=""),
}


def check_ior_version(version: str) -> None:
    """Raise `LogError` if the output of IOR's `version` is unknown; known are 3.0 to 4.1 development."""
    if not _KNOWN.match(version):
        raise LogError(f"IOR {version} is none of the versions read here (3.0 to 4.1)")


def name_ior_operation(access: str, is_random: bool) -> str:
    """Return the contract's name for IOR's access ``write``, ``read`` or ``remove``."""
    if access == "remove":
        return "file-remove"
    return f"random-{access}" if is_random else access


def stonewall_metric(version: str | None, rate: float, time: float, moved: float, tasks: int) -> str:
    """Return whether the summary's stonewall rate counts all ranks or a mean rank.

    Parameters
    ----------
    version : str or None
        As the log states it. 3.3 sums over ranks, 4.x divides by their number, 3.4.0+dev does either.
    rate, time : float
        ``Stonewall(MiB)`` in MiB/s and ``Stonewall(s)`` in s.
    moved : float
        MiB moved by all ranks in the whole test.
    tasks : int
        Number of ranks.

    Returns
    -------
    str
        ``throughput`` or ``throughput_per_process``. A rate that needs more bytes than one rank's share of `moved`
        must be a sum over ranks.
    """
    if version and version.startswith("3.3"):
        return "throughput"
    if version and version.startswith("4."):
        return "throughput_per_process"
    return "throughput" if rate * time > 1.02 * moved / max(tasks, 1) else "throughput_per_process"


def parse_command(command: bytes, version: str | None = None) -> tuple[frozenset[str], bool | None]:
    """Return the accesses that an IOR command line asks for, and whether it asks for direct I/O.

    Parameters
    ----------
    command : bytes
        The command line as the log states it.
    version : str or None
        As the log states it. Flags in groups (``-wFB``) count, but in 3.2, which reads the first letter alone.

    Returns
    -------
    tuple of frozenset and (bool or None)
        Some of ``write`` and ``read``; empty and None if a script (``-f``) gives the parameters.
    """
    flags: set[str] = set()
    is_direct = False
    for name, value in _split_options(command, (version or "").startswith("3.2")):
        if name == "O":
            for directive in value.split(","):
                key, _, setting = directive.partition("=")
                if key.strip().lower() == "useo_direct":
                    is_direct = _is_on(setting)
        elif name in ("B", "posix.odirect"):
            is_direct = _is_on(value or "1")
        elif _is_on(value or "1") or name == "f":
            flags.add(name)
    if "f" in flags or not command.split():
        return frozenset(), None
    return frozenset(access for flag, access in (("w", "write"), ("r", "read")) if flag in flags), is_direct


def verifies_reads(command: bytes, version: str | None) -> bool:
    """Return whether the times of reads include the comparison of the data (``-R``): since 3.2, which reads them once.

    Parameters
    ----------
    command : bytes
        The command line as the log states it. What a script (``-f``) asks for is not in it.
    version : str or None
        As the log states it.
    """
    if (version or "").startswith(("3.0", "3.1")):
        return False
    checks = False
    for name, value in _split_options(command, (version or "").startswith("3.2")):
        if name == "R":
            checks = _is_on(value or "1")
        elif name == "O":
            for directive in value.split(","):
                key, _, setting = directive.partition("=")
                checks = _is_on(setting) if key.strip().lower() == "checkread" else checks
    return checks


def _split_options(command: bytes, is_single: bool) -> Iterator[tuple[str, str]]:
    """Yield the name and value of each option; of a group of flags each, unless only its first letter counts."""
    words = command.decode("latin-1").split()
    at = 0
    while at < len(words):
        word, at = words[at], at + 1
        if word.startswith("--"):
            name, _, value = word[2:].partition("=")
            yield name, value
            continue
        group, _, value = word[1:].partition("=") if word.startswith("-") else ("", "", "")
        for place, letter in enumerate(group[:1] if is_single else group):
            if letter not in _WITH_VALUE:
                yield letter, value
                continue
            rest = word[place + 2 :].removeprefix("=")
            if not rest and at < len(words) and not _OPTION.match(words[at]):
                rest, at = words[at], at + 1
            yield letter, rest
            break


def _is_on(setting: str) -> bool:
    """Return whether a setting is on, as C's ``atoi`` reads it."""
    return re.match(r"\s*\+?0*[1-9]", setting) is not None


def command_size(command: bytes, flag: bytes) -> int | None:
    """Return the size in B, or the count, that `command` gives behind `flag` (``-t 1m``, ``-t=4096``), if it does."""
    found = re.search(rb"\s" + flag + rb"[\s=]\s*(\d{1,18})([kmgtpKMGTP]?)", command)
    return int(found[1]) << 10 * b"\0kmgtp".index(found[2].lower() or b"\0") if found else None


def parse_size(text: bytes) -> int | None:
    """Return the bytes of a size as IOR prints it (``47008 bytes``, ``1 MiB``); None if it was rounded."""
    size = _HUMAN.match(text.strip())
    return int(size[1]) * _HUMAN_UNIT[size[2]] if size else None


def make_record(
    context: IorFacts,
    operation: str,
    column: Column,
    text: bytes,
    offset: int,
    repetition: int | None,
    caveats: tuple[str, ...],
) -> Record:
    """Return the record of one figure.

    Parameters
    ----------
    context : IorFacts
        Of the test.
    operation : str
        As the contract names it.
    column : Column
        The meaning of the figure.
    text : bytes
        The number as printed.
    offset : int
        Its place in the log.
    repetition : int or None
        Counted from 0.
    caveats : tuple of str
        All of them.

    Returns
    -------
    Record
        In the unit of `column`.
    """
    version, _, _, factors = context
    metric, unit, scale, suffix, definition, statistic = column
    return Record._make((
        "ior", version, operation, metric, statistic, float(text) * scale, unit, repetition, definition,
        offset, len(text), text.decode() + suffix, caveats, factors,
    ))  # fmt: skip
