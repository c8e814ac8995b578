"""The design of a campaign, and the `campaign.json` and `hosts.json` that store it on disk."""

import gc
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from coldcache.core.errors import CampaignError, DesignError
from coldcache.core.files import write_whole
from coldcache.core.vocabulary import nearest
from coldcache.core.yaml_mistakes import explain
from coldcache.core.yaml_models import Strict
from coldcache.design.blocks import Block, arrange_blocks
from coldcache.design.cases import Case, Environment, expand_cases
from coldcache.design.imported_study import AnyStudy, ForeignStudy, Origin
from coldcache.design.jobs import Allocation, arrange_allocations, fill_allocations
from coldcache.design.site import Site, Target
from coldcache.design.study import Study
from coldcache.design.watch import SentinelWatch, find_watches
from coldcache.verdicts.thresholds import Ceilings, MeasuredCeiling

RAW = Path("raw")

#: The folder of a campaign with the metrics of its file system that CloudWatch counted.
CLOUDWATCH_FOLDER = "cloudwatch"

FORMAT = 1

#: What the report shows and no trial depends on: it may change after a campaign has begun.
SHOWN_OF_STUDY, SHOWN_OF_SWEEP, SHOWN_OF_SITE = (
    ("title", "question", "notebooks"),
    ("title", "preparation"),
    ("title", "measures_ceilings"),
)

#: The ceilings of a target judge trials that were measured before they were stated, too.
SHOWN_OF_TARGET = tuple(Ceilings.model_fields)


@dataclass(frozen=True)
class Campaign:
    """The design of a campaign. Once it has begun, trials may be added to it, and nothing else.

    Attributes
    ----------
    name : str
        Its folder below `RAW`.
    site : Site
        The machines and the target.
    studies : tuple of Study or ForeignStudy
        The studies that are measured, and those whose logs were imported.
    environment : Environment or None
        None for a campaign of imported logs only: there is nothing to measure.
    names : mapping of str to str
        The names of cases that were measured before levels were added, by the keys that the design gives them now: a
        case is named by the factors that vary, and keeps its folder when more of them do.
    ceilings : mapping of str to MeasuredCeiling
        ``read_rate``, ``write_rate`` and ``memory_rate``, as far as they were measured when the campaign began.
    """

    name: str
    site: Site
    studies: tuple[AnyStudy, ...]
    environment: Environment | None
    names: Mapping[str, str] = field(default_factory=dict)
    ceilings: Mapping[str, MeasuredCeiling] = field(default_factory=dict)

    @cached_property
    def folder(self) -> Path:
        """The folder of its raw logs."""
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
        """Return every case of the planned studies; raises as `expand_cases`. A case that cannot run has the reason."""
        return list(self._expanded[0])

    def blocks(self) -> list[Block]:
        """Return every block of the cases that run on the site; raises as `expand_cases`."""
        return list(self._expanded[1])

    @cached_property
    def allocations(self) -> tuple[Allocation, ...]:
        """The jobs that measure its blocks; raises as `arrange_allocations`.

        A probe changes how long trials last, but neither the names of the jobs nor which trials each has: Snakemake
        asks for them by the names that they had before it.
        """
        blocks = self._expanded[1]
        if self.environment and self.environment.paces:
            unprobed = replace(self, environment=self.environment._replace(paces={}))
            # A level that was added since may divide only what the probe has raised.
            with suppress(DesignError):
                return tuple(fill_allocations(unprobed.allocations, blocks))
        return tuple(arrange_allocations(blocks, self.site))

    @cached_property
    def watches(self) -> dict[str, SentinelWatch]:
        """Where the sentinel of each study runs, by study."""
        return find_watches(self._expanded[1])

    @cached_property
    def _expanded(self) -> tuple[list[Case], list[Block]]:
        """All cases, and the blocks of those that run: a large design takes seconds to expand."""
        if self.environment is None:
            return [], []
        with _without_collector():
            cases = [case for study in self.planned for case in expand_cases(study, self.site, self.environment)]
            if self.names:
                cases = [case._replace(name=self.names.get(case.key, case.name)) for case in cases]
            running = [case for case in cases if not case.why_not_here]
            return cases, arrange_blocks(running, self.environment.seed, self.environment.order)

    def design(self) -> dict[str, Any]:
        """Return the content of `campaign.json`."""
        design = {
            "format": FORMAT,
            "campaign": self.name,
            "site": self.site.model_dump(mode="json"),
            "studies": [study.model_dump(mode="json") for study in self.studies],
        }
        if self.environment is None:
            return design
        stated = self.environment._asdict()
        return {
            **design,
            **({"names": dict(self.names)} if self.names else {}),
            **({"ceilings": {name: one._asdict() for name, one in self.ceilings.items()}} if self.ceilings else {}),
            "circumstances": {
                **stated,
                "tools": dict(stated["tools"]),
                "lacking": list(stated["lacking"]),
                "paces": dict(stated["paces"]),
            },
        }


