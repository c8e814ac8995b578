"""A campaign's raw files in its report: links, checksums, and copies that browsers show as text."""

import os
import shutil
from pathlib import Path, PurePosixPath
from stat import S_ISREG
from typing import NamedTuple
from urllib.parse import quote

from coldcache.campaign.seal import SUMS, is_sealed, raw_files, sha256

#: A report gets copies of the raw files up to this total size, in B, and up to this many: with as many pages of trials
#: as `places.MOST_FILES`, it stays below 20,000 files.
MOST_COPIED = 64 * 2**20
MOST_COPIES = 8_000

#: Suffixes that browsers show as text whatever the content.
_SHOWN_AS_TEXT = {".txt", ".json"}


class RawFile(NamedTuple):
    """A file of a campaign.

    Attributes
    ----------
    name : str
        Its path below the campaign's folder.
    size : int
        In bytes.
    sha256 : str
        The checksum in the seal; the current one if the campaign is not sealed.
    address : str
        Its URL, relative to the report's top folder.
    """

    name: str
    size: int
    sha256: str
    address: str


class RawFiles:
    """The raw files of a campaign, as its report links to them.

    A campaign larger than `MOST_COPIED`, or of more files than `MOST_COPIES`, is not copied; the pages, which show each
    log with its numbers marked, link to its folder.

    Parameters
    ----------
    folder : Path
        The campaign's folder.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._sums = _read_sums(folder)
        self._copied = _is_small(folder)

    def copy(self, report: Path) -> None:
        """Copy them into the subfolder ``raw`` of a report, if they are small enough."""
        for path in raw_files(self._folder) if self._copied else ():
            copy = report / _place_copy(path.relative_to(self._folder).as_posix())
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)

    def find(self, name: str) -> RawFile | None:
        """Return a file by its path below the campaign's folder; None if there is no such file."""
        path = self._folder / name
        # One question to the file system in place of three: a large campaign asks for each of its files.
        try:
            status = path.lstat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        if not S_ISREG(status.st_mode):
            return None
        address = _place_copy(name) if self._copied else f"../../../{path.as_posix()}"
        checksum = self._sums.get(name) or sha256(path)
        return RawFile(name, status.st_size, checksum, quote(address, safe="/=,"))

    def list_folder(self, name: str) -> list[RawFile]:
        """Return the files in a folder of the campaign, sorted by name."""
        with os.scandir(self._folder / name) as entries:
            names = sorted(entry.name for entry in entries)
        return [file for inner in names if (file := self.find(f"{name}/{inner}"))]


def _place_copy(name: str) -> str:
    """Return the path of a copy in a report: browsers must not open a log called page.html as a page."""
    return f"raw/{name}" if PurePosixPath(name).suffix in _SHOWN_AS_TEXT else f"raw/{name}.txt"


def _is_small(folder: Path) -> bool:
    count = total = 0
    for place, _, names in os.walk(folder):
        count += len(names)
        total += sum(Path(place, name).lstat().st_size for name in names)
        if total > MOST_COPIED or count > MOST_COPIES:
            return False
    return True


def _read_sums(folder: Path) -> dict[str, str]:
    if not is_sealed(folder):
        return {}
    lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    return {name: checksum for checksum, _, name in (line.partition("  ") for line in lines)}
