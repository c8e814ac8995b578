"""Names of cases, which are also the names of their folders."""

from collections.abc import Mapping
from functools import lru_cache

from coldcache.core.errors import DesignError
from coldcache.design.levels import Level

#: Name of the only case of a sweep in which nothing varies.
ONLY = "only"


def name_case(levels: Mapping[str, Level]) -> str:
    """Return the name of a case and its folder, from the levels in which it differs from others of its sweep.

    Raises
    ------
    DesignError
        If a level cannot be part of a folder's name.
    """
    return ",".join(f"{factor}={_path_safe(level)}" for factor, level in levels.items()) or ONLY


def name_trial(case: str) -> str:
    """Return what a message calls a trial of a case: without the name of the only case, which says nothing."""
    return "a trial" if case == ONLY else f"a trial of {case}"


@lru_cache(maxsize=1024, typed=True)
def _path_safe(level: Level) -> str:
    text = str(level).lower() if isinstance(level, bool) else str(level)
    if not all(letter.isalnum() or letter in "+-_." for letter in text) or text.startswith("."):
        raise DesignError(f'level "{text}" cannot be part of a folder\'s name')
    return text
