"""A campaign on disk: `campaign.json` with its design, the folders of its trials, and the sums that seal it."""

import json
import re
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.core.errors import CampaignError, DesignError
from coldcache.core.files import write_whole
from coldcache.design.blocks import Block, arrange_blocks
from coldcache.design.cases import Case, Circumstances, expand_cases
from coldcache.design.imported_study import AnyStudy, ForeignStudy, Origin
from coldcache.design.site import Site, Target
from coldcache.design.study import Study

RAW = Path("raw")


FORMAT = 1


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
            runs = [case for case in cases if not case.why_not_here]
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
