"""Name what makes a trial last long enough, with a computed size, duration or number of files."""

import math

from coldcache.core.units import show_bytes
from coldcache.core.vocabulary import METADATA_OPERATIONS
from coldcache.verdicts.observation import Observation, count_names, measured_seconds, moved_range

#: The next trial is to last longer than it must by this factor, as rates vary.
_MARGIN = 1.5

#: How many times as long a run must last whose rate was not steady.
_LONGER = 3

#: An interval that a tool prints as zero, in s.
_SHORTEST = 1e-3

#: The word of fio's command line by which a job ends with its time, whatever its size.
_BY_TIME = "--time_based"


def name_remedy(trial: Observation, operation: str, seconds: float, least: float) -> str | None:
    """Return what to change so that an operation lasts long enough; None for a log that was imported.

    Parameters
    ----------
    trial : Observation
        The trial.
    operation : str
        One of its operations.
    seconds : float
        How long that was measured.
    least : float
        How long it must be measured, in s.
    """
    times = _MARGIN * least / max(seconds, _SHORTEST)
    if trial.outcome.log:
        return None
    if trial.outcome.scale:
        return f"make limits.trial_seconds of the site {math.ceil(times)} times as long"
    if operation in METADATA_OPERATIONS:
        names = count_names(trial, operation)
        many = f"{_round_up(names * times):,.0f} files" if names else "more files"
        return f"set {many} in all in the study, and enough limits.layout_seconds in the site to create them"
    moved, size = moved_range(trial, operation), trial.outcome.factors.get("file_size")
    if moved is None and size and _BY_TIME not in trial.outcome.argv:
        return f"set file_size of the sweep to {show_bytes(_next_power(size * times))}"
    if moved is None or operation.startswith("random") or _BY_TIME in trial.outcome.argv:
        return f"set seconds of the sweep to {math.ceil(_MARGIN * least)} s"
    return f"measure with SIZE={show_bytes(_next_power(moved.most * times)).replace(' ', '')}"


def name_longer(trial: Observation, operation: str) -> str | None:
    """Return what to change so that an operation lasts several times as long, which shows whether its rate settles.

    None for a log that was imported, and for one that states no time.
    """
    seconds = measured_seconds(trial, operation)
    if trial.outcome.log or not seconds:
        return None
    if trial.outcome.scale:
        return f"make limits.trial_seconds of the site {_LONGER} times as long"
    if operation.startswith("random") or _BY_TIME in trial.outcome.argv:
        return f"measure with SECONDS={math.ceil(_LONGER * seconds)}"
    return name_remedy(trial, operation, seconds, _LONGER / _MARGIN * seconds)


def _next_power(size: float) -> int:
    """Return the next power of two."""
    return 2 ** math.ceil(math.log2(size))


def _round_up(number: float) -> float:
    """Return the next number of one digit and zeros."""
    power = 10 ** math.floor(math.log10(number))
    return math.ceil(number / power) * power
