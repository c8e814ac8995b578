"""Arrange the trials of a plan in blocks, each in the order in which one runner executes them."""

import itertools
import random
from collections.abc import Iterator
from typing import NamedTuple

from coldcache.design.cases import Case, Trial
from coldcache.design.levels import Level


class Block(NamedTuple):
    """The trials that share an allocation, in the order in which they run."""

    name: str
    trials: tuple[Trial, ...]


def arrange_blocks(cases: list[Case], seed: int) -> list[Block]:
    """Return the cases' trials in blocks, one per sweep.

    Within a block the trials run in rounds: each round has one trial of every case, in a random order drawn from
    `seed`. So the levels that are compared share the drift of the system, and a round pairs them. A sentinel has no
    block of its own: it runs between the trials of every block of its study.
    """
    blocks = []
    sentinels = {case.study: itertools.count() for case in cases if case.sentinel_every}
    sentinel = {case.study: case for case in cases if case.sentinel_every}
    others = [case for case in cases if not case.sentinel_every]
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
