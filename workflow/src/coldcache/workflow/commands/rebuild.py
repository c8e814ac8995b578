"""`python -m coldcache rebuild`: rebuild all results from raw logs, and compare them with the stored ones."""

import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from coldcache.campaign.campaign import RAW
from coldcache.campaign.seal import SUMS, check_seal, check_sums, is_sealed
from coldcache.core.errors import CampaignError
from coldcache.design.site import SITES
from coldcache.report.archive.zip_files import ArchiveError, unpack

if TYPE_CHECKING:
    from coldcache.report.archive.diff_results import Artefact


def print_rebuild(named: str) -> int:
    """Rebuild a campaign's results, and print the state of each file.

    Parameters
    ----------
    named : str
        A campaign below `RAW`, or an archive that `python -m coldcache archive` made.

    Returns
    -------
    int
        1 if a file is different or was not rebuilt, else 0; new files do not count.

    Raises
    ------
    CampaignError
        If there is no such campaign, it has no results, or it differs from its seal.
    ArchiveError
        If the archive is broken, is not one of this program, or would write outside its folder.
    RebuildError
        If a step fails.
    """
    with tempfile.TemporaryDirectory(prefix="coldcache-") as temporary:
        work, is_archive = Path(temporary), Path(named).suffix == ".zip" or Path(named).is_file()
        campaign, results = _open_archive(Path(named), work / "archive") if is_archive else _find(named)
        if is_sealed(campaign) and (differences := check_seal(campaign)):
            raise CampaignError(f"{campaign.name}: {differences[0]}; it is not rebuilt")
        found = _rebuild(campaign, results, work, is_archive)
    for artefact in _fold(found):
        print(f"{artefact.state:<10} {artefact.name}" + (f": {artefact.why}" if artefact.why else ""))
    counts = Counter(artefact.state for artefact in found)
    print(f"{campaign.name}: {_summarise(counts)}")
    return 1 if counts["different"] or counts["missing"] else 0


def _rebuild(campaign: Path, results: Path, work: Path, is_archive: bool) -> list["Artefact"]:
    """Rebuild the results of a campaign in a folder, and compare each file with the stored one."""
    # What refuses an archive does not need these, which take over a second to import.
    from coldcache.report.archive.diff_results import compare_results
    from coldcache.report.archive.program_copy import name_version
    from coldcache.report.archive.rebuild import make_results
    from coldcache.report.archive.ro_crate import read_version
    from coldcache.report.site.pages import COMPARISON

    if is_archive:
        made_by, here = read_version(work / "archive"), name_version()
        if made_by != here:
            print(f"made by {made_by or 'an unknown version'}, rebuilt by {here}; its code/ is the earlier one")
    (work / "rebuilt").mkdir()
    sites = work / "archive/code" / SITES if is_archive else None
    return compare_results(results, make_results(campaign, work / "rebuilt", results / COMPARISON, sites))


def _summarise(counts: Mapping[str, int]) -> str:
    from coldcache.report.archive.diff_results import ARTEFACT_STATES

    return ", ".join(
        f"{counts[state]} {state}" for state in ARTEFACT_STATES if counts[state] or state in ARTEFACT_STATES[:3]
    )


def _find(name: str) -> tuple[Path, Path]:
    campaign, results = RAW / name, Path("results", name)
    if not campaign.is_dir():
        raise CampaignError(f"{campaign}: there is no such campaign, and {name} is no archive")
    if not (results / "dataset.nc").is_file():
        raise CampaignError(
            f"{results}: there are no results to compare with; snakemake --cores all --config campaign={name} makes it"
        )
    return campaign, results


def _open_archive(archive: Path, folder: Path) -> tuple[Path, Path]:
    if not archive.is_file():
        raise ArchiveError(f"{archive}: there is no such file")
    unpack(archive, folder)
    campaigns = sorted(path.parent for path in folder.glob("raw/*/campaign.json"))
    if len(campaigns) != 1 or not (folder / SUMS).is_file():
        raise ArchiveError(f"{archive}: not an archive that python -m coldcache archive made")
    if differences := check_sums(folder):
        raise ArchiveError(f"{archive}: {differences[0]}; fetch it again")
    return campaigns[0], folder / "results" / campaigns[0].name


def _fold(artefacts: Iterable["Artefact"]) -> Iterator["Artefact"]:
    """Yield the artefacts, with identical pages of one folder folded into one line."""
    for (folder, state), group in groupby(artefacts, lambda found: (str(Path(found.name).parent), found.state)):
        members = list(group)
        if folder.startswith("report/") and state == "identical" and len(members) > 1:
            yield members[0]._replace(name=f"{folder}/ ({len(members)} files)")
        else:
            yield from members
