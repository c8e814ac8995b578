"""Every combination of a sweep's levels, in stored units."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from coldcache.core.errors import DesignError
from coldcache.core.units import show_bytes
from coldcache.core.vocabulary import FACTORS
from coldcache.design.left_out import is_left_out
from coldcache.design.levels import Doubling, Level, Lookup, Share, stored_level
from coldcache.design.site import Site
from coldcache.design.study import Sweep

#: The most combinations of levels of a sweep: a design with more is a mistake and would take hours to expand.
MOST_CASES = 1_000_000


class Environment(NamedTuple):
    """What a plan depends on besides its design; it is fixed when a campaign begins.

    Attributes
    ----------
    cores : int
        Cores of all client nodes.
    direct_io : bool
        Whether the target's file system takes O_DIRECT.
    tools : mapping of str to str
        The tool of each sweep, by ``study/sweep``.
    seed : int
        Seed for the order of trials.
    memory : int
        Memory of one client node, in B; 0 if the site does not state it.
    lacking : sequence of str
        Sweeps, as ``study/sweep``, none of whose tools is installed.
    physical_cores : int
        Physical cores of all client nodes; 0 if unknown.
    size : str
        The total size that replaces the studies' own, such as ``8 GiB``; empty if none does.
    seconds : str
        How long each timed part is to last, in place of what the studies say, such as ``3 s``; empty if they decide.
    paces : mapping of str to float
        What a probe measured when the campaign began, by operation, in B/s and 1/s; empty without a probe.
    order : str
        How trials are ordered, as for `coldcache.design.blocks.arrange_blocks`; campaigns of earlier versions have
        ``sweeps``.
    most_threads : int
        The most threads of a study that scales down where the site states none; 0, as in campaigns of earlier versions,
        is twice the cores.
    studies : str
        The studies as the configuration names them, whole or by sweeps; empty in campaigns of earlier versions.
    repetitions : str
        How often each case runs, in place of what the studies say, such as ``20``; empty if they decide.
    """

    cores: int
    direct_io: bool
    tools: Mapping[str, str]
    seed: int
    memory: int = 0
    lacking: Sequence[str] = ()
    physical_cores: int = 0
    size: str = ""
    seconds: str = ""
    paces: Mapping[str, float] = {}
    order: str = "sweeps"
    most_threads: int = 0
    studies: str = ""
    repetitions: str = ""

    def count_cores(self, physical: bool) -> int:
        """Return the physical or logical cores of all client nodes."""
        return (physical and self.physical_cores) or self.cores


def expand_grid(
    sweep: Sweep,
    site: Site,
    environment: Environment,
    most_threads: int | None = None,
    thread_counts: Sequence[int] = (),
    largest_transfer: int | None = None,
    operations: Sequence[str] = (),
) -> Iterator[dict[str, Level]]:
    """Yield every combination of the levels of a sweep that it does not leave out.

    Parameters
    ----------
    sweep : Sweep
        Its factors.
    site : Site
        Where it runs.
    environment : Environment
        What levels given by a rule depend on.
    most_threads, largest_transfer : int, optional
        Replace every larger number of threads, and every larger transfer size in B.
    thread_counts, operations : sequence
        The numbers of threads that are kept, and the operations that one trial measures; all if empty.

    Raises
    ------
    DesignError
        If there are more than `MOST_CASES`; if a total does not divide evenly, leaves nothing, or depends on memory
        that the site does not state.
    """
    free = {factor: levels for factor, levels in sweep.factors.items() if not isinstance(levels, Share | Lookup)}
    stated = [_list_levels(factor, levels, site, environment) for factor, levels in free.items()]
    combinations = math.prod(map(len, stated))
    if combinations > MOST_CASES:
        raise DesignError(
            f"factors: {combinations:,} combinations of levels, a sweep has at most {MOST_CASES:,}; list fewer levels"
        )
    seen: set[tuple[Level, ...]] = set()
    for combination in itertools.product(*stated):
        point = dict(zip(free, combination, strict=True))
        _choose_direct_io(point, environment)
        for factor, levels in sweep.factors.items():
            if isinstance(levels, Lookup):
                point[factor] = _look_up(factor, levels, point)
        _choose_direct_io(point, environment)
        if most_threads:
            point["threads"] = min(int(point["threads"]), most_threads)
        if largest_transfer and "transfer_size" in point:
            point["transfer_size"] = min(int(point["transfer_size"]), largest_transfer)
        if thread_counts and point["threads"] not in thread_counts:
            continue
        for factor, levels in sweep.factors.items():
            if isinstance(levels, Share):
                least = _find_least(factor, levels, point, sweep, site, environment, operations)
                point[factor] = _share(factor, levels, point, site, environment, least)
        # "where-possible" may equal another listed level, and two numbers of threads may both become the most.
        reached = tuple(point[factor] for factor in sweep.factors)
        if reached not in seen and not is_left_out(sweep.leave_out, operations, point, direct_io=environment.direct_io):
            seen.add(reached)
            yield dict(zip(sweep.factors, reached, strict=True))


def _choose_direct_io(point: dict[str, Level], environment: Environment) -> None:
    """Replace ``where-possible`` by whether the target's file system allows direct transfers."""
    if point.get("direct_io") == "where-possible":
        point["direct_io"] = environment.direct_io


