"""Find the logs in a folder, and say why other files are not read. Nothing is changed."""

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from coldcache.campaign.importing.notes import NOTES
from coldcache.core.errors import CampaignError, LogError
from coldcache.core.records import Part, Record, name_share, split_records
from coldcache.tools import find_readers, read_by
from coldcache.tools.compressed import decompress, strip_suffix
from coldcache.tools.protocols import LogReader

#: Logs are read into memory; a larger file is not a log. In B.
LARGEST_LOG = 2**30

#: Logs with fewer figures may agree by chance.
_FEWEST = 2


class Log(NamedTuple):
    """A file by a known tool, or the part of one that several tools wrote.

    Attributes
    ----------
    file : str
        Its path, relative to the folder, with slashes.
    sha256 : str
        Checksum of its bytes, or of those that it holds compressed.
    tool, version : str
        The tool that wrote it, and its version; empty if the log does not state it.
    parts : list of Part
        Its trials, without the records; empty if it was refused.
    figures, exact : frozenset of tuple
        Its rates of whole trials and of moments, as operation, metric, statistic, time and value; `exact` has those
        that are not rounded.
    refusal : str
        Why it was refused; empty if it was read.
    """

    file: str
    sha256: str
    tool: str
    version: str
    parts: list[Part]
    figures: frozenset[tuple[Any, ...]]
    exact: frozenset[tuple[Any, ...]]
    refusal: str

    @property
    def stored(self) -> str:
        """The path of its copy, which is not compressed."""
        return strip_suffix(self.file)


class Unread(NamedTuple):
    """A file that is not imported, and why."""

    file: str
    reason: str


class Survey(NamedTuple):
    """The logs in a folder, and the files that are not read."""

    logs: list[Log]
    unread: list[Unread]


def survey(folder: Path) -> Survey:
    """Return the logs in a folder, sorted by name.

    Symbolic links are not followed, only plain files are opened, and hidden folders are skipped. Of files with the
    same bytes the first counts. Of logs with the same figures, such as a console log and a file of results, the one
    with more figures counts.

    Parameters
    ----------
    folder : Path
        The folder; all folders below are searched.

    Raises
    ------
    CampaignError
        If it is no folder, or cannot be listed.
    """
    if not folder.is_dir():
        is_file = "is a file; name its folder: every log in it is imported"
        raise CampaignError(f"{folder}: {is_file if folder.exists() else 'there is no such folder'}")
    logs: list[Log] = []
    unread: list[Unread] = []
    first: dict[str, str] = {}
    for path in _walk(folder):
        file = path.relative_to(folder).as_posix()
        try:
            found = _read(path, file)
            checksum, stored = found[0].sha256, found[0].stored
            if checksum in first:
                raise LogError(f"the same bytes as {first[checksum]}: a copy is no second measurement")
            if any(other.stored == stored for other in logs):
                raise LogError(f"holds another log than {stored}: rename one of them")
        except LogError as error:
            unread.append(Unread(show_name(file), str(error)))
        else:
            first[checksum] = file
            logs += found
    repeats = _find_repeats(logs)
    for (file, tool), other in repeats.items():
        whose = f" of {tool}" if sum(log.file == file for log in logs) > 1 else ""
        unread.append(Unread(file, f"states no figure{whose} that {other} does not state: one run, seen twice"))
    return Survey([log for log in logs if (log.file, log.tool) not in repeats], sorted(unread))


def _find_repeats(logs: list[Log]) -> dict[tuple[str, str], str]:
    """Return each log whose exact figures are all in another log of the same tool, with that other log."""
    holders: dict[tuple[Any, ...], list[Log]] = {}
    for log in logs:
        for figure in log.figures:
            holders.setdefault((log.tool, *figure), []).append(log)
    repeats: dict[tuple[str, str], str] = {}
    for log in logs:
        if len(log.exact) < _FEWEST:
            continue
        for other in min((holders[log.tool, *figure] for figure in log.exact), key=len):
            is_more = len(other.exact) > len(log.exact) or other.file < log.file
            is_there = (other.file, other.tool) not in repeats
            if other is not log and is_more and is_there and log.exact <= other.figures:
                repeats[log.file, log.tool] = other.file
                break
    return repeats


def _walk(folder: Path) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise CampaignError(f"{show_name(str(error.filename))}: cannot be listed: {error.strerror}") from error

    for parent, folders, files in os.walk(folder, onerror=refuse, followlinks=False):
        # Linked folders are yielded like files, so that they are reported as not read.
        files += [name for name in folders if Path(parent, name).is_symlink()]
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not (parent == str(folder) and name == NOTES):
                yield Path(parent, name)


def _read(path: Path, file: str) -> list[Log]:
    """Return what each tool wrote in a file."""
    if not file.isprintable():
        raise LogError("its name has characters that cannot be printed: rename it")
    content = decompress(read_plain_file(path))
    return [_read_part(content, file, reader) for reader in find_readers(content)]


def _read_part(content: bytes, file: str, reader: LogReader) -> Log:
    try:
        records: Sequence[Record] = read_by(reader, content, PurePosixPath(strip_suffix(file)).name)
        refusal = ""
    except LogError as error:
        records, refusal = [], str(error)
    parts = [part._replace(records=[]) for part in split_records(records)]
    version = next((record.tool_version for record in records if record.tool_version), "")
    whole = [
        record for record in records
        if record.unit in ("B/s", "1/s") and ("time" in record.factors or not name_share(record))
    ]  # fmt: skip
    exact = [record for record in whole if "rounded" not in record.caveats]
    checksum = hashlib.sha256(content).hexdigest()
    return Log(file, checksum, reader.TOOL, version, parts, _figures(whole), _figures(exact), refusal)


def _figures(records: list[Record]) -> frozenset[tuple[Any, ...]]:
    return frozenset(
        (record.operation, record.metric, record.statistic, record.factors.get("time"), record.value)
        for record in records
    )  # fmt: skip


def read_plain_file(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises
    ------
    LogError
        If it is a symbolic link, no plain file, larger than `LARGEST_LOG`, or cannot be read.
    """
    try:
        status = path.lstat()
        if stat.S_ISLNK(status.st_mode):
            raise LogError("a symbolic link: links are not followed")
        if not stat.S_ISREG(status.st_mode):
            raise LogError("no plain file")
        if status.st_size > LARGEST_LOG:
            raise LogError(f"{status.st_size:,} bytes: a log is read whole, up to {LARGEST_LOG:,} bytes")
        with open(path, "rb", opener=_open_without_following) as opened:
            return opened.read(LARGEST_LOG)
    except OSError as error:
        raise LogError(f"cannot be read: {error.strerror}") from error


def _open_without_following(path: str, flags: int) -> int:
    # Opening a pipe that replaced the file meanwhile would otherwise wait for a writer.
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)


def show_name(name: str) -> str:
    """Return a file's name in a form that prints on one line."""
    return name if name.isprintable() else name.encode("unicode_escape").decode("ascii")
