"""Read YAML files into pydantic models: every mistake becomes one line with file, key and the nearest valid name."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.program_files import find_file, list_files
from coldcache.core.units import parse_bytes, parse_quantity, parse_seconds
from coldcache.core.vocabulary import nearest
from coldcache.core.yaml_loader import parse_yaml, read_text
from coldcache.core.yaml_mistakes import NAME_PATTERN, explain, name_place


class Strict(BaseModel):
    """A model that refuses unknown keys and suggests the nearest name."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown_keys(cls, given: Any) -> Any:
        if isinstance(given, dict):
            for key in given:
                if key not in cls.model_fields:
                    place = cls._find_below(str(key))
                    hint = f"it is {place}" if place else nearest(str(key), list(cls.model_fields))
                    raise DesignError(f'unknown key "{key}"; {hint}')
        return given

    @classmethod
    def _find_below(cls, key: str) -> str | None:
        """Return where a key belongs that is one of a value of this model, such as ``clients.modules``."""
        for name, field in cls.model_fields.items():
            kinds = (field.annotation, *get_args(field.annotation))
            for kind in kinds:
                if isinstance(kind, type) and issubclass(kind, Strict) and key in kind.model_fields:
                    return f"{name}.<name>.{key}" if get_origin(field.annotation) is dict else f"{name}.{key}"
        return None


AnyModel = TypeVar("AnyModel", bound=BaseModel)


def read_model(path: Path, model: type[AnyModel]) -> AnyModel:
    """Return the model that a YAML file describes; the same object as long as its text is the same.

    Parameters
    ----------
    path : Path
        The YAML file.
    model : type of BaseModel
        What it must describe.

    Raises
    ------
    DesignError
        As `read_text` and `parse_yaml`; and for the first key that `model` refuses, with its line, its place and the
        nearest valid name.
    """
    return _validate(path, read_text(path), model)


#: A command reads a study up to five times: as it is asked for, and for its claims, its notebooks and its settings.
@lru_cache(maxsize=32)
def _validate(path: Path, text: str, model: type[AnyModel]) -> AnyModel:
    given = parse_yaml(path, text)
    if not isinstance(given, dict):
        raise DesignError(f"{path}: must hold keys and values; see config/README.md")
    try:
        return model.model_validate(given)
    except ValidationError as error:
        raise DesignError(name_place(path, explain(error, given))) from error


#: Names that become parts of paths and of HTML pages.
Name = Annotated[str, Field(pattern=NAME_PATTERN)]


Seconds = Annotated[float, BeforeValidator(parse_seconds), Field(json_schema_extra={"type": ["string", "number"]})]


Bytes = Annotated[int, BeforeValidator(parse_bytes), Field(json_schema_extra={"type": ["string", "integer"]})]


Rate = Annotated[
    float,
    BeforeValidator(lambda given: given if given is None else parse_quantity(given, "B/s")),
    Field(json_schema_extra={"type": ["string", "number"]}),
]


def read_named(folder: Path, name: str, model: type[AnyModel], key: str) -> AnyModel:
    """Return the model in the file of a folder that has its name, such as a study.

    Parameters
    ----------
    folder : Path
        Such as ``config/studies``, with the files of the working folder and of the program.
    name : str
        The file's name without its suffix.
    model : type of BaseModel
        What the file must describe.
    key : str
        The key of the model that repeats the name.

    Raises
    ------
    DesignError
        As `read_model`; and if there can be no such file, or `key` has another name.
    """
    path = folder / f"{name}.yaml"
    if not re.fullmatch(NAME_PATTERN, name):
        known = [other.stem for other in list_files(folder, "*.yaml")]
        raise DesignError(f'{folder}: "{name}" is the name of no {key}; {nearest(name, known)}')
    found = read_model(find_file(path), model)
    if (stated := getattr(found, key)) != name:
        raise DesignError(name_place(path, f'{key}: "{stated}" is not the name of the file; write "{name}"'))
    return found
