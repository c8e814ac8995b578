"""What a study asks: its sweeps, their factors and levels, as `config/studies/<id>.yaml` states them."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from coldcache.errors import DesignError
from coldcache.setting_kinds import SettingKind, name_level, refuse_unknown_name
from coldcache.terms import (
    FACTORS,
    FILE_LAYOUTS,
    METADATA_FACTORS,
    METADATA_OPERATIONS,
    SET_FACTORS,
    SETTINGS,
    nearest,
)
from coldcache.units import parse_bytes, parse_quantity, parse_seconds
from coldcache.yaml_file import Strict, read_model

Level = str | int | float | bool
Seconds = Annotated[float, BeforeValidator(parse_seconds), Field(json_schema_extra={"type": ["string", "number"]})]

_SET_FACTORS = ", ".join(SET_FACTORS)

#: Names that become parts of paths and of HTML pages.
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]

ToolName = Literal["iozone", "fio", "mdtest"]
OperationName = Literal["write", "read", "random-write", "random-read", "file-create", "file-stat", "file-remove"]
ColdMethod = Literal["eviction", "drop-caches", "remount", "direct-io", "commands", "none"]
SettingName = Literal["qemu-nbd", "site"]
NamedSetting = Annotated[
    Annotated[SettingName, Tag("kind:name")] | Annotated[SettingKind, Tag("kind:stated")],
    Discriminator(lambda given: "kind:name" if isinstance(given, str) else "kind:stated"),
    BeforeValidator(refuse_unknown_name(("qemu-nbd", "site"))),
]


class Doubling(Strict):
    """Levels 1, 2, 4 and on, each twice the one before."""

    first: int = Field(1, ge=1, description="The first level.")
    last: int | None = Field(None, ge=1, description="The last level, when it does not depend on the machine.")
    last_per_core: float | None = Field(None, gt=0, description="The last level, per core of all client nodes.")

    @model_validator(mode="after")
    def _state_one_end(self) -> "Doubling":
        if (self.last is None) == (self.last_per_core is None):
            raise DesignError("state either last or last_per_core")
        if self.last is not None and self.last < self.first:
            raise DesignError(f"last ({self.last}) is below first ({self.first})")
        return self

    def levels(self, cores: int) -> list[int]:
        """Return the levels on a system of `cores` cores, the last one included."""
        end = self.last or max(self.first, round((self.last_per_core or 0) * cores))
        doubled = [self.first * 2**power for power in range(math.floor(math.log2(end / self.first)) + 1)]
        return doubled if doubled[-1] == end else [*doubled, end]


class Share(Strict):
    """A level that follows from the number of threads: a total divided among them."""

    aggregate: Level = Field(description="The total over all threads, such as ``2 TB`` or ``320``.")
    at_most: Level | None = Field(None, description="The most that one thread gets.")
    round: Literal["exact", "down", "up"] = Field("exact", description="What to do when it does not divide.")

    def level(self, threads: int, unit: str) -> int:
        """Return the share of one thread, in `unit`.

        Raises
        ------
        DesignError
            If the total does not divide by `threads` and `round` is ``exact``.
        """
        total = parse_quantity(self.aggregate, unit)
        share = total / threads
        if self.at_most is not None:
            share = min(share, parse_quantity(self.at_most, unit))
        if self.round == "exact" and share != int(share):
            raise DesignError(f"{self.aggregate} does not divide by {threads} threads; set round to down or up")
        return math.ceil(share) if self.round == "up" else math.floor(share)


def _kind_of_levels(given: Any) -> str:
    if isinstance(given, Doubling) or (isinstance(given, dict) and "aggregate" not in given):
        return "kind:doubling"
    return "kind:share" if isinstance(given, dict | Share) else "kind:list"


Levels = Annotated[
    Annotated[list[Level], Tag("kind:list"), Field(min_length=1)]
    | Annotated[Doubling, Tag("kind:doubling")]
    | Annotated[Share, Tag("kind:share")],
    Discriminator(_kind_of_levels),
]


def stored_level(factor: str, level: Level) -> Level:
    """Return a level in the stored unit of its factor.

    Raises
    ------
    DesignError
        If the level has no such unit, or is no level of the factor.
    """
    unit = FACTORS[factor].unit
    if unit == "B":
        size = parse_bytes(level)
        if size < 1:
            raise DesignError(f"{level} is not at least 1 B")
        return size
    if unit == "1":
        count = parse_quantity(level, "1")
        if count < 1 or count != int(count):
            raise DesignError(f"{level} is not a whole number of at least 1")
        return int(count)
    if factor == "file_layout" and level not in FILE_LAYOUTS:
        raise DesignError(f'unknown level "{level}"; {nearest(str(level), FILE_LAYOUTS)}')
    if factor == "direct_io" and level not in ("where-possible",) and not isinstance(level, bool):
        raise DesignError(f'unknown level "{level}"; {nearest(str(level), ("true", "false", "where-possible"))}')
    return name_level(level) if factor in SET_FACTORS else level


class Sweep(Strict):
    """One benchmark over a grid of factors."""

    title: str = Field(description="What is swept, in a few words.")
    item: str = Field("", description="The table or figure of the source that it serves.")
    tools: list[ToolName] = Field(min_length=1, description="In order of preference; the first installed one is used.")
    operations: list[OperationName] = Field(min_length=1)
    factors: dict[str, Levels] = Field(description="Levels of each factor; threads is required.")
    options: dict[ToolName, list[str]] = Field(default_factory=dict, description="Further arguments, word by word.")
    settings: dict[str, NamedSetting] = Field(
        default_factory=dict, description="How the levels of a factor are put in force; site: as the site states it."
    )
    cold: ColdMethod | None = Field(None, description="How what is read is made cold, when not as the site does.")
    seconds: Seconds = Field(1.05, gt=0, description="How long tools that are bound by time run.")
    repetitions: int | None = Field(None, ge=1, description="Trials of each case, when not the study's.")

    @model_validator(mode="after")
    def _check_factors(self) -> "Sweep":
        for factor, levels in self.factors.items():
            if factor not in FACTORS:
                raise DesignError(f'factors: unknown factor "{factor}"; {nearest(factor, list(FACTORS))}')
            try:
                _check_levels(factor, levels)
            except DesignError as error:
                raise DesignError(f"factors.{factor}: {error}") from error
        if isinstance(self.factors.get("threads"), Share):
            raise DesignError("factors.threads: cannot be a share of the threads")
        _check_kind(self.operations, self.factors, self.settings)
        _check_settings(self.settings, self.factors)
        return self


def _check_kind(operations: Sequence[str], factors: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Refuse a factor that the operations lack or do not know, whose levels would be mere labels."""
    names = [operation for operation in operations if operation in METADATA_OPERATIONS]
    if names and len(names) < len(operations):
        moving = next(operation for operation in operations if operation not in names)
        raise DesignError(f"operations: {moving} moves data and {names[0]} does not; give each a sweep of its own")
    known = [factor for factor in FACTORS if factor != "files"]
    if names:
        # A block device has no files.
        put = [factor for factor in SET_FACTORS if settings.get(factor) not in (None, *SETTINGS)]
        known = [*METADATA_FACTORS, *put]
    for factor in factors:
        if factor not in known:
            raise DesignError(f"factors.{factor}: {operations[0]} has no such factor; known are {', '.join(known)}")
    for factor in ("threads", "files") if names else ("threads", "transfer_size", "file_size"):
        if factor not in factors:
            raise DesignError(f"factors: {factor} is required")