def refuse_unmatched(sweep: Sweep, site: Site, environment: Environment, operations: Sequence[tuple[str, ...]]) -> None:
    """Refuse what a sweep leaves out that is no case of its own, at full scale and whatever the site's limits.

    Parameters
    ----------
    sweep, site, environment : Sweep, Site, Environment
        As for `expand_grid`.
    operations : sequence of tuple of str
        The operations that each execution measures. A group that names one of several leaves nothing out.

    Raises
    ------
    DesignError
        If a group of ``leave_out`` matches none of the cases.
    """
    together = any(len(some) > 1 for some in operations)
    per_core = {
        factor for factor, levels in sweep.factors.items() if isinstance(levels, Doubling) and levels.last is None
    }
    groups = {
        number: group
        for number, group in enumerate(sweep.leave_out)
        if not (together and "operation" in group) and per_core.isdisjoint(group)
    }
    if not groups:
        return
    whole = sweep.model_copy(update={"leave_out": []})
    free = site.model_copy(update={"limits": site.limits.model_copy(update={"threads": None})})
    try:
        points = [(some, point) for some in operations for point in expand_grid(whole, free, environment)]
    except DesignError:
        # What does not fit at full scale may fit on this site.
        return
    for number, group in groups.items():
        if not any(is_left_out([group], some, point, direct_io=environment.direct_io) for some, point in points):
            named = ", ".join(f"{factor}: {level}" for factor, level in group.items())
            raise DesignError(f"leave_out[{number}]: no case has {named}, so nothing is left out; correct or remove it")


def _list_levels(factor: str, levels: list[Level] | Doubling, site: Site, environment: Environment) -> list[Level]:
    """Return the levels of a factor that a study lists, or that doubling gives on the site's cores."""
    if not isinstance(levels, Doubling):
        return [stored_level(factor, level) for level in levels]
    most = site.limits.threads if factor == "threads" else None
    return [*levels.levels(environment.count_cores(levels.physical), most)]


def _look_up(factor: str, lookup: Lookup, point: dict[str, Level]) -> Level:
    try:
        return stored_level(factor, lookup.level(point[lookup.by]))
    except DesignError as error:
        raise DesignError(f"factors.{factor}: {error}") from error


def _find_least(
    factor: str,
    share: Share,
    point: dict[str, Level],
    sweep: Sweep,
    site: Site,
    environment: Environment,
    operations: Sequence[str],
) -> int:
    """Return the total with which the fastest operation lasts as long as asked for; 0 without a probe.

    Each number of threads gets the same total, and so the same work. A total of bytes is the same for all operations of
    a sweep, since a read may read what a write has left; one of files follows from what the trial measures. Transfers
    that bypass the page cache and end by time repeat, and need no more.
    """
    is_bytes = FACTORS[factor].unit == "B"
    measured = sweep.operations if is_bytes or not operations else operations
    paces = [pace for operation, pace in environment.paces.items() if operation in measured]
    repeats = point.get("direct_io") is True and all(sweep.find_tool(tool).TRAITS.is_time_bound for tool in sweep.tools)
    if share.lasts is None or not paces or repeats:
        return 0
    total = share.lasts * max(paces)
    part = int(point["threads"])
    if is_bytes:
        total, part = min(total, site.limits.bytes), part * int(point.get("transfer_size", 1))
    return int(total // part) * part


def _share(factor: str, share: Share, point: dict[str, Level], site: Site, environment: Environment, least: int) -> int:
    if share.memory is not None and not environment.memory:
        raise DesignError(
            f"factors.{factor}.memory: config/sites/{site.site}.yaml does not state the memory of a client: "
            "set clients.memory there"
        )
    try:
        unit = str(FACTORS[factor].unit)
        times = int(point[share.times]) if share.times else 1
        level = share.level(int(point["threads"]), unit, environment.memory, site.clients.nodes, times, least)
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
