"""Labels of simulated settings: whether a share of intervals that cover, or of false verdicts, is as stated.

The bounds are the project's own: 95 % intervals should cover the truth in 93.5 to 96.5 % of campaigns.
"""

import numpy as np

#: How far coverage may lie from the stated level.
TOLERANCE = 0.015

AS_STATED = "as stated"

#: Labels beyond the bounds. An interval that is too wide errs on the safe side.
TOO_NARROW, TOO_WIDE = "not to be trusted: too narrow", "not to be trusted: wider than stated"

#: The label of a setting in which most intervals are refused.
NONE_GIVEN = "no interval given"


def label_coverage(coverage: float, level: float = 0.95, given: float = 1.0, campaigns: int | None = None) -> str:
    """Return the label of a measured coverage.

    Parameters
    ----------
    coverage : float
        Share of the intervals given that cover.
    level : float
        What they state.
    given : float
        Share of cases that have an interval.
    campaigns : int, optional
        So few that two standard errors are allowed for.
    """
    if given < 0.5:
        return NONE_GIVEN
    error = 2 * np.sqrt(level * (1 - level) / campaigns) if campaigns else 0.0
    if round(abs(coverage - level), 4) <= TOLERANCE + error:
        return AS_STATED
    return TOO_NARROW if coverage < level else TOO_WIDE


def label_errors(share: float, campaigns: int, stated: float = 0.05) -> str:
    """Return the label of a share of false verdicts: at most two standard errors above the rate stated, or not."""
    allowed = 2 * np.sqrt(stated * (1 - stated) / campaigns)
    return AS_STATED if share <= stated + allowed else "not to be trusted"
