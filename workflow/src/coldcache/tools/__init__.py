"""The list of benchmark tools, the list of log readers, and the functions that use them.

A tool that runs trials is a module that satisfies `protocols.Tool`; a reader of logs satisfies `protocols.LogReader`.
Both may be one module, or a folder with ``command.py`` and ``parse.py``.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from string import ascii_letters

from coldcache.core.errors import LogError, ToolError
from coldcache.core.records import Record, find_impossible
from coldcache.core.vocabulary import nearest
from coldcache.tools import cloudwatch, elbencho, io500, mountstats, nfs_guest_log
from coldcache.tools.command.form import CommandForm
from coldcache.tools.command.tool import NAME as COMMAND
from coldcache.tools.command.tool import CommandTool
from coldcache.tools.compressed import decompress, strip_suffix
from coldcache.tools.fio import command as fio
from coldcache.tools.fio import parse as fio_log
from coldcache.tools.fio import series_logs as fio_series
from coldcache.tools.ior import command as ior
from coldcache.tools.ior import parse as ior_log
from coldcache.tools.iozone import command as iozone
from coldcache.tools.iozone import parse as iozone_log
from coldcache.tools.lines import name_line
from coldcache.tools.mdtest import command as mdtest
from coldcache.tools.mdtest import parse as mdtest_log
from coldcache.tools.packages import find_tools
from coldcache.tools.programs import HELPERS, Program
from coldcache.tools.protocols import Harness, LogReader, NamedLogReader, Tool
from coldcache.tools.rhel_iotest import parse as rhel_iotest_log

#: The tools of this project that run trials, by the name that studies use.
_OWN_TOOLS: Mapping[str, Tool] = {"iozone": iozone, "fio": fio, "ior": ior, "mdtest": mdtest}

#: The readers of logs, in the order in which they are asked.
_OWN_READERS: tuple[LogReader, ...] = (
    nfs_guest_log,
    fio_log,
    fio_series,
    iozone_log,
    ior_log,
    mdtest_log,
    rhel_iotest_log,
    io500,
    mountstats,
    elbencho,
    cloudwatch,
)

_PACKAGED = find_tools((*_OWN_TOOLS, COMMAND))

#: All tools that run trials, also those of other packages, by the name that studies use.
TOOLS: Mapping[str, Tool] = {**_OWN_TOOLS, **_PACKAGED.tools}

#: All readers of logs; those of other packages are asked last.
READERS: tuple[LogReader, ...] = (*_OWN_READERS, *_PACKAGED.readers)

#: Those that need the name of the file; to look for the attributes of a protocol for each log would be slow.
_NAMED: tuple[NamedLogReader, ...] = tuple(reader for reader in READERS if isinstance(reader, NamedLogReader))

#: The bytes that are left out to find words in a log: JSON has few letters, so what is left is soon searched.
_NO_LETTERS = bytes(set(range(256)).difference(ascii_letters.encode()))

#: The readers of harnesses, by the name of the tool.
HARNESSES: Mapping[str, Harness] = {reader.TOOL: reader for reader in READERS if isinstance(reader, Harness)}

#: Why a tool of another package cannot be used, by its name.
REFUSED_TOOLS: Mapping[str, str] = _PACKAGED.refused


def find_tool(name: str, form: CommandForm | None = None, operations: tuple[str, ...] = ()) -> Tool:
    """Return the tool of a name.

    Parameters
    ----------
    name : str
        A key of `TOOLS`, or what the records of a study's own command are to name.
    form : CommandForm, optional
        The study's own command.
    operations : tuple of str
        What a run of that command measures, whose log is to be read.

    Raises
    ------
    ToolError
        If there is none.
    """
    if form is not None:
        return CommandTool(form, name, operations)
    if name not in TOOLS:
        raise ToolError(f'unknown tool "{name}"; {nearest(name, list(TOOLS))}')
    return TOOLS[name]


def list_programs() -> list[Program]:
    """Return every program that a trial may start: the tools' and their helpers."""
    return [*(tool.TRAITS.program for tool in TOOLS.values()), *HELPERS.values()]


