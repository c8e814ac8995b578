"""Arrange the trials of a plan in blocks, each in the order in which one runner executes them."""

import itertools
import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from coldcache.core.vocabulary import FACTORS
from coldcache.design.cases import Case, Trial
from coldcache.design.companions import find_parts
from coldcache.design.levels import Level
from coldcache.design.rounds import CaseRuns, find_repetition

#: The factors that decide which files lie on the target when a trial starts.
_OF_FILES = ("threads", "file_size", "files", "nodes")


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
        block is a sweep's part of a round, or a piece of that between trials of a sweep that it is compared with. A
        campaign of a single sweep has one block. With ``sweeps``, as in
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
    """Yield the blocks of each round: studies, the parts of these, and the cases of each part in random order."""
    parts = find_parts(others)
    fixed: dict[str, int] = {}
    again: dict[str, int] = {}
    for case in others:
        fixed[case.study] = max(fixed.get(case.study, 0), case.repetitions)
        again[case.study] = max(again.get(case.study, 0), case.repeats)
    runs = [
        (case, CaseRuns("", case.repetitions, case.longest, case.repeats), _slow_levels(case), _place(case))
        for case in others
    ]
    numbers = {study: itertools.count() for study in sentinels}
    for number in range(max((max(case.longest, fixed[case.study] + case.repeats) for case in others), default=0)):
        order = random.Random(f"{seed}/round/{number}")
        turn: dict[str, dict[str, list[_Member]]] = {}
        for case, own, slow, place in runs:
            if (repetition := find_repetition(own, number, fixed[case.study])) is not None:
                part = parts[case.study, case.sweep]
                turn.setdefault(case.study, {}).setdefault(part, []).append(
                    _Member(Trial(case, repetition), slow, place)
                )
        for study in order.sample(list(turn), len(turn)):
            trials = [
                list(_shuffle(turn[study][part], order)) for part in order.sample(list(turn[study]), len(turn[study]))
            ]
            # Rounds that only a stop rule asks for have no sentinel, which would run even if they do not.
            if study in sentinels and number < fixed[study] + again[study]:
                trials = [list(_watch(part, sentinels[study], numbers[study])) for part in trials]
                if number >= fixed[study] - 1:
                    trials[-1].append(Trial(sentinels[study], next(numbers[study])))
            yield from _part_by_sweeps(itertools.chain(*trials), number + 1)


def _shuffle(members: list["_Member"], order: random.Random) -> Iterator[Trial]:
    """Yield the trials of a part of a round.

    Levels of slow settings change least often, then those that decide which files lie there: threads and their sizes.
    Of cases with the same numbers, such as of bytes per transfer, the operations run one after the other, and of each
    operation the levels that are compared with each other: of settings, and names such as a layout. Reads come after
    the writes that leave their files, and removals last: files that are created in inodes which were just freed are
    created at another pace.
    """
    groups: dict[tuple[Level, ...], dict[_Place, list[Trial]]] = {}
    for trial, slow_levels, place in order.sample(members, len(members)):
        groups.setdefault(slow_levels, {}).setdefault(place, []).append(trial)
    for slow in groups.values():
        yield from itertools.chain.from_iterable(slow[place] for place in _order_places(list(slow)))


class _Place(NamedTuple):
    """What the trials of a part have in common that run one after the other."""

    is_removal: bool
    files: tuple[Level | None, ...]
    numbers: tuple[Level, ...]
    operations: tuple[str, ...]


class _Member(NamedTuple):
    """A trial of a part, with what decides its turn."""

    trial: Trial
    slow_levels: tuple[Level, ...]
    place: _Place


def _place(case: Case) -> _Place:
    numbers = tuple(
        level for factor, level in sorted(case.factors.items()) if FACTORS[factor].unit and factor not in case.settings
    )
    files = tuple(case.factors.get(factor) for factor in _OF_FILES)
    return _Place(case.operations[0].endswith("-remove"), files, numbers, case.operations)


def _order_places(places: list[_Place]) -> list[_Place]:
    """Return distinct places in the order in which they are met, those of the same files and numbers together."""
    first: dict[tuple[object, ...], int] = {}
    turns = []
    for number, place in enumerate(places):
        same_files, same_numbers = (first.setdefault(place[:length], number) for length in (2, 3))
        turns.append((place.is_removal, same_files, same_numbers, place.operations[0].endswith("read"), number))
    return [places[turn[-1]] for turn in sorted(turns)]


def _part_by_sweeps(trials: Iterable[Trial], number: int) -> Iterator[Block]:
    """Yield the blocks of a round: successive trials of a sweep; a sentinel's belongs to the next block, if any."""
    found: list[tuple[str, list[Trial]]] = []
    waiting: list[Trial] = []
    for trial in trials:
        waiting.append(trial)
        if trial.case.sentinel_every:
            continue
        name = f"{trial.case.study}.{trial.case.sweep}"
        if not found or found[-1][0] != name:
            found.append((name, []))
        found[-1][1].extend(waiting)
        waiting = []
    for name, part in found:
        yield Block(name, tuple([*part, *waiting] if part is found[-1][1] else part), number)


def _arrange_sweeps(others: list[Case], sentinel: dict[str, Case], seed: int) -> list[Block]:
    """Return one block per sweep, with all of its rounds."""
    blocks = []
    sentinels = {study: itertools.count() for study in sentinel}
    for (study, sweep), group in itertools.groupby(others, key=lambda case: (case.study, case.sweep)):
        members = list(group)
        slow = {case.name: _slow_levels(case) for case in members}
        order = random.Random(f"{seed}/{study}/{sweep}")
        trials: list[Trial] = []
        for repetition in range(max(case.most for case in members)):
            turn = [Trial(case, repetition) for case in members if repetition < case.most]
            order.shuffle(turn)
            # A slow setting changes once per level and round, in the random order of its levels.
            drawn: dict[tuple[Level, ...], list[Trial]] = {}
            for trial in turn:
                drawn.setdefault(slow[trial.case.name], []).append(trial)
            trials += itertools.chain.from_iterable(drawn.values())
        if study in sentinel:
            trials = list(_watch(trials, sentinel[study], sentinels[study]))
            trials.append(Trial(sentinel[study], next(sentinels[study])))
        blocks.append(Block(f"{study}.{sweep}", tuple(trials)))
    return blocks


def _watch(trials: list[Trial], sentinel: Case, numbers: Iterator[int]) -> Iterator[Trial]:
    """Yield trials with sentinel trials before the first and at regular intervals."""
    for start in range(0, len(trials), sentinel.sentinel_every):
        yield Trial(sentinel, next(numbers))
        yield from trials[start : start + sentinel.sentinel_every]


def _slow_levels(case: Case) -> tuple[Level, ...]:
    slow = [factor for factor, kind in case.settings.items() if not isinstance(kind, str) and kind.slow]
    return tuple(case.factors[factor] for factor in slow)
