"""The jobs that a campaign submits to a scheduler: each measures a block, a part of one, or several."""

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import Any

from coldcache.core.errors import DesignError
from coldcache.core.units import show_seconds
from coldcache.core.yaml_mistakes import name_place
from coldcache.design.blocks import Block
from coldcache.design.cases import Trial
from coldcache.design.site import Limits, Site

#: Seconds that a job may take besides its trials: to start, to check its nodes, and to end.
SPARE_SECONDS = 300

#: The nodes of a trial.
_nodes_of = attrgetter("case.run.nodes")


@dataclass(frozen=True)
class Allocation:
    """The blocks that one job measures.

    Attributes
    ----------
    name : str
        The rounds that it measures; or the name of its only block, or that of the first one and the number of others.
    nodes : int
        How many nodes it needs.
    blocks : tuple of Block
        Measured one after the other.
    """

    name: str
    nodes: int
    blocks: tuple[Block, ...]

    @cached_property
    def seconds(self) -> float:
        """Estimate of how long its trials take."""
        return sum(_seconds(block) for block in self.blocks)

    @property
    def is_conditional(self) -> bool:
        """Whether a stop rule decides on trials of its first round, once those of earlier rounds are done."""
        first = self.blocks[0]
        return first.round > 1 and any(trial.repetition >= trial.case.repetitions for trial in first.trials)


def arrange_allocations(blocks: Iterable[Block], site: Site) -> list[Allocation]:
    """Return the jobs that measure some blocks on a site.

    On this machine one job has all rounds of a campaign. A scheduler gets one job per round and number of nodes; one
    that would exceed the site's longest job is split in the order of its trials. Successive jobs of as many nodes
    become one while the sum of their estimates is at most ``limits.merged``. Blocks that have all rounds of a sweep
    are jobs of their own, and share one only with blocks of the same settings.

    Raises
    ------
    DesignError
        If a single trial takes longer than the longest job.
    """
    blocks = list(blocks)
    if any(block.round for block in blocks):
        return _arrange_rounds(blocks, site)
    parts = [part for block in blocks for one in _part_by_nodes(block) for part in _split(one, site.limits)]
    most = _most_merged(site.limits)
    groups: dict[tuple[int, Any], list[list[Block]]] = {}
    spent: dict[tuple[int, Any], float] = {}
    for part, seconds in parts:
        alike = (most_nodes(part), _settings(part))
        group = groups.setdefault(alike, [])
        spent[alike] = spent.get(alike, 0.0) + seconds
        if not group or spent[alike] > most:
            group.append([])
            spent[alike] = seconds
        group[-1].append(part)
    found = [Allocation(_name(job), nodes, tuple(job)) for (nodes, _), jobs in groups.items() for job in jobs]
    place = {part.name: number for number, (part, _) in enumerate(parts)}
    return sorted(found, key=lambda allocation: place[allocation.blocks[0].name])


def find_allocation(allocations: Iterable[Allocation], blocks: Iterable[Block], name: str) -> Allocation | None:
    """Return the job with a name; that of a sweep, ``study.sweep``, has its part of every round."""
    return next((job for job in [*allocations, *gather_sweeps(blocks)] if job.name == name), None)


def fill_allocations(allocations: Iterable[Allocation], blocks: Iterable[Block]) -> Iterator[Allocation]:
    """Yield jobs with the trials of other blocks in place of their own: those of the same keys, in the order of these.

    Parameters
    ----------
    allocations : iterable of Allocation
        The jobs of a design.
    blocks : iterable of Block
        Those of a design with other sizes. A trial that no job has goes to the last one.
    """
    jobs = list(allocations)
    job_of = {trial.key: number for number, job in enumerate(jobs) for block in job.blocks for trial in block.trials}
    found: list[list[Block]] = [[] for _ in jobs]
    last = len(jobs) - 1
    for block in blocks:
        parts: dict[int, list[Trial]] = {}
        for trial in block.trials:
            parts.setdefault(job_of.get(trial.key, last), []).append(trial)
        for number, trials in parts.items():
            found[number].append(block._replace(trials=tuple(trials)))
    for job, own in zip(jobs, found, strict=True):
        if own:
            yield replace(job, blocks=tuple(own))


def gather_sweeps(blocks: Iterable[Block]) -> list[Allocation]:
    """Return a job for each sweep that has its part of every round; asked for by name, it measures that sweep alone."""
    sweeps: dict[str, list[Block]] = {}
    for block in blocks:
        sweeps.setdefault(block.name, []).append(block)
    return [Allocation(name, max(map(most_nodes, own)), tuple(own)) for name, own in sweeps.items()]


