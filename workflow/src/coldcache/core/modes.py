"""Two groups of the figures of one case: at either side of the widest gap between them."""

import math
from collections.abc import Sequence
from typing import NamedTuple


class ModeGroups(NamedTuple):
    """Two groups of figures, each ascending.

    Attributes
    ----------
    low, high : tuple of float
        The figures at either side of the gap.
    gap : float
        How many times the lowest of `high` is the highest of `low`.
    width : float
        How many times the highest of a group is its lowest, of the wider one.
    """

    low: tuple[float, ...]
    high: tuple[float, ...]
    gap: float
    width: float


def split_at_widest_gap(figures: Sequence[float]) -> ModeGroups | None:
    """Return the two groups of at least two figures above zero; None if there are fewer."""
    ordered = sorted(figure for figure in figures if figure > 0)
    if len(ordered) < 2:
        return None
    widest = max(range(1, len(ordered)), key=lambda place: math.log(ordered[place] / ordered[place - 1]))
    low, high = tuple(ordered[:widest]), tuple(ordered[widest:])
    return ModeGroups(low, high, high[0] / low[-1], max(low[-1] / low[0], high[-1] / high[0]))