@contextmanager
def _without_collector() -> Iterator[None]:
    """Search for no cyclic garbage: a plan has none among its many objects, all of which each search would visit."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def site_of(origin: Origin) -> Site:
    """Return the site of imported logs: a name without limits or ceilings, as nothing is known about it."""
    return Site(site="elsewhere", title=origin.system, targets={"elsewhere": Target(path=origin.folder)})


def check_name(name: str) -> None:
    """Raise `DesignError` unless `name` can name a campaign, which is a folder and part of a rule's output."""
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
        If `campaign.json` is missing or is not of this format; the message names the nearest campaign, if any.
    """
    path = folder / "campaign.json"
    try:
        stored = json.loads(path.read_text())
        if stored["format"] != FORMAT:
            raise CampaignError(f"{path}: of format {stored['format']}, this version reads {FORMAT}")
        site = _read_part(Site, stored["site"])
        studies = tuple(
            _read_part(ForeignStudy, study) if "origin" in study else _read_part(Study, study)
            for study in stored["studies"]
        )
        is_planned = any(isinstance(study, Study) for study in studies)
        return Campaign(
            # The folder may have been renamed.
            name=folder.name,
            site=site,
            studies=studies,
            environment=Environment(**stored["circumstances"]) if is_planned else None,
            names=stored.get("names", {}),
            ceilings={name: MeasuredCeiling(**one) for name, one in stored.get("ceilings", {}).items()},
        )
    except OSError as error:
        known = sorted(path.parent.name for path in folder.parent.glob("*/campaign.json"))
        hint = f"; {nearest(folder.name, known)}" if known else ""
        raise CampaignError(f"{folder} holds no campaign.json: it is no campaign{hint}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise CampaignError(f"{path}: not the design of a campaign ({str(error).splitlines()[0]})") from error


_Part = TypeVar("_Part", bound=Strict)


def _read_part(model: type[_Part], stored: Any) -> _Part:
    try:
        return model.model_validate(stored)
    except ValidationError as error:
        raise DesignError(explain(error, stored)) from error


def note_hosts(campaign: Campaign, described: dict[str, dict[str, Any]]) -> None:
    """Add the descriptions of some hosts, by name, to `hosts.json`."""
    path = campaign.folder / "hosts.json"
    before = read_hosts(campaign.folder)
    hosts = {**before, **described}
    if hosts != before:
        write_whole(path, json.dumps(hosts, indent=1) + "\n")


def read_hosts(folder: Path) -> dict[str, Any]:
    """Return the description of each host of the campaign in `folder`; empty if there is none."""
    try:
        return json.loads((folder / "hosts.json").read_text())
    except (OSError, ValueError):
        return {}


def presentation(studies: Iterable[AnyStudy]) -> dict[str, Any]:
    """Return what the report shows of some studies and no trial depends on, by study."""
    return {
        study.study: {
            **study.model_dump(mode="json", include=set(SHOWN_OF_STUDY)),
            "sweeps": {
                name: sweep.model_dump(mode="json", include=set(SHOWN_OF_SWEEP)) for name, sweep in study.sweeps.items()
            },
        }
        for study in studies
    }


def presentation_of_site(site: Site) -> dict[str, Any]:
    """Return what the report shows of a site and its target and no trial depends on, such as its ceilings."""
    shown = site.model_dump(mode="json", include=set(SHOWN_OF_SITE))
    return {**shown, "target": site.target.model_dump(mode="json", include=set(SHOWN_OF_TARGET))}
