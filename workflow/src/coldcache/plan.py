"""Studies over a site, expanded into cases, trials, blocks and exact command lines. Nothing here touches the system."""

import itertools
import os
import random
from collections.abc import Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple
from urllib.parse import quote

from coldcache.errors import DesignError
from coldcache.setting_kinds import Kind
from coldcache.site import Cold, Site
from coldcache.study import Doubling, Level, Share, Study, Sweep, refuse_levels, stored_level
from coldcache.terms import FACTORS, METADATA_OPERATIONS
from coldcache.tools.run import Run
from coldcache.units import show_bytes, show_seconds

#: Seconds that a tool spends beside its measured interval: start, end, and IOzone's fixed sleeps (IOzone 3.489).
_OVERHEAD_SECONDS = {"fio": 0.4, "iozone": 5.0, "mdtest": 1.0}

#: Where the socket of a served block device lies, relative to the folder of the trial's sweep.
SOCKET = "nbd.socket"

#: Bytes that the kernel takes as the path of a socket (unix(7)).
_LONGEST_SOCKET = 107


class Circumstances(NamedTuple):
    """What a plan depends on beside its design, fixed when a campaign begins.

    Attributes
    ----------
    cores : int
        Cores of all client nodes.
    direct_io : bool
        Whether the target's file system takes O_DIRECT.
    tools : mapping of str to str
        The tool of each sweep, by ``study/sweep``.
    seed : int
        Seed of the order of trials.
    """

    cores: int
    direct_io: bool
    tools: Mapping[str, str]
    seed: int


class Case(NamedTuple):
    """One combination of levels of one sweep, with what runs it."""

    study: str
    sweep: str
    name: str
    tool: str
    operations: tuple[str, ...]
    factors: dict[str, Level]
    settings: dict[str, Kind | str]
    run: Run
    repetitions: int
    item: str
    cold: Cold = Cold()

    @property
    def bytes(self) -> int:
        """Bytes that a trial of the case keeps on the target."""
        return self.run.file_size * self.run.threads

    @property
    def seconds(self) -> float:
        """Estimate of how long one trial takes."""
        return self.run.seconds + _OVERHEAD_SECONDS[self.tool]

    @property
    def key(self) -> str:
        """The case's folder below the campaign's."""
        return f"{self.study}/{self.sweep}/{self.name}"


class Trial(NamedTuple):
    """One execution of one case."""

    case: Case
    repetition: int

    @property
    def key(self) -> str:
        """The trial's folder below the campaign's."""
        return f"{self.case.key}/r{self.repetition}"


class Block(NamedTuple):
    """The trials that share an allocation, in the order in which they run."""

    name: str
    trials: tuple[Trial, ...]


def tool_module(name: str) -> ModuleType:
    """Return the module of a tool."""
    return import_module(f"coldcache.tools.{name}")


def expand_cases(study: Study, site: Site, circumstances: Circumstances) -> list[Case]:
    """Return every case of a study on a site.

    Raises
    ------
    DesignError
        If a level does not fit the system, a total does not divide, or a trial needs more than the site's limits.
    """
    cases: list[Case] = []
    for name, sweep in study.sweeps.items():
        try:
            cases += _expand_sweep(study, name, sweep, site, circumstances)
        except DesignError as error:
            raise DesignError(f"config/studies/{study.study}.yaml, sweeps.{name}: {error}") from error
    return cases


