"""Read YAML files into pydantic models: every mistake becomes one line with file, key and the nearest valid name."""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, TypeVar

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.units import parse_bytes, parse_quantity, parse_seconds
from coldcache.core.vocabulary import (
    nearest,
)

#: A design is written by hand; anything larger is a mistake or an attack.
LARGEST_FILE = 1_000_000


class Strict(BaseModel):
    """A model that refuses unknown keys and suggests the nearest name."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, given: Any) -> Any:
        if isinstance(given, dict):
            for key in given:
                if key not in cls.model_fields:
                    raise DesignError(f'unknown key "{key}"; {nearest(str(key), list(cls.model_fields))}')
        return given


class _Plain(yaml.composer.Composer, yaml.constructor.SafeConstructor):
    """Plain YAML without aliases, which can blow up a small file, and without repeated keys, which hide each other."""

    #: Of the parser.
    check_event: Callable[..., bool]
    peek_event: Callable[[], Any]

    def compose_node(self, parent, index):
        if self.check_event(yaml.AliasEvent):
            raise DesignError(f"line {self.peek_event().start_mark.line + 1}: aliases are not allowed; write it out")
        return super().compose_node(parent, index)

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        for key in keys:
            if not isinstance(key, str | int):
                raise DesignError(f"line {node.start_mark.line + 1}: the key {key!r} is not a name")
            if keys.count(key) > 1:
                raise DesignError(f'line {node.start_mark.line + 1}: the key "{key}" appears twice')
        return super().construct_mapping(node, deep)

    def construct_object(self, node, deep=False):
        try:
            return super().construct_object(node, deep)
        except (DesignError, yaml.YAMLError, RecursionError):
            raise
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            kind, value = node.tag.rpartition(":")[2], str(node.value)[:40]
            line = node.start_mark.line + 1
            raise DesignError(f'line {line}: "{value}" is no {kind}; put quotes around what is text') from error


class _Loader(_Plain, yaml.SafeLoader):
    """The loader of PyYAML, which has the best error messages."""


class _FastLoader(_Plain, yaml.CSafeLoader):
    """The loader of libyaml, three times as fast; nodes are composed in Python, where aliases can be refused."""

    def __init__(self, stream):
        yaml.CSafeLoader.__init__(self, stream)
        yaml.composer.Composer.__init__(self)


def read_yaml(path: Path) -> Any:
    """Return what a YAML file holds.

    Raises
    ------
    DesignError
        If the file is missing, too large, not YAML, or holds an alias or a repeated key.
    """
    if not path.is_file():
        known = sorted(other.stem for other in path.parent.glob("*.yaml"))
        hint = nearest(path.stem, known) if known else f"{path.parent}/ holds none"
        raise DesignError(f"{path}: there is no such file; {hint}")
    if path.stat().st_size > LARGEST_FILE:
        raise DesignError(f"{path}: larger than {LARGEST_FILE:,} bytes, which no design is")
    try:
        text = path.read_text(encoding="utf-8")
        with suppress(yaml.YAMLError):
            return yaml.load(text, _FastLoader)
        return yaml.load(text, _Loader)
    except DesignError as error:
        raise DesignError(f"{path}, {error}") from error
    except UnicodeDecodeError as error:
        raise DesignError(f"{path}: not UTF-8 text at byte {error.start}") from error
    except RecursionError as error:
        raise DesignError(f"{path}: not YAML: nested too deeply") from error
    except yaml.reader.ReaderError as error:
        raise DesignError(f"{path}: not YAML: {error.reason} at character {error.position}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark else ""
        raise DesignError(f"{path}{where}: not YAML: {getattr(error, 'problem', error)}") from error


Model = TypeVar("Model", bound=BaseModel)

#: The keys with which a message begins, and the word that is unknown.
_KEYS = re.compile(r"(?:[\w.-]+: )*")
_UNKNOWN = re.compile(r'unknown [a-z]+ "([^"]*)"')


def read_model(path: Path, model: type[Model]) -> Model:
    """Return the model that a YAML file describes.

    Parameters
    ----------
    path : Path
        The YAML file.
    model : type of BaseModel
        What it must describe.

    Raises
    ------
    DesignError
        As `read_yaml`; and for the first key that `model` refuses, with its line, its place and the nearest valid
        name.
    """
    given = read_yaml(path)
    if not isinstance(given, dict):
        raise DesignError(f"{path}: must hold keys and values; see config/README.md")
    try:
        return model.model_validate(given)
    except ValidationError as error:
        message = explain(error, given)
        line = find_line(path.read_text(encoding="utf-8"), message)
        raise DesignError(f"{path}, line {line}, {message}" if line else f"{path}, {message}") from error


def find_line(text: str, message: str) -> int | None:
    """Return the line of YAML that a message of `explain` is about: that of the last of its keys that is there.

    Parameters
    ----------
    text : str
        The YAML.
    message : str
        Such as ``sweeps.a: factors.threads: cause``; the word of ``unknown key "x"`` counts, too.

    Returns
    -------
    int or None
        From 1 on; None if none of the keys is there.
    """
    keys = _KEYS.match(message)
    assert keys is not None
    steps = [key for part in keys[0].split(": ") for key in part.split(".") if key]
    unknown = _UNKNOWN.match(message, keys.end())
    node, line = _compose(text), None
    for step in [*steps, *(unknown.groups() if unknown else ())]:
        found = _find_child(node, step)
        if found is None:
            break
        line, node = found[0].start_mark.line + 1, found[1]
    return line


def _compose(text: str) -> Any:
    """Return the nodes of a text that `read_yaml` takes; each of its loaders takes some that the other refuses."""
    with suppress(yaml.YAMLError):
        return yaml.compose(text, _FastLoader)
    return yaml.compose(text, _Loader)


def _find_child(node: Any, step: str) -> tuple[Any, Any] | None:
    """Return the node that names a child of a node, and the child; None if it has no such child."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and step.isdecimal() and int(step) < len(node.value):
        return node.value[int(step)], node.value[int(step)]
    return None


