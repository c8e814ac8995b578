"""Seal a campaign with checksums, and verify them."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.judged import write_judged
from coldcache.campaign.progress import list_waiting
from coldcache.campaign.trial_json import list_trial_files, read_outcome
from coldcache.core.errors import CampaignError

SUMS = "SHA256SUMS"


_UNFINISHED_SUMS = f".{SUMS}"


#: Bytes of a file that are in memory at once.
_AT_ONCE = 2**18

_SUM = re.compile(r"([0-9a-f]{64})  (.+)")


def is_sealed(folder: Path) -> bool:
    """Return whether the campaign in `folder` is sealed: it is never measured again."""
    return (folder / SUMS).is_file()


def raw_files(folder: Path) -> Iterator[Path]:
    """Yield every file of a campaign except its checksums and symbolic links, sorted by name."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path not in (folder / SUMS, folder / _UNFINISHED_SUMS):
            yield path


def _list_links(folder: Path) -> list[str]:
    """Return every symbolic link of a campaign, to files and to folders, by its name in the folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_symlink())


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    # `hashlib.file_digest` clears a buffer of 256 KiB first, which takes longer than most logs.
    with path.open("rb") as file:
        while part := file.read(_AT_ONCE):
            digest.update(part)
    return digest.hexdigest()


def seal(folder: Path) -> int:
    """Write the verdicts of today and the checksums that seal a campaign, and return how many files they cover.

    Raises
    ------
    CampaignError
        If the campaign is sealed already, has symbolic links, a trial is missing although its sweep and that of its
        block can run, or a `trial.json` cannot be read.
    """
    if is_sealed(folder):
        raise CampaignError(
            f"{folder} is sealed already; python -m coldcache seal --check {folder.name} compares its files"
        )
    if links := _list_links(folder):
        raise CampaignError(
            f"{folder / links[0]} is a symbolic link, and a seal covers files alone ({len(links)} in all); replace "
            "each link by a copy of what it leads to, or remove it"
        )
    campaign = read_campaign(folder)
    if missing := list_waiting(campaign):
        raise CampaignError(f"{folder}: {len(missing)} trials are missing, the first is {missing[0]}; measure them")
    for path in list_trial_files(folder, campaign.studies):
        try:
            read_outcome(path)
        except CampaignError as error:
            # A trial of a sealed campaign cannot be measured again.
            raise CampaignError(f"{error}; move the trial's folder away and start again") from error
    write_judged(campaign)
    return write_sums(folder)


def write_sums(folder: Path) -> int:
    """Write the checksum of every file of a folder, and return how many there are."""
    lines = [f"{sha256(path)}  {path.relative_to(folder)}\n" for path in raw_files(folder)]
    temporary = folder / _UNFINISHED_SUMS
    temporary.write_text("".join(lines))
    temporary.rename(folder / SUMS)
    return len(lines)


def check_seal(folder: Path) -> list[str]:
    """Return one line for each file that was changed, added or removed since the campaign was sealed.

    Raises
    ------
    CampaignError
        If the campaign is not sealed, or its checksums are broken.
    """
    if not is_sealed(folder):
        raise CampaignError(f"{folder} is not sealed: python -m coldcache seal {folder.name}")
    return [f"{difference} since the campaign was sealed" for difference in check_sums(folder)]


def check_sums(folder: Path) -> list[str]:
    """Return the files that differ from a folder's checksums, such as ``a.txt: changed``; raises as `check_seal`.

    A symbolic link is never covered: it counts as added, or in the place of a file as the file removed.
    """
    stated = {}
    for number, line in enumerate((folder / SUMS).read_text(errors="replace").splitlines(), start=1):
        match = _SUM.fullmatch(line)
        if match is None:
            raise CampaignError(f"{folder / SUMS}, line {number}: not a checksum and a file; the seal is broken")
        stated[match[2]] = match[1]
    found = {str(path.relative_to(folder)): path for path in raw_files(folder)}
    differences = [f"{name}: removed" for name in stated.keys() - found.keys()]
    differences += [f"{name}: added" for name in {*found, *_list_links(folder)} - stated.keys()]
    differences += [f"{name}: changed" for name in stated.keys() & found.keys() if sha256(found[name]) != stated[name]]
    return sorted(differences)
