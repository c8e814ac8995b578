"""The benchmark tools: one module per tool, each with the same few names.

A module that reads logs offers

``recognise(log: bytes) -> bool``
    Whether the log looks like this tool's, judged cheaply by content.
``read(log: bytes) -> list[Record]``
    Every value that the log states, in the order of the log; raises `LogError` with the cause when the log is broken,
    unfinished, or of a version that cannot be trusted. Never half of the values.

A module that runs trials offers ``PROGRAM``, ``version``, ``separate``, ``inputs`` and ``argv`` as well, and

``unfit(run: Run) -> str``
    What of a run the tool cannot do, empty where it can do all: what it would pass over must not become a coordinate.
"""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

from coldcache.core.errors import LogError
from coldcache.core.records import Record, find_impossible

#: Modules that read logs, in the order in which they are asked.
READERS = (
    "nfs_guest_log",
    "fio.parse",
    "fio.series_logs",
    "iozone.parse",
    "ior.parse",
    "mdtest.parse",
    "rhel_iotest.parse",
    "io500",
    "mountstats",
    "elbencho",
    "cloudwatch",
)

#: Those that are told the file's name, too, because it alone says what their logs hold.
NAMED_READERS = ("fio_series",)


def read_log(log: bytes, name: str = "") -> Sequence[Record]:
    """Return every value that a log states.

    Parameters
    ----------
    log : bytes
        The whole log, as the tool wrote it.
    name : str
        The file's name, without its folder.

    Returns
    -------
    sequence of Record
        In the order of the log.

    Raises
    ------
    LogError
        If no known tool wrote the log, or its own reader refuses it. The message is the cause alone; the caller
        knows the file.
    """
    return read_by(find_reader(log), log, name)


def read_by(reader: ModuleType, log: bytes, name: str = "") -> Sequence[Record]:
    """Return every value that a log states to the module that reads it.

    Raises
    ------
    LogError
        As `read_log`, and if a value that the module found is negative, infinite or no number.
    """
    is_named = getattr(reader, "TOOL", "") in NAMED_READERS
    records: Sequence[Record] = reader.read(log, name) if is_named else reader.read(log)
    impossible = find_impossible(records)
    if impossible:
        line = log.count(b"\n", 0, impossible.offset) + 1
        raise LogError(
            f"line {line}: {impossible.printed[:40]!r} would make {impossible.operation} {impossible.metric}"
            f" {impossible.value:g} {impossible.unit}, which nothing measured can be: the log is damaged"
        )
    return records


def find_reader(log: bytes) -> ModuleType:
    """Return the module that reads a log; raises `LogError` if no known tool wrote it."""
    if not log.strip():
        raise LogError("the log is empty")
    for module in READERS:
        reader = _load(module)
        if reader.recognise(log):
            return reader
    raise LogError("no known tool wrote this log")


@cache
def find_tool(name: str) -> ModuleType:
    """Return the module that runs a tool."""
    return import_module(f"{__name__}.{name}.command")


@cache
def _load(module: str) -> ModuleType:
    return import_module(f"{__name__}.{module}")


def read_file(path: Path) -> Sequence[Record]:
    """Return every value that the log at `path` states; raises as `read_log`, and `LogError` if it cannot be opened."""
    try:
        log = path.read_bytes()
    except OSError as error:
        raise LogError(f"cannot be read: {error.strerror}") from error
    return read_log(log, path.name)