def _arrange_rounds(blocks: list[Block], site: Site) -> list[Allocation]:
    """Return the jobs of blocks that each have one round of a sweep, in the order of the rounds."""
    is_local = site.clients.launcher == "local"
    rounds: dict[tuple[int, int], list[Block]] = {}
    for block in blocks:
        for part in [block] if is_local else _part_by_nodes(block):
            rounds.setdefault((part.round, most_nodes(part)), []).append(part._replace(name=block.name))
    nodes_of = {nodes for _, nodes in rounds}
    most = float("inf") if is_local and site.limits.walltime is None else _most_merged(site.limits)
    jobs: dict[int, list[list[Block]]] = {}
    # The seconds of each last job.
    spent: dict[int, float] = {}
    for (_, nodes), parts in rounds.items():
        key = 0 if is_local else nodes
        own = jobs.setdefault(key, [])
        for piece in _split_round(parts, site.limits):
            parts_of, seconds = [part for part, _ in piece], [seconds for _, seconds in piece]
            together = sum(seconds, spent.get(key, 0.0))
            if own and together <= most:
                own[-1] += parts_of
                spent[key] = together
            else:
                own.append(parts_of)
                spent[key] = sum(seconds)
    found = [job for own in jobs.values() for job in own]
    found.sort(key=lambda job: (job[0].round, job[-1].round))
    width = len(str(max(block.round for block in blocks)))
    names = [_name_rounds(job, width) + (f".n{most_nodes(job[0])}" if len(nodes_of) > 1 and not is_local else "")
             for job in found]  # fmt: skip
    numbers = [f".{names[:index].count(name) + 1}" if names.count(name) > 1 else "" for index, name in enumerate(names)]
    return [
        Allocation(name + number, max(map(most_nodes, job)), tuple(job))
        for name, number, job in zip(names, numbers, found, strict=True)
    ]


def _split_round(blocks: list[Block], limits: Limits) -> Iterator[list[tuple[Block, float]]]:
    """Yield a round's blocks, with the estimate of each in s, in pieces that each fit into the longest job."""
    most = float("inf") if limits.walltime is None else (limits.walltime - SPARE_SECONDS) / limits.margin
    piece: list[tuple[Block, float]] = []
    spent = 0.0
    for block in blocks:
        for part, seconds in _split(block, limits):
            if piece and spent + seconds > most:
                yield piece
                piece, spent = [], 0.0
            piece.append((part._replace(name=block.name), seconds))
            spent += seconds
    yield piece


def _name_rounds(job: list[Block], width: int) -> str:
    first, last = (f"{job[index].round:0{width}}" for index in (0, -1))
    return f"round-{first}" if first == last else f"rounds-{first}-to-{last}"


def walltime(allocation: Allocation, limits: Limits) -> float:
    """Return how long a job may take, in s: its estimate times the site's margin, plus five minutes."""
    return limits.margin * allocation.seconds + SPARE_SECONDS


def node_hours(allocations: Iterable[Allocation]) -> float:
    """Return the estimated cost of the jobs in node-hours."""
    return sum(allocation.nodes * allocation.seconds for allocation in allocations) / 3600


def refuse_hours(allocations: Iterable[Allocation], site: Site) -> None:
    """Raise `DesignError` if the jobs take more than the site allows a campaign."""
    hours, most = node_hours(allocations), site.limits.max_node_hours
    if most is not None and hours > most:
        message = (
            f"limits.max_node_hours: the plan takes {hours:,.3g} node-hours, {most:,.3g} are allowed; lower "
            "repetitions or levels, or raise it"
        )
        raise DesignError(name_place(Path(f"config/sites/{site.site}.yaml"), message))


def _part_by_nodes(block: Block) -> Iterator[Block]:
    groups: dict[int, list[Trial]] = {}
    for trial in block.trials:
        nodes = trial.case.run.nodes if "nodes" in trial.case.factors else 0
        groups.setdefault(nodes, []).append(trial)
    if len(groups) == 1:
        yield block
        return
    for nodes, trials in groups.items():
        yield Block(f"{block.name}.n{nodes}", tuple(trials), block.round)


def _split(block: Block, limits: Limits) -> Iterator[tuple[Block, float]]:
    """Yield parts of a block that each fit into the longest job, with the estimate of each in s."""
    times = [trial.case.seconds for trial in block.trials]
    if limits.walltime is None:
        yield block, math.fsum(times)
        return
    most = (limits.walltime - SPARE_SECONDS) / limits.margin
    ends = [0]
    spent = 0.0
    for number, seconds in enumerate(times):
        if seconds > most:
            raise DesignError(
                f"limits.walltime: a trial of {block.trials[number].case.key} takes about {show_seconds(seconds)}, a "
                f"job of {show_seconds(limits.walltime)} holds no more than {show_seconds(max(0.0, most))} of trials: "
                "raise it, or lower limits.margin"
            )
        if spent + seconds > most:
            ends.append(number)
            spent = 0.0
        spent += seconds
    ends.append(len(times))
    if len(ends) == 2:
        yield block, math.fsum(times)
        return
    digits = len(str(len(ends) - 1))
    for number, (start, end) in enumerate(itertools.pairwise(ends), start=1):
        part = Block(f"{block.name}.{number:0{digits}}", block.trials[start:end], block.round)
        yield part, math.fsum(times[start:end])


def _most_merged(limits: Limits) -> float:
    if limits.walltime is None:
        return limits.merged
    return min(limits.merged, (limits.walltime - SPARE_SECONDS) / limits.margin)


def _name(blocks: list[Block]) -> str:
    return blocks[0].name if len(blocks) == 1 else f"{blocks[0].name}.and-{len(blocks) - 1}-more"


def _seconds(block: Block) -> float:
    # Not sum(): the same trials must give exactly the same total in any order.
    return math.fsum(trial.case.seconds for trial in block.trials)


def most_nodes(block: Block) -> int:
    """Return how many nodes a block needs."""
    return max(map(_nodes_of, block.trials))


def _settings(block: Block) -> tuple[tuple[str, str], ...]:
    own = next((trial.case for trial in block.trials if not trial.case.sentinel_every), None)
    return tuple((factor, str(kind)) for factor, kind in own.settings.items()) if own else ()
