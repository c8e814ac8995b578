"""What every kind of setting has: how each level is put in force, and what is read back then."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.vocabulary import nearest
from coldcache.core.yaml_models import Strict


def level_as_text(level: Any) -> str:
    """Return a level as text; a bare ``on``, which YAML reads as a boolean, gets its name back."""
    return {True: "on", False: "off"}[level] if isinstance(level, bool) else str(level)


def _name_keys(given: Any) -> Any:
    return (
        {level_as_text(key): level_as_text(value) for key, value in given.items()}
        if isinstance(given, Mapping)
        else given
    )


TextMap = Annotated[dict[str, str], BeforeValidator(_name_keys)]
Argv = Annotated[list[str], Field(min_length=1)]


class Setting(Strict):
    """How the levels of a factor are put in force.

    A kind of setting is a subclass in a module of its own beside this one. Its field `kind` is a literal, the name
    that YAML uses. A driver in `coldcache.measure.settings.drivers` puts it in force.
    """

    if TYPE_CHECKING:
        kind: str

    #: What puts the setting in force on this machine alone, and not on the nodes of a job; None if nothing is so bound.
    of_one_machine: ClassVar[str | None] = None

    #: Whether a guest takes the setting when it starts, so that no driver changes this system.
    in_guest: ClassVar[bool] = False

    values: TextMap = Field(
        default_factory=dict, description="The value that puts each level in force; the level itself if left out."
    )
    shown: TextMap = Field(
        default_factory=dict, description="What is read back when a level is in force, if it differs from the value."
    )
    fresh_files: bool = Field(
        False,
        description="Whether files keep what they were created with, as a stripe layout; each trial creates new ones.",
    )
    slow: bool = Field(False, description="Whether changing it takes long: trials of one level then run together.")

    @model_validator(mode="after")
    def _refuse_equal_readings(self) -> "Setting":
        for level in self.shown:
            if self.values and level not in self.values:
                raise DesignError(f'shown: unknown level "{level}"; {nearest(level, list(self.values))}')
        readings = [self.reading(level) for level in self.values]
        if len(set(readings)) < len(readings):
            raise DesignError("two levels read the same, so none of them can be verified")
        return self

    @property
    def is_of_node(self) -> bool | None:
        """Whether each node of a cluster has the setting for itself; None if that is not stated."""
        return True

    def value(self, level: Any) -> str:
        """Return what puts a level in force."""
        return self.values.get(level_as_text(level), level_as_text(level))

    def reading(self, level: Any) -> str:
        """Return what is read back when a level is in force."""
        return self.shown.get(level_as_text(level), self.value(level))

    def readings(self, level: Any) -> list[str]:
        """Return what may be read back: for this level, and for every other one that is stated."""
        return [self.reading(known) for known in dict.fromkeys([level_as_text(level), *self.values, *self.shown])]

    def value_of_reading(self) -> dict[str, str]:
        """Return the value that restores a level, by its reading."""
        return {self.reading(level): self.value(level) for level in {**self.values, **self.shown}}

    def refuse_level(self, level: Any) -> None:
        """Raise `DesignError` if a level is not among those that are stated."""
        if self.values and level_as_text(level) not in self.values:
            raise DesignError(
                f'unknown level "{level_as_text(level)}"; {nearest(level_as_text(level), list(self.values))}'
            )
