"""How often the sentinel of a study runs between its other trials."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple


class Runs(NamedTuple):
    """How often a case runs: always `least` times, and at most `most` times if a stop rule asks for it."""

    sweep: str
    least: int
    most: int


def count_sentinels(cases: Iterable[Runs], every: int, order: str) -> int:
    """Return how many trials the sentinel of a study has.

    Parameters
    ----------
    cases : iterable of Runs
        The other cases of the study that run on the site.
    every : int
        After how many of their trials it runs.
    order : {"rounds", "sweeps"}
        As for `coldcache.design.blocks.arrange_blocks`: with ``rounds`` it begins each round and ends the last one that
        no stop rule decides; with ``sweeps`` it begins and ends each sweep.
    """
    runs = list(cases)
    if order == "sweeps":
        sweeps = Counter[str]()
        for case in runs:
            sweeps[case.sweep] += case.most
        return sum(1 + _count_parts(count, every) for count in sweeps.values())
    rounds = range(max((case.least for case in runs), default=0))
    return bool(rounds) + sum(_count_parts(sum(number < case.most for case in runs), every) for number in rounds)


def _count_parts(count: int, every: int) -> int:
    return -(-count // every)
