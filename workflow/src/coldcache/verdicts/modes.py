"""Tell whether the trials of one case have one typical figure, or two."""

import math
from collections.abc import Sequence

from coldcache.core.modes import split_at_widest_gap
from coldcache.core.units import show_rate
from coldcache.verdicts.thresholds import Thresholds

#: How many times wider than either group the gap between two groups is, in orders of magnitude: of six figures from one
#: lognormal distribution 1 % lie as far apart, of five 3 %.
_WIDER = 3

#: A single figure off the others is an outlier and no group.
_LEAST = 2


def describe_modes(figures: Sequence[float], unit: str, thresholds: Thresholds) -> str | None:
    """Return how many trials are at either side of the widest gap; None if they have one typical figure.

    They have two if the largest is more than `thresholds.modes` times the smallest, or if the gap between two groups of
    two trials or more is a factor of at least `thresholds.gap` and three times as wide as either group.

    Parameters
    ----------
    figures : sequence of float
        The figure of each trial of a case, in `unit`, above zero.
    unit : str
        ``B/s`` or ``1/s``.
    thresholds : Thresholds
        The site's.
    """
    groups = split_at_widest_gap(figures)
    if groups is None:
        return None
    is_far = groups.high[-1] > thresholds.modes * groups.low[0]
    is_apart = (
        min(len(groups.low), len(groups.high)) >= _LEAST
        and groups.gap >= thresholds.gap
        and math.log(groups.gap) > _WIDER * math.log(groups.width)
    )
    if not is_far and not is_apart:
        return None
    return " and ".join(
        f"{len(part)} near {show_rate(part[len(part) // 2], unit)}" for part in (groups.low, groups.high)
    )