def _expand_sweep(study: Study, name: str, sweep: Sweep, site: Site, circumstances: Circumstances) -> Iterator[Case]:
    tool = circumstances.tools[f"{study.study}/{name}"]
    settings = _resolve_settings(sweep, site)
    groups = tool_module(tool).separate(tuple(sweep.operations))
    grid = list(_grid(sweep, circumstances))
    varying = [factor for factor in sweep.factors if len({point[factor] for point in grid}) > 1]
    # A share of the threads varies with them and would only repeat them in the name.
    varying = [factor for factor in varying if not isinstance(sweep.factors[factor], Share)]
    for operations, factors in itertools.product(groups, grid):
        parts: dict[str, Level] = {"operation": "+".join(operations)} if len(groups) > 1 else {}
        parts |= {factor: factors[factor] for factor in varying}
        directory = f"{site.target.path}/coldcache/{study.study}/{name}"
        case = Case(
            study=study.study, sweep=name, name=name_case(parts), tool=tool, operations=operations, factors=factors,
            settings=settings, run=_run(operations, factors, directory, sweep, tool),
            repetitions=sweep.repetitions or study.repetitions, item=sweep.item,
            cold=_resolve_cold(sweep, site),
        )  # fmt: skip
        _refuse_unfit(case, sweep)
        if case.bytes > site.limits.bytes:
            raise DesignError(
                f"a trial of {case.name} keeps {show_bytes(case.bytes)} on the target, the site {site.site} allows "
                f"{show_bytes(site.limits.bytes)}: lower factors.file_size or raise limits.bytes"
            )
        if case.run.seconds >= site.limits.seconds:
            raise DesignError(
                f"a trial of {case.name} measures for {show_seconds(case.run.seconds)}, the site {site.site} ends it "
                f"after {show_seconds(site.limits.seconds)}: lower seconds or raise limits.seconds"
            )
        yield case


def _resolve_settings(sweep: Sweep, site: Site) -> dict[str, Kind | str]:
    """Return how each factor's levels are put in force: as the sweep says, or as the site does."""
    settings: dict[str, Kind | str] = {}
    for factor, given in sweep.settings.items():
        if given == "site":
            if factor not in site.settings:
                raise DesignError(
                    f"settings.{factor}: config/sites/{site.site}.yaml does not say how; state it there under settings"
                )
            refuse_levels(factor, site.settings[factor], sweep.factors[factor])
        settings[factor] = site.settings[factor] if given == "site" else given
    return settings


def _resolve_cold(sweep: Sweep, site: Site) -> Cold:
    if sweep.cold == "commands" and not site.cold.commands:
        raise DesignError(f"cold: config/sites/{site.site}.yaml states no commands; state them there under cold")
    return site.cold if sweep.cold is None else site.cold.model_copy(update={"method": sweep.cold})


def _grid(sweep: Sweep, circumstances: Circumstances) -> Iterator[dict[str, Level]]:
    """Yield every combination of levels, in stored units."""
    free = {factor: levels for factor, levels in sweep.factors.items() if not isinstance(levels, Share)}
    stated = [
        levels.levels(circumstances.cores) if isinstance(levels, Doubling) else [stored_level(f, x) for x in levels]
        for f, levels in free.items()
    ]
    seen = []
    for combination in itertools.product(*stated):
        point = dict(zip(free, combination, strict=True))
        if point.get("direct_io") == "where-possible":
            point["direct_io"] = circumstances.direct_io
        for factor, levels in sweep.factors.items():
            if isinstance(levels, Share):
                point[factor] = _share(factor, levels, point)
        # "where-possible" can turn out to be a level that is listed, too.
        if point not in seen:
            seen.append(point)
            yield {factor: point[factor] for factor in sweep.factors}


