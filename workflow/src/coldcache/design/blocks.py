"""Arrange the trials of a plan in blocks, each in the order in which one runner executes them."""

import itertools
import random
from collections.abc import Iterator
from typing import NamedTuple

from coldcache.core.vocabulary import FACTORS
from coldcache.design.cases import Case, Trial
from coldcache.design.levels import Level


class Block(NamedTuple):
    """Trials of one sweep, in the order in which they run, with those of the sentinel between them.

    Attributes
    ----------
    name : str
        ``study.sweep``.
    trials : tuple of Trial
        All trials of the sweep, or those of one round.
    round : int
        The round of the campaign, from 1; 0 if the block has all rounds.
    """

    name: str
    trials: tuple[Trial, ...]
    round: int = 0


def arrange_blocks(cases: list[Case], seed: int, order: str = "sweeps") -> list[Block]:
    """Return the cases' trials in blocks, in the order in which they are measured.

    Parameters
    ----------
    cases : list of Case
        Those that run, of all studies.
    seed : int
        Every random order is drawn from it.
    order : {"rounds", "sweeps"}
        With ``rounds`` each round visits every case of every sweep once, and the next one begins when it is done; a
        block is a sweep's part of a round. A campaign of a single sweep has one block. With ``sweeps``, as in
        campaigns of earlier versions, a block has all rounds of a sweep. Either way the levels that are compared share
        the drift of the system, and a round pairs them.
    """
    others = [case for case in cases if not case.sentinel_every]
    sentinels = {case.study: case for case in cases if case.sentinel_every}
    if order == "sweeps":
        return _arrange_sweeps(others, sentinels, seed)
    blocks = list(_arrange_rounds(others, sentinels, seed))
    if len({block.name for block in blocks}) == 1:
        return [Block(blocks[0].name, tuple(trial for block in blocks for trial in block.trials))]
    return blocks


def _arrange_rounds(others: list[Case], sentinels: dict[str, Case], seed: int) -> Iterator[Block]:
    """Yield the part of each sweep in each round: studies, their sweeps, and the cases of these in random order."""
    numbers = {study: itertools.count() for study in sentinels}
    fixed = {study: max(case.repetitions for case in others if case.study == study) for study in sentinels}
    for number in range(max((case.most for case in others), default=0)):
        order = random.Random(f"{seed}/round/{number}")
        turn: dict[str, dict[str, list[Case]]] = {}
        for case in others:
            if number < case.most:
                turn.setdefault(case.study, {}).setdefault(case.sweep, []).append(case)
        for study in order.sample(list(turn), len(turn)):
            sweeps = [turn[study][sweep] for sweep in order.sample(list(turn[study]), len(turn[study]))]
            trials = [Trial(case, number) for members in sweeps for case in _shuffle(members, order)]
            # Rounds that only a stop rule asks for have no sentinel, which would run even if they do not.
            if study in sentinels and number < fixed[study]:
                is_last = number == fixed[study] - 1
                trials = list(_watch_round(trials, sentinels[study], numbers[study], is_last))
            yield from _part_by_sweeps(trials, number + 1)


def _shuffle(members: list[Case], order: random.Random) -> Iterator[Case]:
    """Yield the cases of a sweep for one round.

    Slow settings change least often. Cases that differ only in names, such as the operation or a setting, are compared
    with each other and run one after the other. Removals come last: files that are created in inodes which were just
    freed are created at another pace.
    """
    slow: dict[tuple[Level, ...], dict[tuple[bool, tuple[Level, ...]], list[Case]]] = {}
    for case in order.sample(members, len(members)):
        alike = (case.operations[0].endswith("-remove"), _numbers(case))
        slow.setdefault(_slow_levels(case), {}).setdefault(alike, []).append(case)
    for groups in slow.values():
        for _, cases in sorted(groups.items(), key=lambda group: group[0][0]):
            yield from cases


def _numbers(case: Case) -> tuple[Level, ...]:
    """Return the levels of a case that are numbers."""
    return tuple(level for factor, level in sorted(case.factors.items()) if FACTORS[factor].unit)


def _watch_round(trials: list[Trial], sentinel: Case, numbers: Iterator[int], is_last: bool) -> Iterator[Trial]:
    """Yield a study's trials of a round, with sentinel trials before the first and at regular intervals."""
    for start in range(0, len(trials), sentinel.sentinel_every):
        yield Trial(sentinel, next(numbers))
        yield from trials[start : start + sentinel.sentinel_every]
    if is_last:
        yield Trial(sentinel, next(numbers))


def _part_by_sweeps(trials: list[Trial], number: int) -> Iterator[Block]:
    """Yield the blocks of a round; a sentinel's trial belongs to the block before it, the first one to the first."""
    parts: dict[str, list[Trial]] = {}
    for trial in trials:
        name = f"{trial.case.study}.{trial.case.sweep}"
        if trial.case.sentinel_every:
            name = next(reversed(parts), "")
        elif "" in parts:
            parts = {name: parts[""]}
        parts.setdefault(name, []).append(trial)
    for name, part in parts.items():
        yield Block(name, tuple(part), number)


def _arrange_sweeps(others: list[Case], sentinel: dict[str, Case], seed: int) -> list[Block]:
    """Return one block per sweep, with all of its rounds."""
    blocks = []
    sentinels = {study: itertools.count() for study in sentinel}
    for (study, sweep), group in itertools.groupby(others, key=lambda case: (case.study, case.sweep)):
        members = list(group)
        slow = {id(case): _slow_levels(case) for case in members}
        order = random.Random(f"{seed}/{study}/{sweep}")
        trials: list[Trial] = []
        for repetition in range(max(case.most for case in members)):
            turn = [Trial(case, repetition) for case in members if repetition < case.most]
            order.shuffle(turn)
            # A slow setting changes once per level and round, in the random order of its levels.
            drawn: dict[tuple[Level, ...], list[Trial]] = {}
            for trial in turn:
                drawn.setdefault(slow[id(trial.case)], []).append(trial)
            trials += itertools.chain.from_iterable(drawn.values())
        if study in sentinel:
            trials = list(_watch(trials, sentinel[study], sentinels[study]))
        blocks.append(Block(f"{study}.{sweep}", tuple(trials)))
    return blocks


def _watch(trials: list[Trial], sentinel: Case, numbers: Iterator[int]) -> Iterator[Trial]:
    """Yield a block's trials, with sentinel trials before the first, at regular intervals, and after the last."""
    yield Trial(sentinel, next(numbers))
    for start in range(0, len(trials), sentinel.sentinel_every):
        yield from trials[start : start + sentinel.sentinel_every]
        yield Trial(sentinel, next(numbers))


def _slow_levels(case: Case) -> tuple[Level, ...]:
    slow = [factor for factor, kind in case.settings.items() if not isinstance(kind, str) and kind.slow]
    return tuple(case.factors[factor] for factor in slow)
