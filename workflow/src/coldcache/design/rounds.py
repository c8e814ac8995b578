"""Which repetition of each case a round of a campaign has.

First come the rounds that are always measured. In those after them are the repetitions that a stop rule asks for, and
those of rounds that are measured again because the sentinel drifted in them.
"""

from typing import NamedTuple


class CaseRuns(NamedTuple):
    """How often a case runs.

    Attributes
    ----------
    part : str
        The part of a round to which it belongs.
    least : int
        Its repetitions that are always measured.
    most : int
        Those at most, where a stop rule decides.
    repeats : int
        How many of its rounds may be measured again.
    """

    part: str
    least: int
    most: int
    repeats: int = 0


def find_repetition(runs: CaseRuns, number: int, fixed: int) -> int | None:
    """Return which repetition of a case a round has; None if it has none.

    Parameters
    ----------
    runs : CaseRuns
        How often the case runs.
    number : int
        The round, from 0.
    fixed : int
        How many rounds of its study are always measured.
    """
    if number < runs.most:
        return number
    again = number - fixed
    return runs.least + again if 0 <= again < runs.repeats else None
