"""Limits and layouts of the scale model on which a site's storage runs."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.units import parse_bytes
from coldcache.core.yaml_models import explain
from coldcache.design.model.specification import Specification
from coldcache.design.settings.base import Setting, name_level

#: What files keep that were created with it.
LAYOUTS = ("targets", "stripe_count", "stripe_size", "metadata_servers")


class ModelSetting(Setting):
    """A limit or a layout of the scale model (the site's key model): where files lie, and how fast its parts are."""

    kind: Literal["model"]
    of: Literal[
        "targets", "stripe_count", "stripe_size", "metadata_servers", "target_rate", "target_iops", "write_cache",
        "uncached_write_rate", "metadata_cpu", "node_rate", "client_rate", "network_delay", "client_cache",
        "client_cache_size", "client_dirty", "read_ahead",
    ] = Field(
        description="What a level is: how many of the first targets the files of a sweep lie on, stripes of a file and "
        "bytes of each, metadata servers that the threads' folders are dealt out to, or one of the model's own limits; "
        "the value none lifts a limit."
    )  # fmt: skip

    @model_validator(mode="before")
    @classmethod
    def _make_fresh_files(cls, given: Any) -> Any:
        """Let a layout have fresh files, and a change of the clients' caches, which mounts them anew, be slow."""
        if isinstance(given, Mapping):
            of = str(given.get("of"))
            return {"fresh_files": of in LAYOUTS, "slow": of.startswith("client_"), **given}
        return given

    @property
    def is_of_node(self) -> bool:
        """Whether each node has it for itself: no, the model is on one machine."""
        return False

    def value(self, level: Any) -> str:
        """Return what puts a level in force, in the unit of the model's key."""
        return self._in_unit(super().value(level))

    def reading(self, level: Any) -> str:
        """Return what is read back when a level is in force: the value."""
        return self.value(level)

    def refuse_level(self, level: Any) -> None:
        """Raise `DesignError` if a level is not among those that are stated, or no value of the model's key."""
        super().refuse_level(level)
        self.value(level)

    def _in_unit(self, text: str) -> str:
        if self.of == "stripe_size":
            return str(parse_bytes(text))
        if self.of in LAYOUTS:
            if not text.isdigit() or not int(text):
                raise DesignError(f'"{text}" is not a whole number of at least 1')
            return text
        return format_value(parse_value(self.of, text))


def parse_value(key: str, text: str) -> object:
    """Return a value of the specification from its text: ``none``, ``on``, ``off``, a number or a quantity.

    Raises
    ------
    DesignError
        If it is no value of that key.
    """
    words = {"none": None, "on": True, "off": False}
    try:
        return getattr(Specification.model_validate({key: words.get(text, text)}), key)
    except ValidationError as error:
        raise DesignError(explain(error, {key: text})) from error


def format_value(value: object) -> str:
    """Return a value of the specification as text: ``none``, ``on``, ``off``, or a number."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return name_level(value)
    return f"{value:.15g}"
