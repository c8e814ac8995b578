"""Where the trials of each study's sentinel lie between the others."""

from collections.abc import Iterable
from typing import NamedTuple

from coldcache.design.blocks import Block
from coldcache.design.cases import Trial


class SentinelWatch(NamedTuple):
    """The trials of a study's sentinel in the order of the campaign.

    Attributes
    ----------
    trials : list of Trial
        Those of rounds that are always measured.
    stretches : list of list of Trial
        After each of these, the trials of other cases until the next one.
    blocks : list of str
        For each of these, the name of its block.
    again : dict of int to int
        Of those beyond: in which of the rounds that are measured again each runs, from 0, by its repetition.
    """

    trials: list[Trial]
    stretches: list[list[Trial]]
    blocks: list[str]
    again: dict[int, int]


def find_watches(blocks: Iterable[Block]) -> dict[str, SentinelWatch]:
    """Return where the sentinel of each study runs, by study."""
    found: dict[str, SentinelWatch] = {}
    waiting: dict[str, list[int]] = {}
    rounds: dict[str, int] = {}
    for name, trial in ((block.name, trial) for block in blocks for trial in block.trials):
        case, study = trial.case, trial.case.study
        is_fixed = trial.repetition < case.repetitions
        if case.sentinel_every:
            watch = found.setdefault(study, SentinelWatch([], [], [], {}))
            if is_fixed:
                watch.trials.append(trial)
                watch.stretches.append([])
                watch.blocks.append(name)
            else:
                waiting.setdefault(study, []).append(trial.repetition)
        elif study in found and is_fixed:
            found[study].stretches[-1].append(trial)
        elif study in found and case.until is None:
            rounds[study] = trial.repetition - case.repetitions
            found[study].again.update(dict.fromkeys(waiting.pop(study, []), rounds[study]))
    for study, last in waiting.items():
        found[study].again.update(dict.fromkeys(last, rounds.get(study, 0)))
    return found