def _share(factor: str, share: Share, point: dict[str, Level]) -> int:
    try:
        level = share.level(int(point["threads"]), str(FACTORS[factor].unit))
    except DesignError as error:
        raise DesignError(f"factors.{factor}: {error}") from error
    transfer = int(point.get("transfer_size", 1)) if factor == "file_size" else 1
    whole = (-(-level // transfer) if share.round == "up" else level // transfer) * transfer
    if share.round == "exact" and whole != level:
        raise DesignError(
            f"factors.{factor}: {show_bytes(level)} per thread is no whole number of transfers of "
            f"{show_bytes(transfer)}; set round to down or up"
        )
    if whole < 1:
        raise DesignError(f"factors.{factor}: {share.aggregate} over {point['threads']} threads leaves nothing each")
    return whole


def _run(operations: tuple[str, ...], factors: dict[str, Any], directory: str, sweep: Sweep, tool: str) -> Run:
    known: dict[str, Any] = {field: factors[field] for field in Run._fields if field in factors}
    options: Mapping[str, list[str]] = dict(sweep.options.items())
    device = f"nbd+unix:///?socket={quote(directory)}/{SOCKET}" if "qemu-nbd" in sweep.settings.values() else ""
    return Run(
        operations=operations, directory=directory, seconds=sweep.seconds,
        options=tuple(options.get(tool, ())), device=device, **known,
    )  # fmt: skip


def _refuse_unfit(case: Case, sweep: Sweep) -> None:
    """Refuse what a tool would pass over, or do otherwise than the case says."""
    for tool in sweep.tools:
        unfit = tool_module(tool).unfit(case.run)
        if unfit:
            raise DesignError(f"tools: {tool} {unfit}, as {case.name} needs; take another tool or other factors")
    if case.run.transfer_size and case.run.file_size % case.run.transfer_size:
        raise DesignError(
            f"factors.file_size: {show_bytes(case.run.file_size)} is no whole number of transfers of "
            f"{show_bytes(case.run.transfer_size)}"
        )
    if case.run.device and len(os.fsencode(f"{case.run.directory}/{SOCKET}")) > _LONGEST_SOCKET:
        raise DesignError(f"{case.run.directory} is too long a path for a socket; name a target with a shorter one")


def name_case(levels: Mapping[str, Level]) -> str:
    """Return the name of a case, and so of its folder, from the levels that tell it from the others of its sweep.

    Raises
    ------
    DesignError
        If a level cannot be part of a folder's name.
    """
    return ",".join(f"{factor}={_path_safe(level)}" for factor, level in levels.items()) or "only"


def _path_safe(level: Level) -> str:
    text = str(level).lower() if isinstance(level, bool) else str(level)
    if not all(letter.isalnum() or letter in "+-_." for letter in text) or text.startswith("."):
        raise DesignError(f'level "{text}" cannot be part of a folder\'s name')
    return text


def arrange_blocks(cases: list[Case], seed: int) -> list[Block]:
    """Return the cases' trials in blocks, one per sweep.

    Within a block the trials run in rounds: each round holds one trial of every case in an order of its own, drawn
    from `seed`. Levels to be compared so share the drift of the system, and a round pairs them.
    """
    blocks = []
    for (study, sweep), group in itertools.groupby(cases, key=lambda case: (case.study, case.sweep)):
        members = list(group)
        order = random.Random(f"{seed}/{study}/{sweep}")
        trials: list[Trial] = []
        for repetition in range(max(case.repetitions for case in members)):
            turn = [Trial(case, repetition) for case in members if repetition < case.repetitions]
            order.shuffle(turn)
            # What is slow to change changes once per level and round, in the order in which its levels were drawn.
            drawn = [_slow_levels(trial.case) for trial in turn]
            trials += sorted(turn, key=lambda trial: drawn.index(_slow_levels(trial.case)))
        blocks.append(Block(f"{study}.{sweep}", tuple(trials)))
    return blocks


def _slow_levels(case: Case) -> tuple[Level, ...]:
    slow = [factor for factor, kind in case.settings.items() if not isinstance(kind, str) and kind.slow]
    return tuple(case.factors[factor] for factor in slow)


def describe_trial(trial: Trial) -> dict[str, Any]:
    """Return what `python -m coldcache plan --format jsonl` prints of a trial."""
    case = trial.case
    metadata = case.operations[0] in METADATA_OPERATIONS
    return {
        "study": case.study, "sweep": case.sweep, "case": case.name, "repetition": trial.repetition,
        "factors": {"operation": "+".join(case.operations), **case.factors},
        "argv": tool_module(case.tool).argv(case.run), "bytes": case.bytes,
        "items": case.run.files * case.run.threads if metadata else 0,
        "seconds": round(case.seconds, 3), "item": case.item, "runs_here": True,
    }  # fmt: skip
