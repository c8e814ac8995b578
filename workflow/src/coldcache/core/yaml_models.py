"""Read YAML files into pydantic models: every mistake becomes one line with file, key and the nearest valid name."""

from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.units import parse_bytes, parse_quantity, parse_seconds
from coldcache.core.vocabulary import nearest
from coldcache.core.yaml_loader import read_yaml
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
                    raise DesignError(f'unknown key "{key}"; {nearest(str(key), list(cls.model_fields))}')
        return given


Model = TypeVar("Model", bound=BaseModel)


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
