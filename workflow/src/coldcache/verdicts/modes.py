"""Tell whether the trials of one case have one typical figure, or two."""

import math
from collections.abc import Sequence

from coldcache.core.units import show_rate


def describe_modes(figures: Sequence[float], unit: str, most: float) -> str | None:
    """Return how many trials are at either side of the widest gap; None if they lie close enough together.

    Parameters
    ----------
    figures : sequence of float
        The figure of each trial of a case, in `unit`, above zero.
    unit : str
        ``B/s`` or ``1/s``.
    most : float
        How many times higher the largest may be than the smallest.
    """
    if len(figures) < 2 or max(figures) <= most * min(figures):
        return None
    ordered = sorted(figures)
    widest = max(range(1, len(ordered)), key=lambda place: math.log(ordered[place] / ordered[place - 1]))
    low, high = ordered[:widest], ordered[widest:]
    return " and ".join(f"{len(part)} near {show_rate(part[len(part) // 2], unit)}" for part in (low, high))
