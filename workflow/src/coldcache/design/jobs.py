"""The jobs that a campaign submits to a scheduler: each measures a block, a part of one, or several."""

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.core.errors import DesignError
from coldcache.core.units import show_seconds
from coldcache.core.yaml_mistakes import name_place
from coldcache.design.blocks import Block
from coldcache.design.cases import Trial
from coldcache.design.site import Limits, Site

#: Seconds that a job may take besides its trials: to start, to check its nodes, and to end.
SPARE_SECONDS = 300


class Allocation(NamedTuple):
    """The blocks that one job measures.

    Attributes
    ----------
    name : str
        The name of its only block; or that of the first one and the number of others.
    nodes : int
        How many nodes it needs.
    blocks : tuple of Block
        Measured one after the other.
    """

    name: str
    nodes: int
    blocks: tuple[Block, ...]

    @property
    def seconds(self) -> float:
        """Estimate of how long its trials take."""
        return sum(_seconds(block) for block in self.blocks)


def arrange_allocations(blocks: Iterable[Block], site: Site) -> list[Allocation]:
    """Return the jobs that measure some blocks on a site.

    A block whose cases need different numbers of nodes is split by that number, and one that would exceed the site's
    longest job is split in the order of its trials. Parts with the same nodes and settings share a job while the sum
    of their estimates is at most ``limits.merged``.

    Raises
    ------
    DesignError
        If a single trial takes longer than the longest job.
    """
    parts = [part for block in blocks for one in _part_by_nodes(block) for part in _split(one, site.limits)]
    most = _most_merged(site.limits)
    groups: dict[tuple[int, Any], list[list[Block]]] = {}
    spent: dict[tuple[int, Any], float] = {}
    for part in parts:
        seconds, alike = _seconds(part), (most_nodes(part), _settings(part))
        group = groups.setdefault(alike, [])
        spent[alike] = spent.get(alike, 0.0) + seconds
        if not group or spent[alike] > most:
            group.append([])
            spent[alike] = seconds
        group[-1].append(part)
    found = [Allocation(_name(job), nodes, tuple(job)) for (nodes, _), jobs in groups.items() for job in jobs]
    place = {part.name: number for number, part in enumerate(parts)}
    return sorted(found, key=lambda allocation: place[allocation.blocks[0].name])


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
        yield Block(f"{block.name}.n{nodes}", tuple(trials))


def _split(block: Block, limits: Limits) -> Iterator[Block]:
    """Yield parts of a block that each fit into the longest job."""
    if limits.walltime is None:
        yield block
        return
    most = (limits.walltime - SPARE_SECONDS) / limits.margin
    pieces: list[list[Trial]] = [[]]
    spent = 0.0
    for trial in block.trials:
        if trial.case.seconds > most:
            raise DesignError(
                f"limits.walltime: a trial of {trial.case.key} takes about {show_seconds(trial.case.seconds)}, a job "
                f"of {show_seconds(limits.walltime)} holds no more than {show_seconds(max(0.0, most))} of trials: "
                "raise it, or lower limits.margin"
            )
        if spent + trial.case.seconds > most:
            pieces.append([])
            spent = 0.0
        pieces[-1].append(trial)
        spent += trial.case.seconds
    if len(pieces) == 1:
        yield block
        return
    digits = len(str(len(pieces)))
    for number, trials in enumerate(pieces, start=1):
        yield Block(f"{block.name}.{number:0{digits}}", tuple(trials))


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
    return max(trial.case.run.nodes for trial in block.trials)


def _settings(block: Block) -> tuple[tuple[str, str], ...]:
    own = next((trial.case for trial in block.trials if not trial.case.sentinel_every), None)
    return tuple((factor, str(kind)) for factor, kind in own.settings.items()) if own else ()
