"""A campaign on disk: `campaign.json` with its design, the folders of its trials, and the sums that seal it."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.campaign.stop_rule import is_missing
from coldcache.core.errors import CampaignError, DesignError
from coldcache.core.files import write_whole
from coldcache.design.blocks import Block, arrange_blocks
from coldcache.design.cases import Case, Circumstances, expand_cases
from coldcache.design.imported_study import AnyStudy, ForeignStudy, Origin
from coldcache.design.site import Site, Target
from coldcache.design.study import Study

RAW = Path("raw")
SUMS = "SHA256SUMS"
_UNFINISHED_SUMS = f".{SUMS}"

#: Why a sweep could not be run at all, in the sweep's folder.
NOT_RUN = "not-run.json"

FORMAT = 1

_SUM = re.compile(r"([0-9a-f]{64})  (.+)")


#: The cases and blocks of the design that was asked last: a large one is asked many times, and takes seconds to expand.
_expanded: list[tuple["Campaign", list[Case], list[Block]]] = []


class Campaign(NamedTuple):
    """The design of a campaign, fixed when it begins.

    Attributes
    ----------
    name : str
        Its folder below `RAW`.
    site : Site
        Where it runs.
    studies : tuple of Study or ForeignStudy
        What it asks: studies that are measured, and those whose logs were imported.
    circumstances : Circumstances or None
        None where all of it was imported, so that there is nothing to measure.
    """

    name: str
    site: Site
    studies: tuple[AnyStudy, ...]
    circumstances: Circumstances | None

    @property
    def folder(self) -> Path:
        """Where its raw logs lie."""
        return RAW / self.name

    @property
    def planned(self) -> tuple[Study, ...]:
        """The studies that are measured."""
        return tuple(study for study in self.studies if isinstance(study, Study))

    @property
    def foreign(self) -> tuple[ForeignStudy, ...]:
        """The studies whose logs were imported."""
        return tuple(study for study in self.studies if isinstance(study, ForeignStudy))

    def cases(self) -> list[Case]:
        """Return every case of the planned studies, those that do not run with the reason; raises as `expand_cases`."""
        return list(self._expand()[1])

    def blocks(self) -> list[Block]:
        """Return every block of what runs on the site, none of imported studies; raises as `expand_cases`."""
        return list(self._expand()[2])

    def _expand(self) -> tuple["Campaign", list[Case], list[Block]]:
        if self.circumstances is None:
            return self, [], []
        if not (_expanded and _expanded[0][0] is self):
            cases = [case for study in self.planned for case in expand_cases(study, self.site, self.circumstances)]
            runs = [case for case in cases if not case.runs_here]
            _expanded[:] = [(self, cases, arrange_blocks(runs, self.circumstances.seed))]
        return _expanded[0]

    def design(self) -> dict[str, Any]:
        """Return the design as plain values, as `campaign.json` holds it."""
        design = {
            "format": FORMAT,
            "campaign": self.name,
            "site": self.site.model_dump(mode="json"),
            "studies": [study.model_dump(mode="json") for study in self.studies],
        }
        if self.circumstances is None:
            return design
        stated = self.circumstances._asdict()
        return {
            **design,
            "circumstances": {**stated, "tools": dict(stated["tools"]), "lacking": list(stated["lacking"])},
        }


def site_of(origin: Origin) -> Site:
    """Return the site of imported logs, of which nothing is known that they could be judged by."""
    return Site(site="elsewhere", title=origin.system, targets={"elsewhere": Target(path=origin.folder)})


def check_name(name: str) -> None:
    """Raise `DesignError` unless `name` can be a campaign's: a folder's name, and part of a rule's output."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name):
        raise DesignError(
            f'campaign "{name}": a name has letters a to z, digits, hyphens and underscores only, '
            "and begins with a letter or a digit"
        )


