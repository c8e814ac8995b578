"""`python -m coldcache archive`: write raw logs, results, report and program as one file to deposit."""

import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from shutil import ignore_patterns

from coldcache.analysis.outputs import BY_HAND, EXPORTED
from coldcache.campaign.campaign import RAW, Campaign, check_name, read_campaign
from coldcache.campaign.seal import check_seal, is_sealed, write_sums
from coldcache.core.errors import CampaignError
from coldcache.core.units import show_bytes
from coldcache.design.site import SITES
from coldcache.report.archive.anonymise import anonymise as replace_names
from coldcache.report.archive.anonymise import check_records, make_replacer, replace_in_place, search
from coldcache.report.archive.identities import Identity, find_identities
from coldcache.report.archive.program_copy import copy_program, write_known_since
from coldcache.report.archive.rebuild import make_results
from coldcache.report.archive.ro_crate import write_metadata
from coldcache.report.archive.zip_files import copy_tree, pack
from coldcache.report.site.evidence_page import lacks_seal
from coldcache.report.site.recorded_system import read_recorded_system
from coldcache.report.site.summary import SUMMARY

#: Results that no rule derives from raw logs, and unfinished files.
_LEFT_OUT = ("blocks", BY_HAND, ".*", "*.partial", f"*{EXPORTED}")

#: The README of an archive, for readers who do not know this program.
_README = """\
# Campaign {name} of Cold Cache

Measurements of storage performance, with the report and the program that made it.

| path | holds |
|---|---|
| `results/{name}/report/index.html` | the report: start here |
| `results/{name}/` | the dataset, tables, figures and executed notebooks |
| `raw/{name}/` | the raw logs |
| `code/` | the program |
| `SHA256SUMS` | checksums: `sha256sum --check --quiet SHA256SUMS` |
| `ro-crate-metadata.json` | metadata for machines: RO-Crate, profile Workflow Run Crate |

To rebuild all results from the raw logs and compare them, with Python 3.11 or newer:

    cd code
    make venv
    . .venv/bin/activate
    python -m coldcache rebuild /path/to/the.zip
"""


def archive(
    name: str, output: Path | None = None, anonymise: bool = False, hidden: Sequence[str] = (), licence: str = "",
    author: str = "",
) -> None:  # fmt: skip
    """Write a campaign as one file, and print its path.

    Parameters
    ----------
    name : str
        The campaign.
    output : Path, optional
        The file, or a folder for ``<campaign>.zip``; by default `results`.
    anonymise : bool
        Whether to replace names of hosts and users, addresses and paths everywhere.
    hidden : sequence of str
        Other words to replace.
    licence, author : str
        As for `ro_crate.write_metadata`.

    Raises
    ------
    DesignError
        If the name is not valid.
    CampaignError
        If the campaign has no report, or one from before it was sealed, cannot be read, or differs from its seal.
    AnonymityError
        If a name cannot be replaced without changing values in the logs, or one is left.
    """
    path = _choose_file(name, output)
    folder, results = RAW / name, Path("results", name)
    campaign = read_campaign(folder)
    _refuse_unfinished(folder, results, anonymise)
    with tempfile.TemporaryDirectory(prefix="coldcache-") as temporary:
        work = Path(temporary)
        identities = find_identities(campaign, folder, hidden) if anonymise else []
        stage, sites = work / "archive", work / "sites"
        write_known_since(campaign, sites, make_replacer(identities))
        if anonymise:
            folder, results = _make_anonymous(folder, results, work, identities, sites)
            campaign = read_campaign(folder)
        copy_tree(folder, stage / "raw" / name)
        copy_tree(results, stage / "results" / name, ignore_patterns(*_LEFT_OUT))
        copy_program(stage / "code")
        replace_in_place([stage / "code/config", stage / "code/notebooks"], identities)
        if sites.is_dir():
            copy_tree(sites, stage / "code" / SITES)
        (stage / "README.md").write_text(_README.format(name=name))
        system = read_recorded_system(replace(campaign, name=name), folder)
        write_metadata(stage, campaign, system, licence, author)
        count = write_sums(stage) + 1
        pack(stage, work / "archive.zip")
        if anonymise:
            _print_proof(work / "archive.zip", identities, campaign)
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(work / "archive.zip", path)
    print(f"{path}: {count} files, {show_bytes(path.stat().st_size)}")


def _refuse_unfinished(folder: Path, results: Path, anonymise: bool) -> None:
    """Raise `CampaignError` if raw files differ from their seal, or the report is missing or older than the seal."""
    if is_sealed(folder) and (differences := check_seal(folder)):
        raise CampaignError(f"{folder}/{differences[0]}; nothing is written")
    render = f"snakemake --cores all --config campaign={folder.name}"
    # The first results have the report's first page, too.
    if not (results / "report" / SUMMARY).is_file():
        raise CampaignError(f"{results}/report: missing; {render} makes it")
    # What is anonymised gets results of its own.
    if is_sealed(folder) and lacks_seal(results / "report") and not anonymise:
        raise CampaignError(
            f"{results}/report: rendered before {folder} was sealed, so that no rebuild would be the same; {render} "
            "renders it again"
        )


def _choose_file(name: str, output: Path | None) -> Path:
    """Return the file to write: the one named, or that of the campaign in the folder named."""
    check_name(name)
    path = output or Path("results", f"{name}.zip")
    return path / f"{name}.zip" if path.is_dir() else path


def _make_anonymous(
    folder: Path, results: Path, work: Path, identities: Sequence[Identity], sites: Path
) -> tuple[Path, Path]:
    """Replace names in the raw files, and rebuild the results; return the folders of both."""
    anonymous = work / "raw" / folder.name
    replace_names(folder, anonymous, identities)
    (work / "rebuilt").mkdir()
    made = make_results(anonymous, work / "rebuilt", sites=sites)
    count = check_records(results / "dataset.nc", made / "dataset.nc", anonymous, identities)
    print(f"{count} records have the same values, each at its place in the anonymised logs")
    return anonymous, made


def _print_proof(archive: Path, identities: Sequence[Identity], campaign: Campaign) -> None:
    """Search the archive for names, and print each with its replacement, for the author only."""
    searched, left_out = search(archive, identities)
    for identity in identities:
        print(f"{identity.kind:<8} {identity.name} -> {identity.replacement}")
    print(
        f"none of these {len(identities)} names is left in {searched} files; {left_out} more, of the program and the "
        "report's style, are not specific to this campaign"
    )
    print(
        f"free text is kept, so check it: site {campaign.site.site}, {campaign.site.title!r}; --hide WORD replaces more"
    )
