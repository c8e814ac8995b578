"""Where a campaign runs: its targets, clients and limits, as `config/sites/<id>.yaml` states them."""

import os
from pathlib import Path
from typing import Annotated

from pydantic import BeforeValidator, Field, field_validator, model_validator

from coldcache.errors import DesignError
from coldcache.setting_kinds import SettingKind
from coldcache.study import ColdMethod, Name, Seconds
from coldcache.terms import SET_FACTORS, nearest
from coldcache.units import parse_bytes, parse_quantity
from coldcache.yaml_file import Strict, read_model

Bytes = Annotated[int, BeforeValidator(parse_bytes), Field(json_schema_extra={"type": ["string", "integer"]})]


Rate = Annotated[
    float,
    BeforeValidator(lambda given: given if given is None else parse_quantity(given, "B/s")),
    Field(json_schema_extra={"type": ["string", "number"]}),
]


class Target(Strict):
    """A file system under test."""

    path: str = Field(min_length=1, description="An empty folder on it; trials stay inside its sub-folder coldcache/.")
    read_rate: Rate | None = Field(
        None, gt=0, description="The most that it, or the link to it, can deliver; a higher rate is suspect."
    )
    write_rate: Rate | None = Field(
        None, gt=0, description="The most that it, or the link to it, can take; a higher rate is suspect."
    )
    make: bool = Field(False, description="Whether to make the folder itself when only its parent exists.")
    direct_io: bool | None = Field(None, description="Whether it takes O_DIRECT; tried out when not stated.")


def _parse_memory(given: str | float) -> str | int:
    return "here" if given == "here" else parse_bytes(given)


Memory = Annotated[str | int, BeforeValidator(_parse_memory)]


class Clients(Strict):
    """The machines that load the target."""

    nodes: int = Field(1, ge=1)
    cores: int | None = Field(None, ge=1, description="Cores per node; of this machine when not stated.")
    memory: Memory | None = Field(None, description="Memory per node; here stands for that of this machine.")
    streams: int | None = Field(None, ge=1, description="The most streams that the launchers can start.")
    launchers: dict[str, str] = Field(
        default_factory=dict,
        description="What starts a tool's processes on all nodes, by tool or by sweep; {threads} is their number.",
    )
    programs: dict[str, str] = Field(default_factory=dict, description="Where a tool lies that is not on PATH.")

    def total_cores(self) -> int:
        """Return the cores of all client nodes."""
        return self.nodes * (self.cores or len(os.sched_getaffinity(0)))

    def memory_bytes(self) -> int:
        """Return the memory of one node, in B; 0 when it is not stated."""
        if self.memory == "here":
            return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return parse_bytes(self.memory or 0)


class Limits(Strict):
    """What a campaign may use here; larger designs are refused."""

    bytes: Bytes = Field(2 * 2**30, description="The most that one trial may keep on the target.")
    seconds: Seconds = Field(60.0, gt=0, description="The longest that one trial may take before it is ended.")
    layout_seconds: Seconds = Field(
        1.0, gt=0, description="How long to lay out files for one trial of a metadata sweep; fewer files are used then."
    )
    threads: int | None = Field(
        None, ge=1, description="The most threads of a study that scales down; twice the cores when not stated."
    )
    trial_seconds: Seconds = Field(
        2.0, gt=0, description="How long a trial of a study that scales down should last, by what is expected here."
    )


class Expected(Strict):
    """What the system is expected to do, by which a plan tells how long it takes and how far it scales down."""

    throughput: Annotated[float, BeforeValidator(lambda given: parse_quantity(given, "B/s"))] = Field(
        5e8, gt=0, description="Bytes per second.", json_schema_extra={"type": ["string", "number"]}
    )
    iops: float = Field(10_000.0, gt=0, description="Random transfers per second.")
    items: float = Field(5_000.0, gt=0, description="Files per second of the slowest operation on them.")


class Cold(Strict):
    """How files that are read are made cold; that they were is proved by what crosses the device."""

    method: ColdMethod = Field("eviction", description="What drops them from memory before each trial that reads.")
    commands: list[Annotated[list[str], Field(min_length=1)]] = Field(
        default_factory=list,
        description="The site's own commands, run after it, such as to drop a server's cache.",
    )
    root: bool = Field(False, description="Whether the commands need root, and so go through sudo -n.")
    seconds: Seconds = Field(60.0, gt=0, description="The longest that one of the commands may take.")

    @model_validator(mode="after")
    def _need_commands(self) -> "Cold":
        if self.method == "commands" and not self.commands:
            raise DesignError("the method commands needs commands; state them")
        return self


class Thresholds(Strict):
    """Where the verdict of a trial turns."""

    shortest_run: Seconds = Field(1.0, gt=0, description="A measured interval below this makes a trial suspect.")
    cold_share: float = Field(
        0.9, gt=0, le=1, description="A read is cold when at least this share of its bytes crossed the device."
    )
    foreign_share: float = Field(
        0.1, ge=0, description="The device may carry this share more than the tool moved; more makes a trial suspect."
    )
    load_per_core: float = Field(
        4.0, gt=0, description="A load average above this per core, before the tool starts, makes a trial suspect."
    )
    least_moved: float = Field(
        0.5,
        ge=0,
        le=1,
        description="A process that moved less than this share of what the fastest one moved makes it suspect.",
    )
    least_free: float = Field(
        0.05, ge=0, le=1, description="A file system with a smaller share of it free makes a trial suspect."
    )
    fill_drift: float = Field(
        0.1, gt=0, description="A fill level that is this much off that of the sweep's first trial makes it suspect."
    )


class Site(Strict):
    """Where it runs."""

    site: Name = Field(description="The site's id; the file's name without its ending.")
    title: str
    targets: dict[Name, Target] = Field(min_length=1, max_length=1)
    clients: Clients = Clients()
    limits: Limits = Limits()
    expected: Expected = Expected()
    thresholds: Thresholds = Thresholds()
    cold: Cold = Cold()
    settings: dict[str, SettingKind] = Field(
        default_factory=dict, description="How the levels of a factor are put in force here, by factor."
    )
    offers: list[str] = Field(default_factory=list, description="What the system has of what sweeps need.")
    plan_only: bool = Field(
        False, description="Whether it is described for plans: files lie in the target itself, and nothing is measured."
    )

    @field_validator("settings")
    @classmethod
    def _refuse_other_factors(cls, settings: dict[str, SettingKind]) -> dict[str, SettingKind]:
        for factor in settings:
            if factor not in SET_FACTORS:
                raise DesignError(f'unknown factor "{factor}"; {nearest(factor, SET_FACTORS)}')
        return settings

    @property
    def target(self) -> Target:
        """The target that the trials measure."""
        return next(iter(self.targets.values()))

    @property
    def target_name(self) -> str:
        """The name of that target."""
        return next(iter(self.targets))


def read_site(folder: Path, name: str, target: str | None = None) -> Site:
    """Return the site `name` of a folder of sites.

    Parameters
    ----------
    folder : Path
        Usually ``config/sites``.
    name : str
        The site's id.
    target : str, optional
        A folder to measure instead of the one that the file names.

    Raises
    ------
    DesignError
        As `read_model`; and if the file holds another site than its name says.
    """
    site = read_model(folder / f"{name}.yaml", Site)
    if site.site != name:
        raise DesignError(f'{folder / name}.yaml, site: "{site.site}" is not the name of the file')
    if target:
        changed = Target(path=target, make=False)
        site = site.model_copy(update={"targets": {site.target_name: changed}})
    return site
