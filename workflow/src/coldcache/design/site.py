"""Where a campaign runs: its targets, clients and limits, as `config/sites/<id>.yaml` states them."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, Field, field_validator, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.units import parse_bytes, parse_quantity
from coldcache.core.vocabulary import SET_FACTORS, nearest
from coldcache.core.yaml_models import Bytes, Name, Seconds, Strict, read_named
from coldcache.design.model.specification import Specification
from coldcache.design.precondition import WORD, Precondition
from coldcache.design.settings import SettingKind
from coldcache.design.study import ColdMethod
from coldcache.verdicts.thresholds import Ceilings, Thresholds

#: The folder with a file per site, relative to the working folder.
SITES = Path("config/sites")

T = TypeVar("T")


class Target(Ceilings):
    """A file system under test."""

    path: str = Field(min_length=1, description="An empty folder on it; trials stay inside its sub-folder coldcache/.")
    filesystem: str = Field("", description="Its kind, such as ext4, nfs4 or lustre; another one there is refused.")
    source: str = Field(
        "", description="Its device or server as mount names it, such as /dev/sdb1; another one there is refused."
    )
    mount_point: str = Field("", description="Where it is mounted; the folder on another mount is refused.")
    network: list[str] = Field(
        default_factory=list,
        description="Network interfaces that serve it, such as ib0 or mlx5_0, if no other counter counts its bytes.",
    )
    make: bool = Field(False, description="Whether to make the folder itself when only its parent exists.")
    direct_io: bool | None = Field(None, description="Whether it supports O_DIRECT; probed if not stated.")


def _parse_memory(given: str | float) -> str | int:
    size = "here" if given == "here" else parse_bytes(given)
    if isinstance(size, int) and size < 2**20:
        raise DesignError(f"{given} is {size} B, which no machine has; did you mean {given} GiB?")
    return size


Memory = Annotated[str | int, BeforeValidator(_parse_memory)]


def count_physical_cores(system: Path = Path("/sys/devices/system/cpu")) -> int:
    """Return the physical cores that this process may use."""
    usable = os.sched_getaffinity(0)
    siblings = set()
    for processor in usable:
        try:
            siblings.add((system / f"cpu{processor}/topology/thread_siblings_list").read_text())
        except OSError:
            return len(usable)
    return len(siblings)


class Clients(Strict):
    """The machines that load the target."""

    nodes: int = Field(1, ge=1, lt=2**63)
    cores: int | None = Field(None, ge=1, lt=2**63, description="Cores per node; of this machine when not stated.")
    memory: Memory | None = Field(None, description="Memory per node; here stands for that of this machine.")
    streams: int | None = Field(None, ge=1, lt=2**63, description="The most streams that the launchers can start.")
    launchers: dict[str, str] = Field(
        default_factory=dict,
        description="How a tool's processes start on all nodes, by tool or by sweep; {threads} is their number.",
    )
    programs: dict[str, str] = Field(
        default_factory=dict,
        description="What {program} stands for in the command that a study states for a tool, by tool, such as "
        "/opt/bin/mdtest; without it the tool's name.",
    )
    modules: list[Annotated[str, Field(pattern=r"^[A-Za-z0-9_.+/-]+$")]] = Field(
        default_factory=list, description="Environment modules that are loaded before a tool runs, such as ior/4.0.0."
    )
    launcher: Literal["local", "srun", "ssh"] = Field(
        "local", description="What reaches the nodes: the steps of a Slurm job, ssh, or nothing on a single machine."
    )
    mpi: Literal["pmix", "pmi2", "mpirun"] = Field(
        "pmix", description="What starts the ranks of IOR and mdtest: srun by this interface, or mpirun."
    )
    hosts: list[str] = Field(
        default_factory=list, description="The nodes that ssh reaches, if no scheduler names those of the job."
    )

    @model_validator(mode="after")
    def _check_launcher(self) -> "Clients":
        if self.hosts and len(self.hosts) < self.nodes:
            raise DesignError(f"hosts: {len(self.hosts)} are named for {self.nodes} nodes; name them all")
        if self.launcher == "ssh" and self.modules:
            raise DesignError("modules: ssh passes no environment on; load them in ~/.bashrc of each node instead")
        if self.launcher == "ssh" and self.mpi != "mpirun":
            raise DesignError(f"mpi: {self.mpi} needs srun; set mpi to mpirun")
        return self

    def nodes_for(self, threads: int) -> int:
        """Return the number of nodes that threads are spread over: all, or as many as there are threads."""
        return min(self.nodes, threads) if self.launcher != "local" else 1

    def total_cores(self) -> int:
        """Return the cores of all client nodes."""
        return self.nodes * (self.cores or len(os.sched_getaffinity(0)))

    def total_physical_cores(self) -> int:
        """Return the physical cores of all client nodes; a site states physical cores."""
        return self.nodes * (self.cores or count_physical_cores())

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
        None,
        ge=1,
        lt=2**63,
        description="The most threads of a range such as {first: 1, last: 64}, and of a study that scales down; "
        "for the latter 64 when not stated.",
    )
    thread_counts: dict[str, Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=1)]] = Field(
        default_factory=dict,
        description="Which of its numbers of threads a study that scales down keeps here, by study or study.sweep; all "
        "by default.",
    )
    trial_seconds: Seconds = Field(
        2.0, gt=0, description="How long a trial of a study that scales down should last, by what is expected here."
    )
    trials_last: dict[str, Annotated[Seconds, Field(gt=0)]] = Field(
        default_factory=dict,
        description="In place of trial_seconds for some studies or sweeps, by study or study.sweep: longer where many "
        "threads do not start at once, shorter where a setting slows the system.",
    )
    transfer_sizes: dict[str, Annotated[Bytes, Field(ge=1)]] = Field(
        default_factory=dict,
        description="The largest transfer of a study that scales down, by study or study.sweep; its own by default.",
    )
    iterations: int | None = Field(
        None, ge=1, description="The most iterations in one execution of a tool of such a study; others become trials."
    )
    ranks: int | None = Field(
        None, ge=1, description="The most ranks of MPI in such a study, which take longer to start than threads."
    )
    series_seconds: Seconds | None = Field(
        None,
        gt=0,
        description="How long a series of such a study lasts, with windows of full length; else they shrink.",
    )
    least_transfers: int = Field(
        1, ge=1, lt=2**63, description="The fewest transfers that a file keeps in a study that scales down."
    )
    least_directories: int = Field(
        1, ge=1, lt=2**63, description="The fewest directories of a thread in a study that scales down."
    )
    least_items: int = Field(
        1, ge=1, lt=2**63, description="The fewest files or directories of a thread in a study that scales down."
    )
    walltime: Seconds | None = Field(
        None, gt=0, description="The longest job that the scheduler grants; a longer block is split."
    )
    merged: Seconds = Field(0.0, ge=0, description="Blocks of as many nodes share one job up to this length.")
    margin: float = Field(3.0, ge=1, description="A job may take its estimate times this number, plus five minutes.")
    max_node_hours: float | None = Field(
        None, gt=0, description="The most that a campaign may take by its estimate; a longer plan is refused."
    )


def choose_for(stated: Mapping[str, T], study: str, sweep: str) -> T | None:
    """Return what limits state for ``study.sweep``, or else for the study; None if neither is stated."""
    return stated.get(f"{study}.{sweep}", stated.get(study))


class Pace(Strict):
    """An expected speed."""

    throughput: Annotated[float, BeforeValidator(lambda given: parse_quantity(given, "B/s"))] = Field(
        5e8, gt=0, description="Bytes per second.", json_schema_extra={"type": ["string", "number"]}
    )
    iops: float = Field(10_000.0, gt=0, description="Random transfers per second.")
    items: float = Field(5_000.0, gt=0, description="Files per second of the slowest operation on them.")


class ExpectedSpeed(Pace):
    """The expected speed of the system, by which a plan estimates its duration and scales down."""

    one_thread: Pace | None = Field(
        None,
        description="What a single thread reaches, where that is less: few threads of a study that scales down then do "
        "less work in all, and each as much as with many.",
    )


class NfsGuest(Strict):
    """The guest of settings of the kind nfs-guest."""

    mount: str = Field("vers=3,proto=tcp", description="Mount options, unless a factor states another value of them.")
    # Writeback by age could split the two pages of a synchronous write into two calls.
    parameters: list[str] = Field(
        ["vm.dirty_expire_centisecs=360000"],
        description="Kernel parameters, as name=value, for trials that do not vary them.",
    )
    array: list[str] = Field(
        default_factory=list,
        description="Bounds and layers of the disks of an array, such as rate=48000000, for trials that do not vary "
        "them.",
    )
    expected: ExpectedSpeed = Field(
        ExpectedSpeed(throughput=1e8, items=4_000.0), description="What it is expected to do."
    )
    limits: Limits | None = Field(
        None, description="Limits by which its sweeps scale, in place of the site's; the site's seconds end a trial."
    )


class Cold(Strict):
    """How files become cold before a read; the bytes that cross the device prove it."""

    method: ColdMethod = Field(
        "eviction", description="How files are dropped from memory before each trial that reads."
    )
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


def _allow_word(schema: dict[str, Any]) -> None:
    schema["anyOf"].insert(0, {"const": WORD})


class Site(Strict):
    """A system on which studies run."""

    site: Name = Field(description="The site's id; the file's name without its ending.")
    title: str
    targets: dict[Name, Target] = Field(min_length=1, max_length=1)
    clients: Clients = Clients()
    limits: Limits = Limits()
    expected: ExpectedSpeed = ExpectedSpeed()
    thresholds: Thresholds = Thresholds()
    cold: Cold = Cold()
    sentinel: bool = Field(
        False,
        description="Whether studies without a sentinel get one: reads of 1 MiB, where fio is installed.",
    )
    measures_ceilings: bool = Field(
        True,
        description="Whether the rates that bound the target, where neither stated nor limited, are measured for some"
        " seconds when a campaign begins; on one machine only.",
    )
    precondition: Precondition | None = Field(
        None,
        description="How the target is written before the first trial; fill: the whole target. Left out, it is measured"
        " as it is found.",
        json_schema_extra=_allow_word,
    )
    settings: dict[str, SettingKind] = Field(
        default_factory=dict, description="How the levels of a factor are put in force here, by factor."
    )
    nfs_guest: NfsGuest = NfsGuest()
    model: Specification | None = Field(
        None,
        description="The scale model that is started for a campaign and holds its target; the target's path names its "
        "folder, then c1, then a folder: /var/tmp/model/c1/data.",
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

    @model_validator(mode="after")
    def _check_nodes(self) -> "Site":
        clients = self.clients
        if clients.nodes > 1 and clients.launcher == "local" and not clients.launchers and not self.plan_only:
            raise DesignError(f"clients.nodes: nothing reaches {clients.nodes} nodes; set clients.launcher")
        return self

    @model_validator(mode="after")
    def _check_precondition(self) -> "Site":
        if self.precondition and self.clients.launcher != "local":
            raise DesignError(
                "precondition: a target is filled from this machine alone, not in jobs of a cluster; remove it, or "
                "measure with a site of one machine"
            )
        if self.precondition and self.model:
            raise DesignError("precondition: a model is recreated at each start, so nothing in it lasts; remove it")
        return self

    @model_validator(mode="after")
    def _check_target(self) -> "Site":
        if unfit := self.explain_unfit():
            raise DesignError(f"targets.{self.target_name}.path: {unfit}")
        return self

    def explain_unfit(self) -> str | None:
        """Return why the target cannot be one of this site, and what to name instead; None if it can."""
        path = Path(self.target.path)
        if self.clients.launcher != "local" and not path.is_absolute():
            return f"{path} is not the same on all nodes; name it from the root on"
        if self.model and not (path.is_absolute() and len(path.parts) > 3 and path.parent.name == "c1"):
            return f"{path} is not on the model's first client; name a folder such as /var/tmp/model/c1/data"
        return None

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
        As `read_named`; or if the target is not the same folder on all nodes, or not in the site's scale model.
    """
    site = read_named(folder, name, Site, "site")
    if target:
        changed = Target(path=target, make=False)
        site = site.model_copy(update={"targets": {site.target_name: changed}})
        if unfit := site.explain_unfit():
            raise DesignError(f"target: {unfit}")
    return site