def _check_settings(settings: Mapping[str, Any], factors: Mapping[str, Any]) -> None:
    """Refuse a setting of another factor, a level that it does not know, and levels that nothing puts in force."""
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


def _check_levels(factor: str, levels: Any) -> None:
    if isinstance(levels, list):
        stored = [stored_level(factor, level) for level in levels]
        if len(set(map(str, stored))) < len(stored):
            raise DesignError("a level stands twice")
    elif FACTORS[factor].unit is None:
        raise DesignError("its levels are names: list them")
    elif isinstance(levels, Share):
        for quantity in (levels.aggregate, levels.at_most):
            if quantity is not None:
                parse_quantity(quantity, str(FACTORS[factor].unit))


class Study(Strict):
    """A question and its design."""

    study: Name = Field(description="The study's id; the file's name without its ending.")
    title: str
    question: str = Field(description="What a reader wants to know.")
    repetitions: int = Field(5, ge=1, description="Trials of each case.")
    sweeps: dict[Name, Sweep] = Field(min_length=1)
    notebooks: list[str] = Field(description="The notebooks that answer the question, in the order of the report.")


def read_study(folder: Path, name: str) -> Study:
    """Return the study `name` of a folder of studies.

    Raises
    ------
    DesignError
        As `read_model`; and if the file holds another study than its name says.
    """
    study = read_model(folder / f"{name}.yaml", Study)
    if study.study != name:
        raise DesignError(f'{folder / name}.yaml, study: "{study.study}" is not the name of the file')
    return study
