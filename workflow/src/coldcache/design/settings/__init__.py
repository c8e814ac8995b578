"""How the levels of a factor are put in force, as a study or a site states it in YAML: one module per kind.

Every `Setting` subclass in a module of this package is a kind that YAML may name; there is no list to extend.
"""

import pkgutil
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args

from pydantic import BeforeValidator, Field

from coldcache.core.errors import DesignError
from coldcache.core.vocabulary import nearest
from coldcache.design.settings.base import Setting

__all__ = ["KINDS", "Setting", "SettingKind", "refuse_unknown_name"]

for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    import_module(f"{__name__}.{_module}")

#: The class of each kind, by the name that YAML uses.
KINDS: dict[str, type[Setting]] = dict(
    sorted((get_args(kind.model_fields["kind"].annotation)[0], kind) for kind in Setting.__subclasses__())
)


def _refuse_unknown_kind(given: Any) -> Any:
    if isinstance(given, Mapping) and given.get("kind") not in list(KINDS):
        raise DesignError(f'unknown kind "{given.get("kind")}"; {nearest(str(given.get("kind")), list(KINDS))}')
    if not isinstance(given, Mapping | Setting):
        raise DesignError(f'"{given}" states no kind; known are {", ".join(KINDS)}')
    return given


if TYPE_CHECKING:
    SettingKind = Setting
else:
    #: Any kind of setting, chosen by its field `kind`.
    SettingKind = Annotated[
        Union[tuple(KINDS.values())], Field(discriminator="kind"), BeforeValidator(_refuse_unknown_kind)  # noqa: UP007
    ]


def refuse_unknown_name(names: tuple[str, ...]) -> Callable[[Any], Any]:
    """Return a validator that accepts one of `names`, or a setting with a kind."""

    def validate(given: Any) -> Any:
        if isinstance(given, Mapping | Setting) or given in names:
            return given
        raise DesignError(f'unknown "{given}"; {nearest(str(given), names)}')

    return validate
