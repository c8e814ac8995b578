"""`python -m coldcache schema`: JSON Schemas with which editors complete and check the configuration."""

import json
import math
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from coldcache.design.claim import Claims
from coldcache.design.site import Site
from coldcache.design.study import Study

_MODELS: dict[str, type[BaseModel]] = {"study": Study, "site": Site, "claims": Claims}


def render_schemas() -> dict[str, str]:
    """Return the text of each schema, by the name of its model."""
    return {
        name: json.dumps(_drop_infinite(model.model_json_schema(mode="validation")), indent=1, sort_keys=True) + "\n"
        for name, model in _MODELS.items()
    }


def _drop_infinite(schema: Any) -> Any:
    """Return a schema without defaults of infinity, which JSON cannot write: editors would refuse the whole file."""
    if isinstance(schema, dict):
        return {key: _drop_infinite(value) for key, value in schema.items() if value != math.inf}
    return [_drop_infinite(one) for one in schema] if isinstance(schema, list) else schema


def write_schemas(folder: Path) -> None:
    """Write `study.json`, `site.json` and `claims.json` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in render_schemas().items():
        (folder / f"{name}.json").write_text(text)
