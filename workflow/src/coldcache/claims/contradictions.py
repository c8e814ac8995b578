"""Contradictions: compare numbers and names that a source states in two places."""

from collections.abc import Iterable
from math import isclose, prod
from pathlib import Path
from typing import Literal

import pandas as pd
from pydantic import Field, model_validator

from coldcache.claims.context import select_published
from coldcache.claims.read import CONTRADICTIONS
from coldcache.core.errors import DesignError
from coldcache.core.program_files import find_file
from coldcache.core.yaml_models import Strict, read_model
from coldcache.dataset.published import PublishedValue
from coldcache.design.claim import CLAIMS

CONTRADICTION_COLUMNS = [
    "id",
    "source",
    "about",
    "one",
    "one_place",
    "relation",
    "other",
    "other_place",
    "verdict",
    "why",
]


class Statement(Strict):
    """What a source states in one place: a ratio of two products of numbers, a published value, or names."""

    place: str
    numbers: list[float] = Field(default_factory=list, description="Multiplied with each other.")
    over: list[float] = Field(default_factory=list, description="What the product is divided by.")
    published: dict[str, str | int] = Field(
        default_factory=dict, description="A value of values.csv, by its columns, in place of numbers."
    )
    names: list[str] = Field(default_factory=list, description="What is named there.")

    @model_validator(mode="after")
    def _state_one(self) -> "Statement":
        if sum(map(bool, (self.numbers, self.published, self.names))) != 1:
            raise DesignError("state one of numbers, published and names")
        return self


class Contradiction(Strict):
    """Two statements of one source that should agree."""

    id: str = Field(pattern=r"^[a-z0-9-]+$")
    source: str
    about: str
    one: Statement
    relation: Literal["equal", "at most", "named in"]
    other: Statement
    note: str = Field("", description="How the two may have come about.")


class Contradictions(Strict):
    """The file of all pairs of statements."""

    contradictions: list[Contradiction] = Field(min_length=1)


def read_contradictions(folder: Path = CLAIMS) -> list[Contradiction]:
    """Return the pairs of statements to compare; an empty list if there is no file.

    Raises
    ------
    DesignError
        As `coldcache.core.yaml_models.read_model`.
    """
    path = find_file(folder / CONTRADICTIONS)
    return read_model(path, Contradictions).contradictions if path.is_file() else []


def tabulate_contradictions(published: list[PublishedValue], folder: Path = CLAIMS) -> pd.DataFrame:
    """Return one row per pair of statements, with the verdict.

    Parameters
    ----------
    published : list of PublishedValue
        The values that statements may refer to.
    folder : Path
        The folder with the file of statements.

    Returns
    -------
    DataFrame
        Columns `CONTRADICTION_COLUMNS`; ``verdict`` is ``contradiction`` or ``agrees``.

    Raises
    ------
    DesignError
        If a statement refers to no published value, or to more than one.
    """
    rows = [_compare(pair, published) for pair in read_contradictions(folder)]
    return pd.DataFrame(rows, columns=CONTRADICTION_COLUMNS)


def _compare(pair: Contradiction, published: list[PublishedValue]) -> tuple[str, ...]:
    why = _compare_names(pair) if pair.relation == "named in" else _compare_numbers(pair, published)
    verdict = "contradiction" if why else "agrees"
    shown = [_show(pair, side, published) for side in (pair.one, pair.other)]
    return (
        pair.id, pair.source, pair.about, shown[0], pair.one.place, pair.relation, shown[1], pair.other.place, verdict,
        "; ".join(filter(None, (why, pair.note))),
    )  # fmt: skip


def _compare_names(pair: Contradiction) -> str | None:
    """Return which names are missing in the other statement; None if they agree."""
    missing = [name for name in pair.one.names if name not in pair.other.names]
    return f"{', '.join(missing)} is not among them" if missing else None


def _compare_numbers(pair: Contradiction, published: list[PublishedValue]) -> str | None:
    """Return both numbers and their ratio; None if they agree."""
    one, other = (_value(pair, side, published) for side in (pair.one, pair.other))
    if isclose(one, other, rel_tol=1e-9) or (pair.relation == "at most" and one < other):
        return None
    times = f": {one / other:.4g} times" if other else ""
    return f"{_print(one)} against {_print(other)}{times}"


def _value(pair: Contradiction, side: Statement, published: list[PublishedValue]) -> float:
    if side.numbers:
        return prod(side.numbers) / prod(side.over)
    found = select_published(published, pair.source, side.published)
    if len(found) != 1:
        raise DesignError(f"{CLAIMS / CONTRADICTIONS}, {pair.id}: {len(found)} published values are meant, not one")
    return found[0].low


def _show(pair: Contradiction, side: Statement, published: list[PublishedValue]) -> str:
    if side.names:
        return ", ".join(side.names)
    value = _print(_value(pair, side, published))
    if len(side.numbers) + len(side.over) <= 1:
        return value
    return " = ".join((" / ".join((_join(side.numbers, " x "), *map(_print, side.over))), value))


def _join(numbers: Iterable[float], sign: str) -> str:
    return sign.join(_print(number) for number in numbers)


def _print(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) else f"{number:.4g}"
