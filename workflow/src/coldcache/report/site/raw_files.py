"""The raw files of a campaign beside its report: copies that no browser takes for pages, and their checksums."""

import shutil
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.seal import SUMS, is_sealed, raw_files, sha256

#: Bytes of all raw files up to which a report holds a copy of them.
MOST_COPIED = 64 * 2**20

#: Endings that browsers show as text whatever the file holds.
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
        The sum that seals it; of a campaign that is not sealed, the sum that it has now.
    address : str
        Where a page of the report's top folder finds it.
    """

    name: str
    size: int
    sha256: str
    address: str


def copy_raw_files(campaign: Campaign, report: Path) -> dict[str, RawFile]:
    """Copy a campaign's files into its report, and return what is known of each, by its path below the campaign.

    A campaign above `MOST_COPIED` is not copied: its pages lead to its folder.

    Parameters
    ----------
    campaign : Campaign
        Whose files.
    report : Path
        The report's folder, which is that of a campaign's results; a copy goes to ``raw/`` in it.
    """
    paths = list(raw_files(campaign.folder))
    copied = sum(path.stat().st_size for path in paths) <= MOST_COPIED
    sums = _read_sums(campaign.folder)
    found = {}
    for path in paths:
        name = path.relative_to(campaign.folder).as_posix()
        address = f"../../../{path.as_posix()}"
        if copied:
            # A log called page.html is not to be taken for a page.
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
