"""The levels of a factor: a list, or a rule that depends on the machines, the threads or another factor."""

import math
from difflib import get_close_matches
from typing import Annotated, Any, Literal

from pydantic import AllowInfNan, BeforeValidator, Discriminator, Field, Tag, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.units import parse_bytes, parse_quantity, parse_seconds
from coldcache.core.vocabulary import FACTORS, FILE_LAYOUTS, FILE_SYNCS, SET_FACTORS, nearest
from coldcache.core.yaml_models import Seconds, Strict
from coldcache.design.settings.base import level_as_text
from coldcache.statistics.models.fsx_metadata_iops import check_provisioned
from coldcache.statistics.models.nfs_rpcs import check_nconnect

# Absurd numbers are refused later, with the factor's name.
Level = str | int | Annotated[float, AllowInfNan()] | bool

#: Factors whose levels a service restricts to certain numbers.
_CHECKS = {"metadata_iops": check_provisioned, "nconnect": check_nconnect}


class Doubling(Strict):
    """Levels 1, 2, 4 and so on, each twice the previous one, or as many times as stated."""

    first: int = Field(1, ge=1, lt=2**63, description="The first level.")
    last: int | None = Field(
        None, ge=1, lt=2**63, description="The last level, when it does not depend on the machine."
    )
    last_per_core: float | None = Field(None, gt=0, le=1e6, description="The last level, per core of all client nodes.")
    factor: int = Field(2, ge=2, lt=2**63, description="How many times the previous level each one is.")
    physical: bool = Field(False, description="Whether a core that runs several threads at once counts as one.")

    @model_validator(mode="after")
    def _state_one_end(self) -> "Doubling":
        if (self.last is None) == (self.last_per_core is None):
            raise DesignError("state either last or last_per_core")
        if self.last is not None and self.last < self.first:
            raise DesignError(f"last ({self.last}) is below first ({self.first})")
        return self

    def levels(self, cores: int, most: int | None = None) -> list[int]:
        """Return the levels on a system with `cores` cores, including the last one; `most` ends them earlier."""
        end = self.last or max(self.first, round((self.last_per_core or 0) * cores))
        end = max(self.first, min(end, most or end))
        found = [self.first]
        while found[-1] * self.factor <= end:
            found.append(found[-1] * self.factor)
        return found if found[-1] == end else [*found, end]


class Share(Strict):
    """A level that depends on the number of threads: a total divided among them."""

    aggregate: Level | None = Field(None, description="The total over all threads, such as ``2 TB`` or ``320``.")
    memory: float | None = Field(
        None, gt=0, description="The total as a multiple of the memory of all clients; that of one client is the most."
    )
    times: str | None = Field(None, description="Another factor, whose level the total is multiplied by.")
    lasts: Seconds | None = Field(
        None,
        gt=0,
        description="How long an operation is to last: a probe at the beginning of the campaign raises the total to "
        "what it does in this time.",
    )
    at_most: Level | None = Field(None, description="The most that one thread gets.")
    round: Literal["exact", "down", "up"] = Field("exact", description="What to do when it does not divide.")

    @model_validator(mode="after")
    def _state_one_total(self) -> "Share":
        if (self.aggregate is None) == (self.memory is None):
            raise DesignError("state either aggregate or memory")
        if self.lasts is not None and self.aggregate is None:
            raise DesignError("lasts: state an aggregate with it, which is the least total")
        return self

    def level(self, threads: int, unit: str, memory: int = 0, nodes: int = 1, times: int = 1, least: int = 0) -> int:
        """Return the share of one thread, in `unit`.

        Parameters
        ----------
        threads : int
            The number of threads that share the total.
        unit : str
            The stored unit.
        memory : int
            Memory of one client, in B.
        nodes : int
            How many clients there are.
        times : int
            The level of the factor that the total is multiplied by.
        least : int
            The total that a probe asks for, in `unit`, which divides: a smaller one is raised to it.

        Raises
        ------
        DesignError
            If the total is not a multiple of `threads` and `round` is ``exact``, or if it is too large.
        """
        total = self.aggregate if self.memory is None else f"{self.memory:g} times the memory"
        if self.memory is not None:
            share = min(self.memory * memory * nodes / threads, self.memory * memory)
        else:
            share = max(parse_quantity(self.aggregate or 0, unit) * times, least) / threads
        if self.at_most is not None:
            share = min(share, parse_quantity(self.at_most, unit))
        if not math.isfinite(share):
            raise DesignError(f"{total} is more than a number can hold")
        if self.round == "exact" and share != int(share):
            raise DesignError(f"{total} does not divide by {threads} threads; set round to down or up")
        return math.ceil(share) if self.round == "up" else math.floor(share)


