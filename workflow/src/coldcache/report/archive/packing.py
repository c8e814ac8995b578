"""A folder as a zip file whose bytes depend on nothing but the files: no times, no owners, no order of the disk."""

import stat
import zipfile
from pathlib import Path

#: The first moment that a zip file can state.
_TIME = (1980, 1, 1, 0, 0, 0)
_FILE, _FOLDER, _UNIX = (stat.S_IFREG | 0o644) << 16, (stat.S_IFDIR | 0o755) << 16, 3


def pack(folder: Path, archive: Path) -> None:
    """Write all of a folder into a zip file, which appears under its name once it is whole."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    partial = archive.with_name(f".{archive.name}.partial")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
            for path in sorted(folder.rglob("*")):
                name = path.relative_to(folder).as_posix()
                if path.is_dir():
                    packed.writestr(_describe(f"{name}/", _FOLDER), b"")
                    continue
                entry = _describe(name, _FILE)
                entry.compress_type, entry.file_size = zipfile.ZIP_DEFLATED, path.stat().st_size
                with path.open("rb") as source, packed.open(entry, "w") as target:
                    while chunk := source.read(2**20):
                        target.write(chunk)
        partial.rename(archive)
    finally:
        partial.unlink(missing_ok=True)


def _describe(name: str, mode: int) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _TIME)
    entry.external_attr, entry.create_system = mode, _UNIX
    return entry
