"""How often the sentinel of a study runs between its other trials."""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from coldcache.design.rounds import CaseRuns, find_repetition


class SentinelRuns(NamedTuple):
    """How many trials the sentinel of a study has: in rounds that are always measured, and in those measured again."""

    fixed: int
    again: int = 0


def count_sentinels(cases: Iterable[CaseRuns], every: int, order: str) -> SentinelRuns:
    """Return how many trials the sentinel of a study has.

    Parameters
    ----------
    cases : iterable of CaseRuns
        The other cases of the study that run on the site.
    every : int
        After how many of their trials it runs within a part.
    order : {"rounds", "sweeps"}
        As for `coldcache.design.blocks.arrange_blocks`. With ``rounds`` it begins each part of each round that no stop
        rule decides, and ends the last of these rounds and each that is measured again; with ``sweeps`` it begins and
        ends each sweep.
    """
    runs = list(cases)
    if order == "sweeps":
        sweeps = Counter[str]()
        for case in runs:
            sweeps[case.part] += case.most
        return SentinelRuns(sum(1 + _count_stretches(count, every) for count in sweeps.values()))
    fixed = max((case.least for case in runs), default=0)
    again = max((case.repeats for case in runs), default=0)
    each = [_count_in_round(runs, number, fixed, every) for number in range(fixed + again)]
    return SentinelRuns(bool(fixed) + sum(each[:fixed]), again + sum(each[fixed:]))


def _count_in_round(runs: list[CaseRuns], number: int, fixed: int, every: int) -> int:
    parts = Counter(case.part for case in runs if find_repetition(case, number, fixed) is not None)
    return sum(_count_stretches(count, every) for count in parts.values())


def _count_stretches(count: int, every: int) -> int:
    return -(-count // every)
