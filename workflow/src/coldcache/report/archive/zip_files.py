"""Pack and unpack zip archives; unpacking writes only below its folder, whoever made the archive."""

import os
import shutil
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

from repro_zipfile import ReproducibleZipFile

from coldcache.core.errors import ColdCacheError

#: Most entries; bytes that are always accepted; and largest ratio of compression, as logs shrink to about a tenth.
_MOST_ENTRIES, _SMALL, _MOST_SHRUNK = 1_000_000, 2**30, 200

_CHUNK = 2**20


class ArchiveError(ColdCacheError):
    """An archive that is broken, is not one of this program, or would write outside its folder."""


def unpack(archive: Path, folder: Path) -> None:
    """Unpack an archive into a folder.

    Parameters
    ----------
    archive : Path
        A zip file from an untrusted source.
    folder : Path
        An empty folder.

    Raises
    ------
    ArchiveError
        If it is not a zip file or is broken; if a name leaves the folder, occurs twice or is a link; or if the files
        are implausibly large for the archive. Nothing is written then, unless compressed data is broken.
    """
    try:
        with zipfile.ZipFile(archive) as packed:
            entries = packed.infolist()
            _refuse(archive, entries)
            for entry in entries:
                _write(packed, entry, folder / entry.filename)
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise ArchiveError(f"{archive}: not a complete zip file ({error}); fetch it again") from error


def _refuse(archive: Path, entries: list[zipfile.ZipInfo]) -> None:
    seen: set[str] = set()
    for entry in entries:
        name = entry.filename
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or ".." in parts or "\\" in name or "\0" in name or ":" in parts[0]:
            raise ArchiveError(f"{archive}: {name!r} leaves the archive's folder; nothing is unpacked")
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise ArchiveError(f"{archive}: {name!r} is a link or a device; nothing is unpacked")
        if str(PurePosixPath(name)) in seen:
            raise ArchiveError(f"{archive}: {name!r} occurs twice; nothing is unpacked")
        seen.add(str(PurePosixPath(name)))
    total, packed = sum(entry.file_size for entry in entries), archive.stat().st_size
    if len(entries) > _MOST_ENTRIES or total > max(_SMALL, _MOST_SHRUNK * packed):
        raise ArchiveError(f"{archive}: {len(entries)} files of {total} bytes in {packed}; nothing is unpacked")


def _write(packed: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> None:
    if entry.is_dir():
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    left = entry.file_size
    with packed.open(entry) as source, path.open("xb") as target:
        while chunk := source.read(_CHUNK):
            left -= len(chunk)
            if left < 0:
                raise ArchiveError(f"{packed.filename}: {entry.filename!r} is larger than its header states")
            target.write(chunk)


def copy_tree(source: Path, folder: Path, ignore: Callable[[Any, list[str]], set[str]] | None = None) -> None:
    """Copy a folder; files are hard-linked if possible, since nothing writes to them."""
    shutil.copytree(source, folder, copy_function=_link_or_copy, ignore=ignore)


def _link_or_copy(source: str, target: str) -> str:
    try:
        os.link(source, target, follow_symlinks=True)
    except OSError:
        shutil.copy2(source, target)
    return target


def pack(folder: Path, archive: Path) -> None:
    """Pack a folder into a zip file, which gets its name when it is complete; equal folders give equal bytes."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    partial = archive.with_name(f".{archive.name}.partial")
    try:
        # Files older than 1980, where zip's time begins, are packed, too: no file keeps its time.
        with ReproducibleZipFile(
            partial, "w", zipfile.ZIP_DEFLATED, compresslevel=6, strict_timestamps=False
        ) as packed:
            for path in sorted(folder.rglob("*")):
                packed.write(path, path.relative_to(folder))
        partial.rename(archive)
    finally:
        partial.unlink(missing_ok=True)