def read_campaign(folder: Path) -> Campaign:
    """Return the design of the campaign in `folder`.

    Raises
    ------
    CampaignError
        If `campaign.json` is missing or is not of this format.
    """
    path = folder / "campaign.json"
    try:
        stored = json.loads(path.read_text())
        if stored["format"] != FORMAT:
            raise CampaignError(f"{path}: of format {stored['format']}, this version reads {FORMAT}")
        site = Site.model_validate(stored["site"])
        studies = tuple(
            (ForeignStudy if "origin" in study else Study).model_validate(study) for study in stored["studies"]
        )
        is_planned = any(isinstance(study, Study) for study in studies)
        return Campaign(
            # A folder that was renamed is the campaign that lies there now.
            name=folder.name,
            site=site,
            studies=studies,
            circumstances=Circumstances(**stored["circumstances"]) if is_planned else None,
        )
    except OSError as error:
        raise CampaignError(f"{folder} holds no campaign.json: it is no campaign") from error
    except (ValueError, KeyError, TypeError) as error:
        raise CampaignError(f"{path}: not the design of a campaign ({str(error).splitlines()[0]})") from error


def list_stories(folder: Path, studies: Iterable[AnyStudy]) -> list[Path]:
    """Return the `trial.json` of every trial of some studies that has a folder in that of a campaign, by name."""
    return sorted(
        path
        for study in studies
        for path in folder.glob(f"{study.study}/*/*/r*/trial.json")
        # Imported logs keep their own names, and lie beside the sweeps.
        if path.parents[2].name in study.sweeps
    )


def is_sealed(folder: Path) -> bool:
    """Return whether the campaign in `folder` carries its checksums: it is never measured again."""
    return (folder / SUMS).is_file()


def raw_files(folder: Path) -> Iterator[Path]:
    """Yield every file of a campaign but its sums, in the order of their names; a link is none, wherever it leads."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and path not in (folder / SUMS, folder / _UNFINISHED_SUMS):
            yield path


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def seal(folder: Path) -> int:
    """Write the checksums that seal a campaign, and return how many files they cover.

    Raises
    ------
    CampaignError
        If the campaign is sealed already, or trials of the plan are missing whose sweep could be run, or what
        happened in one cannot be read.
    """
    if is_sealed(folder):
        raise CampaignError(
            f"{folder} is sealed already; python -m coldcache seal --check {folder.name} compares its files"
        )
    campaign = read_campaign(folder)
    missing = [key for key in missing_trials(campaign) if not why_not_run(folder, *key.split("/")[:2])]
    if missing:
        raise CampaignError(f"{folder}: {len(missing)} trials are missing, the first is {missing[0]}; measure them")
    for path in list_stories(folder, campaign.studies):
        try:
            read_story(path)
        except CampaignError as error:
            # Once sealed, its trial could never be measured again.
            raise CampaignError(f"{error}; remove the trial's folder and start again") from error
    return write_sums(folder)


def read_story(path: Path) -> Any:
    """Return what a `trial.json` holds.

    Raises
    ------
    CampaignError
        If it cannot be read, or is no JSON.
    """
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise CampaignError(f"{path}: not the story of a trial ({error})") from error


def write_sums(folder: Path) -> int:
    """Write the checksums of every file of a folder into it, and return how many there are."""
    lines = [f"{sha256(path)}  {path.relative_to(folder)}\n" for path in raw_files(folder)]
    temporary = folder / _UNFINISHED_SUMS
    temporary.write_text("".join(lines))
    temporary.rename(folder / SUMS)
    return len(lines)


def check_seal(folder: Path) -> list[str]:
    """Return what differs from the seal, one line for each file that is changed, added or removed.

    Raises
    ------
    CampaignError
        If the campaign is not sealed, or its seal is not one.
    """
    if not is_sealed(folder):
        raise CampaignError(f"{folder} is not sealed: python -m coldcache seal {folder.name}")
    return [f"{difference} since the campaign was sealed" for difference in check_sums(folder)]


def check_sums(folder: Path) -> list[str]:
    """Return what differs from a folder's checksums, such as ``a.txt: changed``; raises as `check_seal`."""
    stated = {}
    for number, line in enumerate((folder / SUMS).read_text(errors="replace").splitlines(), start=1):
        match = _SUM.fullmatch(line)
        if match is None:
            raise CampaignError(f"{folder / SUMS}, line {number}: not a checksum and a file; the seal is broken")
        stated[match[2]] = match[1]
    found = {str(path.relative_to(folder)): path for path in raw_files(folder)}
    differences = [f"{name}: removed" for name in stated.keys() - found.keys()]
    differences += [f"{name}: added" for name in found.keys() - stated.keys()]
    differences += [f"{name}: changed" for name in stated.keys() & found.keys() if sha256(found[name]) != stated[name]]
    return sorted(differences)


