"""Refuse factors that a sweep's operations ignore or lack, and settings that do not fit their factors."""

from collections.abc import Mapping, Sequence
from typing import Any

from coldcache.core.errors import DesignError
from coldcache.core.vocabulary import (
    BODY_FACTORS,
    FACTORS,
    METADATA_FACTORS,
    METADATA_OPERATIONS,
    NAME_FACTORS,
    SET_FACTORS,
    SETTINGS,
    nearest,
)

_SET_FACTORS = ", ".join(SET_FACTORS)


def check_kind(
    operations: Sequence[str], factors: Mapping[str, Any], settings: Mapping[str, Any], *, is_own: bool
) -> None:
    """Refuse factors that are missing, or that the operations ignore, so that levels would be mere labels.

    Parameters
    ----------
    operations : sequence of str
        What the sweep measures.
    factors, settings : mapping
        As the sweep states them.
    is_own : bool
        Whether the sweep runs a command of the study's own, which needs no factor but the threads.

    Raises
    ------
    DesignError
        If a factor is missing or ignored, or operations on data and on names share a sweep.
    """
    names = [operation for operation in operations if operation in METADATA_OPERATIONS]
    read = next((operation for operation in operations if not operation.endswith("write")), None)
    if "writes_per_flush" in factors and read:
        raise DesignError(f"factors.writes_per_flush: {read} writes nothing; state operations that write")
    if names and len(names) < len(operations):
        moving = next(operation for operation in operations if operation not in names)
        raise DesignError(f"operations: {moving} moves data and {names[0]} does not; give each a sweep of its own")
    known = [name for name in FACTORS if name not in (*NAME_FACTORS, *BODY_FACTORS)]
    if names:
        # A block device has no files.
        put = [factor for factor in SET_FACTORS if settings.get(factor) not in (None, *SETTINGS)]
        known = [*METADATA_FACTORS, *put]
    own = ", ".join(name for name in known if name not in SET_FACTORS)
    for factor in factors:
        if factor not in known:
            raise DesignError(
                f"factors.{factor}: {operations[0]} has no such factor; known are {own}, and those of settings"
            )
    counted = [factor for factor in NAME_FACTORS[1:] if factor in factors]
    if names and counted and ("files" in factors or len(counted) == 1):
        raise DesignError(f"factors: state either files, or {' and '.join(NAME_FACTORS[1:])}")
    if is_own:
        return
    for factor in ("threads", *(counted or ["files"])) if names else ("threads", "transfer_size", "file_size"):
        if factor not in factors:
            raise DesignError(f"factors: {factor} is required")


def check_settings(settings: Mapping[str, Any], factors: Mapping[str, Any]) -> None:
    """Refuse settings for other factors, unknown levels, and levels that nothing puts in force.

    Parameters
    ----------
    settings, factors : mapping
        As the sweep states them.

    Raises
    ------
    DesignError
        If a setting does not fit its factor, or a factor that needs one has none.
    """
    for factor, given in settings.items():
        if factor not in factors:
            raise DesignError(f'settings: unknown factor "{factor}"; {nearest(factor, list(factors))}')
        if isinstance(given, str) and given in SETTINGS and SETTINGS[given].factor != factor:
            raise DesignError(f"settings.{factor}: {given} puts {SETTINGS[given].factor} in force, not {factor}")
        if factor not in SET_FACTORS:
            raise DesignError(f"settings.{factor}: the tools themselves put it in force; known are {_SET_FACTORS}")
        refuse_levels(factor, given, factors[factor])
    for factor in factors:
        if factor in SET_FACTORS and factor not in settings:
            name = next((name for name, setting in SETTINGS.items() if setting.factor == factor), "site")
            raise DesignError(
                f"factors.{factor}: nothing puts its levels in force; name the setting, as in "
                f"settings: {{{factor}: {name}}}"
            )


def refuse_levels(factor: str, given: Any, levels: Any) -> None:
    """Raise `DesignError` if a setting does not know one of the levels that are listed for its factor."""
    if not isinstance(levels, list):
        raise DesignError(f"factors.{factor}: list its levels, each of which is put in force")
    for level in levels:
        if isinstance(given, str) and given in SETTINGS and level not in SETTINGS[given].levels:
            raise DesignError(
                f'factors.{factor}: unknown level "{level}"; {nearest(str(level), SETTINGS[given].levels)}'
            )
        if not isinstance(given, str):
            try:
                given.refuse_level(level)
            except DesignError as error:
                raise DesignError(f"factors.{factor}: {error}") from error