def explain(error: ValidationError, given: Any) -> str:
    """Return the first error in validating `given` as ``key.key: cause``."""
    first = error.errors(include_url=False)[0]
    place = ".".join(_list_keys(first["loc"], given, is_missing=first["type"] == "missing"))
    cause = first["ctx"]["error"] if "error" in first.get("ctx", {}) else first["msg"]
    if first["type"] == "missing":
        cause = "is required"
    elif first["type"] == "literal_error":
        expected = first["ctx"]["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        cause = f'unknown "{first["input"]}"; {nearest(str(first["input"]), expected)}'
    return f"{place}: {cause}" if place else str(cause)


def _list_keys(place: tuple[int | str, ...], given: Any, is_missing: bool) -> list[str]:
    """Return the keys that lead to an error, without the names of unions' members, which pydantic puts between."""
    keys = []
    for number, part in enumerate(place):
        if isinstance(given, list) and isinstance(part, int) and part < len(given):
            given = given[part]
        elif isinstance(given, dict) and (part in given or str(part) in map(str, given)):
            given = next(value for key, value in given.items() if str(key) == str(part))
        elif not (is_missing and number == len(place) - 1):
            continue
        keys.append(str(part))
    return keys


#: Names that become parts of paths and of HTML pages.
Name = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,62}$")]


Seconds = Annotated[float, BeforeValidator(parse_seconds), Field(json_schema_extra={"type": ["string", "number"]})]


Bytes = Annotated[int, BeforeValidator(parse_bytes), Field(json_schema_extra={"type": ["string", "integer"]})]


Rate = Annotated[
    float,
    BeforeValidator(lambda given: given if given is None else parse_quantity(given, "B/s")),
    Field(json_schema_extra={"type": ["string", "number"]}),
]
