"""The cases that a sweep leaves out of its grid, by their operation and levels."""

from collections.abc import Mapping, Sequence
from typing import Any

from coldcache.core.errors import DesignError
from coldcache.core.vocabulary import nearest
from coldcache.design.levels import Level, check_levels, stored_level

_OPERATION = "operation"


def check_left_out(
    left_out: Sequence[Mapping[str, Level]], operations: Sequence[str], factors: Mapping[str, Any]
) -> None:
    """Check what a sweep leaves out.

    Parameters
    ----------
    left_out : sequence of mapping of str to Level
        One mapping per group of cases: the level of each factor that its cases share, and their ``operation``.
    operations : sequence of str
        Those of the sweep.
    factors : mapping of str
        The levels of the sweep, by factor.

    Raises
    ------
    DesignError
        If a factor, a level or an operation is none of the sweep's.
    """
    for number, group in enumerate(left_out):
        place = f"leave_out[{number}]"
        if not group:
            raise DesignError(f"{place}: names no level, so it would leave out every case")
        for factor, level in group.items():
            if factor == _OPERATION:
                if level not in operations:
                    raise DesignError(f'{place}.operation: unknown "{level}"; {nearest(str(level), list(operations))}')
                continue
            if factor not in factors:
                raise DesignError(f'{place}: unknown factor "{factor}"; {nearest(factor, [_OPERATION, *factors])}')
            try:
                check_levels(factor, [level])
            except DesignError as error:
                raise DesignError(f"{place}.{factor}: {error}") from error
            listed = factors[factor]
            if isinstance(listed, list) and stored_level(factor, level) not in [
                stored_level(factor, one) for one in listed
            ]:
                raise DesignError(f'{place}.{factor}: "{level}" is none of its levels, {", ".join(map(str, listed))}')


def is_left_out(
    left_out: Sequence[Mapping[str, Level]],
    operations: Sequence[str],
    point: Mapping[str, Level],
    *,
    direct_io: bool = False,
) -> bool:
    """Return whether a sweep leaves a case out.

    Parameters
    ----------
    left_out : sequence of mapping of str to Level
        As for `check_left_out`, which has accepted it.
    operations : sequence of str
        What one trial of the case measures. Where a tool measures several in one execution, a group that names one of
        them leaves nothing out.
    point : mapping of str to Level
        The case's level of each factor, in stored units.
    direct_io : bool
        What ``where-possible`` stands for: whether the target's file system takes O_DIRECT.
    """

    def has(factor: str, level: Level) -> bool:
        if factor == _OPERATION:
            return list(operations) == [level]
        return point[factor] == (direct_io if level == "where-possible" else stored_level(factor, level))

    return any(all(has(factor, level) for factor, level in group.items()) for group in left_out)
