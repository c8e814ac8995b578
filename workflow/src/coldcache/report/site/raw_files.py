"""Copies of a campaign's raw files in its report, which browsers show as text, and their checksums."""

import shutil
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.seal import SUMS, is_sealed, raw_files, sha256

#: A report gets copies of the raw files up to this total size, in B.
MOST_COPIED = 64 * 2**20

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


def copy_raw_files(campaign: Campaign, report: Path) -> dict[str, RawFile]:
    """Copy a campaign's files into its report, and return them by their path below the campaign's folder.

    A campaign larger than `MOST_COPIED` is not copied; the pages link to its folder.

    Parameters
    ----------
    campaign : Campaign
        The campaign.
    report : Path
        The report's folder; the copies are in its subfolder ``raw``.
    """
    paths = list(raw_files(campaign.folder))
    copied = sum(path.stat().st_size for path in paths) <= MOST_COPIED
    sums = _read_sums(campaign.folder)
    found = {}
    for path in paths:
        name = path.relative_to(campaign.folder).as_posix()
        address = f"../../../{path.as_posix()}"
        if copied:
            # Browsers must not open a log called page.html as a page.
            address = f"raw/{name}" if path.suffix in _SHOWN_AS_TEXT else f"raw/{name}.txt"
            (report / address).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, report / address)
        found[name] = RawFile(name, path.stat().st_size, sums.get(name) or sha256(path), quote(address, safe="/=,"))
    return found


def _read_sums(folder: Path) -> dict[str, str]:
    if not is_sealed(folder):
        return {}
    lines = (folder / SUMS).read_text(encoding="utf-8").splitlines()
    return {name: checksum for checksum, _, name in (line.partition("  ") for line in lines)}
