"""Sweeps whose trials are compared with each other, such as two layouts of files, and so run side by side."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, Protocol


class _Case(Protocol):
    """The fields of a case by which its companions are found."""

    @property
    def study(self) -> str: ...
    @property
    def sweep(self) -> str: ...
    @property
    def tool(self) -> str: ...
    @property
    def operations(self) -> tuple[str, ...]: ...
    @property
    def factors(self) -> Mapping[str, Any]: ...
    @property
    def settings(self) -> Mapping[str, Any]: ...


class _Kind(NamedTuple):
    """What companions have in common."""

    study: str
    tool: str
    operations: frozenset[str]
    factors: frozenset[str]


def find_parts(cases: Iterable[_Case]) -> dict[tuple[str, str], str]:
    """Return the part of a round to which each sweep belongs, by study and sweep: the name of its first sweep.

    Sweeps of one study share a part if they have the same tool, operations and factors, put nothing in force, and
    each has one layout of files.
    """
    sweeps: dict[tuple[str, str], list[_Case]] = {}
    for case in cases:
        sweeps.setdefault((case.study, case.sweep), []).append(case)
    parts: dict[tuple[str, str], str] = {}
    firsts: dict[_Kind, str] = {}
    for (study, sweep), members in sweeps.items():
        layouts = {case.factors.get("file_layout") for case in members}
        is_alone = len(layouts) > 1 or None in layouts or any(case.settings for case in members)
        operations = frozenset(name for case in members for name in case.operations)
        kind = _Kind(study, members[0].tool, operations, frozenset(members[0].factors))
        parts[study, sweep] = sweep if is_alone else firsts.setdefault(kind, sweep)
    return parts