def read_log(log: bytes, name: str = "", tool: str = "") -> Sequence[Record]:
    """Return every value that a log states.

    Parameters
    ----------
    log : bytes
        The whole log, as one or more tools wrote it.
    name : str
        The file's name, without its folder.
    tool : str
        Read only what this one wrote, the `TOOL` of a reader; by default what all of them wrote.

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
    readers = [reader for reader in find_readers(log) if tool in ("", reader.TOOL)]
    if len(readers) == 1:
        return read_by(readers[0], log, name)
    records: list[Record] = []
    for reader in readers:
        try:
            records += read_by(reader, log, name)
        except LogError as error:
            raise LogError(f"holds logs of several tools, and that of {reader.TOOL} is refused: {error}") from error
    return sorted(records, key=attrgetter("offset"))


def read_by(reader: LogReader | Tool, log: bytes, name: str = "") -> Sequence[Record]:
    """Return every value that a log states to one reader.

    Raises
    ------
    LogError
        As `read_log`, and if a value is negative, infinite or not a number.
    """
    named = next((one for one in _NAMED if one is reader), None)
    records = reader.read(log) if named is None else named.read_named(log, name)
    impossible = find_impossible(records)
    if impossible:
        where = name_line(log, impossible.offset)
        raise LogError(
            f"{where}: {impossible.printed[:40]!r} would make {impossible.operation} {impossible.metric}"
            f" {impossible.value:g} {impossible.unit}, which nothing measured can be: the log is damaged"
        )
    return records


def read_series(path: Path) -> list[Sequence[Record]]:
    """Return the series of rates of each process that fio noted in the log at `path`.

    Raises
    ------
    LogError
        If the log cannot be opened, or is refused.
    """
    try:
        return [*fio_series.read_processes(path.read_bytes(), path.name)]
    except OSError as error:
        raise LogError(f"cannot be read: {error.strerror}") from error


def find_readers(log: bytes) -> list[LogReader]:
    """Return the readers of a log: several, where outputs of several tools are in one file.

    Raises
    ------
    LogError
        If no known tool wrote it.
    """
    if not log.strip():
        raise LogError("the log is empty")
    # No other reader of this project knows points alone, and to ask each takes a tenth of the time of a long series.
    asked = (fio_series, *_PACKAGED.readers) if fio_series.is_alone(log) else READERS
    letters = None if log.lstrip()[:1].isdigit() else log.translate(None, _NO_LETTERS)
    readers = [reader for reader in asked if _may_know(reader, letters) and reader.recognise(log)]
    if not readers:
        raise LogError("no known tool wrote this log")
    if nfs_guest_log in readers:
        inner = nfs_guest_log.list_inner_readers(log)
        return [reader for reader in readers if reader not in inner]
    return readers


def _may_know(reader: LogReader, letters: bytes | None) -> bool:
    """Return whether a reader may recognise a log by its letters; None if words alone do not decide it."""
    words = getattr(reader, "WORDS", ())
    return letters is None or not words or any(word in letters for word in _take_letters(words))


@lru_cache(maxsize=64)
def _take_letters(words: tuple[bytes, ...]) -> tuple[bytes, ...]:
    return tuple(word.translate(None, _NO_LETTERS) for word in words)


def read_file(path: Path, tool: str = "") -> Sequence[Record]:
    """Return every value in the log at `path`, which may be compressed.

    Parameters
    ----------
    path : Path
        The log.
    tool : str
        As for `read_log`.

    Raises
    ------
    LogError
        As `read_log` and `decompress`, and if the file cannot be opened.
    """
    try:
        log = path.read_bytes()
    except OSError as error:
        raise LogError(f"cannot be read: {error.strerror}") from error
    return read_log(decompress(log), strip_suffix(path.name), tool)