def missing_trials(campaign: Campaign) -> list[str]:
    """Return the keys of planned trials that have no folder; of those that a stop rule may ask for, the next one."""
    return list(_find_missing(campaign))


def is_whole(campaign: Campaign) -> bool:
    """Return whether every planned trial has its folder."""
    return not any(_find_missing(campaign))


def _find_missing(campaign: Campaign) -> Iterator[str]:
    for block in campaign.blocks():
        for trial in block.trials:
            if is_missing(campaign.folder, campaign.site, trial):
                yield trial.key


def count_repetitions(campaign: Campaign) -> list[int]:
    """Return how many trials the cases of a campaign have, each number once, the smallest first.

    Of a campaign that was measured its planned cases count; imported ones only where there are no others.
    """
    if campaign.planned:
        return sorted({trial.case.repetitions for block in campaign.blocks() for trial in block.trials})
    cases = Counter(path.parents[1] for path in list_stories(campaign.folder, campaign.foreign))
    return sorted(set(cases.values()))


def note_not_run(campaign: Campaign, case: Case, reason: str) -> None:
    """Write down why the sweep of a case cannot be run; with an empty reason, that it can."""
    path = campaign.folder / case.study / case.sweep / NOT_RUN
    if not reason:
        path.unlink(missing_ok=True)
        return
    write_whole(path, json.dumps({"reason": reason}, indent=1) + "\n")


def why_not_run(folder: Path, study: str, sweep: str) -> str:
    """Return why a sweep of the campaign in `folder` could not be run; empty where nothing stands against it.

    Raises
    ------
    CampaignError
        If the reason cannot be read.
    """
    path = folder / study / sweep / NOT_RUN
    try:
        return str(json.loads(path.read_text())["reason"])
    except FileNotFoundError:
        return ""
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise CampaignError(f"{path}: no reason can be read ({error}); remove it and measure again") from error


def begin(design: Campaign) -> None:
    """Write the design of a campaign, or make sure that it is the one that the campaign began with.

    Studies that were imported into it meanwhile are no part of what is measured.

    Raises
    ------
    CampaignError
        If the campaign began with another design: trials of two designs are never mixed.
    """
    path = design.folder / "campaign.json"
    if path.is_file():
        if difference := differs_from(read_campaign(design.folder), design):
            raise CampaignError(
                f"{path}: campaign {design.name} began with another design ({difference}); "
                "choose another name (make study CAMPAIGN=…), or remove the folder to measure anew"
            )
        return
    write_whole(path, json.dumps(design.design(), indent=1) + "\n")


def note_hosts(campaign: Campaign, described: dict[str, dict[str, Any]]) -> None:
    """Write what is told once of some hosts, by name, into `hosts.json`, unless it says so already."""
    path = campaign.folder / "hosts.json"
    before = read_hosts(campaign.folder)
    hosts = {**before, **described}
    if hosts != before:
        write_whole(path, json.dumps(hosts, indent=1) + "\n")


def read_hosts(folder: Path) -> dict[str, Any]:
    """Return what is told of each host of the campaign in `folder`; nothing where it was not noted."""
    try:
        return json.loads((folder / "hosts.json").read_text())
    except (OSError, ValueError):
        return {}


def differs_from(begun: Campaign, design: Campaign) -> str:
    """Return the first place at which what two designs measure differs; empty if it is the same."""
    old, new = (campaign._replace(studies=campaign.planned).design() for campaign in (begun, design))
    return first_difference(old, new)


def first_difference(old: Any, new: Any, place: str = "") -> str:
    """Return the first place at which two designs differ, as ``place: old, now new``; empty if they are equal."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            difference = first_difference(old.get(key), new.get(key), f"{place}.{key}" if place else str(key))
            if difference:
                return difference
        return ""
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for index, (one, other) in enumerate(zip(old, new, strict=True)):
            difference = first_difference(one, other, f"{place}.{index}")
            if difference:
                return difference
        return ""
    return "" if old == new else f"{place}: {json.dumps(old)[:60]}, now {json.dumps(new)[:60]}"
