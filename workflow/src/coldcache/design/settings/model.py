"""Limits and layouts of the scale model on which a site's storage runs."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.units import parse_bytes, parse_seconds
from coldcache.core.yaml_models import explain
from coldcache.design.model.specification import Specification
from coldcache.design.settings.base import Setting, level_as_text

#: What files keep that were created with it.
LAYOUTS = ("targets", "stripe_count", "stripe_size", "metadata_servers")

#: Those that say on which targets a file lies.
_STRIPES = LAYOUTS[:3]


class ModelSetting(Setting):
    """A limit or a layout of the scale model (the site's key model): where files lie, and how fast its parts are."""

    kind: Literal["model"]
    of: Literal[
        "targets", "stripe_count", "stripe_size", "metadata_servers", "target_rate", "target_iops", "request_size",
        "write_cache", "uncached_write_rate", "metadata_cpu", "node_rate", "client_rate", "network_delay",
        "client_cache", "client_cache_size", "client_dirty", "read_ahead", "target_outage",
    ] = Field(
        description="What a level is: how many of the first targets the files of a sweep lie on, stripes of a file and "
        "bytes of each, metadata servers that the threads' folders are dealt out to, how long the first target fails "
        "during a trial, or one of the model's own limits; the value none lifts a limit, and means no outage."
    )  # fmt: skip

    @model_validator(mode="before")
    @classmethod
    def _make_fresh_files(cls, given: Any) -> Any:
        """Require fresh files for a layout, and mark a change of the clients' caches, which remounts them, as slow."""
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


def count_servers(settings: Mapping[str, Any], factors: Mapping[str, Any]) -> int:
    """Return over how many metadata servers a case deals out its threads' folders: one unless a factor says more."""
    asked = (
        int(kind.value(factors[factor]))
        for factor, kind in settings.items()
        if isinstance(kind, ModelSetting) and kind.of == "metadata_servers"
    )
    return next(asked, 1)


def split_levels(
    settings: Mapping[str, ModelSetting], levels: Mapping[str, Any]
) -> tuple[dict[str, int], dict[str, object]]:
    """Return what the levels of a case state of its files' layout, and of the model's limits.

    Parameters
    ----------
    settings : mapping
        What the levels of a factor change.
    levels : mapping
        The level of each factor of the case; NaN where it has none.

    Returns
    -------
    tuple of dict
        Fields of `stripes.Layout`, and keys of the specification with their values.
    """
    layout: dict[str, int] = {}
    changed: dict[str, object] = {}
    for factor, kind in settings.items():
        level = levels.get(factor)
        if level is None or level != level:
            continue
        value = kind.value(int(level) if isinstance(level, float) and level.is_integer() else level)
        if kind.of in _STRIPES:
            layout[kind.of] = int(value)
        elif kind.of in Specification.model_fields and kind.of not in LAYOUTS:
            changed[kind.of] = parse_value(kind.of, value)
    return layout, changed


def parse_value(key: str, text: str) -> object:
    """Return a value of the specification from its text: ``none``, ``on``, ``off``, a number or a quantity.

    Raises
    ------
    DesignError
        If it is no value of that key.
    """
    words = {"none": None, "on": True, "off": False}
    if key == "target_outage":
        return None if text == "none" else parse_seconds(text) or None
    try:
        return getattr(Specification.model_validate({key: words.get(text, text)}), key)
    except ValidationError as error:
        raise DesignError(explain(error, {key: text})) from error


def format_value(value: object) -> str:
    """Return a value of the specification as text: ``none``, ``on``, ``off``, or a number."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return level_as_text(value)
    return f"{value:.15g}"