def _name_level(given: Any) -> Any:
    """Return a level as the text of a key: YAML reads 1 as a number and true as a truth value."""
    return str(given).lower() if isinstance(given, bool) else str(given)


class Lookup(Strict):
    """A level that depends on the level of another factor."""

    by: str = Field(description="The other factor.")
    levels: dict[Annotated[str, BeforeValidator(_name_level)], Level] = Field(
        min_length=1, description="This factor's level for each level of the other one."
    )

    def level(self, given: Level) -> Level:
        """Return the level that goes with `given`, in its stored unit; raises `DesignError` if none does."""
        for key, other in zip(self.levels, self.others, strict=True):
            if given in (stored_level(self.by, other), key):
                return self.levels[key]
        name = _name_level(given)
        raise DesignError(f'has no level for {self.by} "{name}"; {nearest(name, list(self.levels))}')

    @property
    def others(self) -> list[Level]:
        """The levels of the other factor, as a study would list them."""
        return [{"true": True, "false": False}.get(key, key) for key in self.levels]


_RULES: dict[str, type[Strict]] = {"kind:doubling": Doubling, "kind:share": Share, "kind:lookup": Lookup}


def _kind_of_levels(given: Any) -> str:
    """Return the rule that levels follow: for a mapping, the one that shares most keys, even misspelt ones."""
    if isinstance(given, dict):
        return max(
            _RULES, key=lambda kind: sum(bool(get_close_matches(str(key), _RULES[kind].model_fields)) for key in given)
        )
    return next((kind for kind, rule in _RULES.items() if isinstance(given, rule)), "kind:list")


Levels = Annotated[
    Annotated[list[Level], Tag("kind:list"), Field(min_length=1)]
    | Annotated[Doubling, Tag("kind:doubling")]
    | Annotated[Share, Tag("kind:share")]
    | Annotated[Lookup, Tag("kind:lookup")],
    Discriminator(_kind_of_levels),
]


def stored_level(factor: str, level: Level) -> Level:
    """Return a level in the stored unit of its factor.

    Raises
    ------
    DesignError
        If the level has another unit, or is not a level of the factor.
    """
    unit = FACTORS[factor].unit
    if unit == "B":
        size = parse_bytes(level)
        if size < 1:
            raise DesignError(f"{level} is not at least 1 B")
        return size
    if unit in ("1", "B/s"):
        count = parse_quantity(level, unit)
        if count < 1 or count != int(count):
            raise DesignError(f"{level} is not a whole number of at least 1")
        return _CHECKS.get(factor, int)(int(count))
    if unit == "s":
        return parse_seconds(level)
    if factor == "file_layout" and level not in FILE_LAYOUTS:
        raise DesignError(f'unknown level "{level}"; {nearest(str(level), FILE_LAYOUTS)}')
    if factor == "file_sync" and level not in FILE_SYNCS:
        raise DesignError(f'unknown level "{level}"; {nearest(str(level), FILE_SYNCS)}')
    if factor == "direct_io" and level not in ("where-possible",) and not isinstance(level, bool):
        raise DesignError(f'unknown level "{level}"; {nearest(str(level), ("true", "false", "where-possible"))}')
    return level_as_text(level) if factor in SET_FACTORS else level


def check_levels(factor: str, levels: Any) -> None:
    """Raise `DesignError` for levels that are unknown to the factor, repeated, or in a wrong unit."""
    if isinstance(levels, list):
        first: dict[str, Level] = {}
        for level in levels:
            stored = str(stored_level(factor, level))
            if stored in first:
                again = "" if str(first[stored]) == str(level) else f', first as "{first[stored]}"'
                raise DesignError(f'the level "{level}" appears twice{again}')
            first[stored] = level
    elif isinstance(levels, Lookup):
        if levels.by not in FACTORS:
            raise DesignError(f'by: unknown factor "{levels.by}"; {nearest(levels.by, list(FACTORS))}')
        try:
            check_levels(levels.by, levels.others)
        except DesignError as error:
            raise DesignError(f"levels: {error}") from error
        for level in levels.levels.values():
            stored_level(factor, level)
    elif FACTORS[factor].unit is None:
        raise DesignError("its levels are names: list them")
    elif isinstance(levels, Share):
        if levels.memory is not None and FACTORS[factor].unit != "B":
            raise DesignError("memory: divides bytes only")
        for quantity in (levels.aggregate, levels.at_most):
            if quantity is not None:
                parse_quantity(quantity, str(FACTORS[factor].unit))
