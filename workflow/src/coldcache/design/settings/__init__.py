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

__all__ = ["SETTING_KINDS", "Setting", "SettingKind", "refuse_unknown_name"]

for _module in sorted(module.name for module in pkgutil.iter_modules(__path__)):
    import_module(f"{__name__}.{_module}")

#: The class of each kind, by the name that YAML uses.
SETTING_KINDS: dict[str, type[Setting]] = dict(
    sorted((get_args(kind.model_fields["kind"].annotation)[0], kind) for kind in Setting.__subclasses__())
)


def _refuse_unknown_kind(given: Any) -> Any:
    if isinstance(given, Mapping) and given.get("kind") not in list(SETTING_KINDS):
        raise DesignError(f'unknown kind "{given.get("kind")}"; {nearest(str(given.get("kind")), list(SETTING_KINDS))}')
    if not isinstance(given, Mapping | Setting):
        raise DesignError(f'"{given}" states no kind; known are {", ".join(SETTING_KINDS)}')
    return given


if TYPE_CHECKING:
    SettingKind = Setting
else:
    #: Any kind of setting, chosen by its field `kind`.
    SettingKind = Annotated[
        Union[tuple(SETTING_KINDS.values())], Field(discriminator="kind"), BeforeValidator(_refuse_unknown_kind)  # noqa: UP007
    ]


def refuse_unknown_name(names: tuple[str, ...]) -> Callable[[Any], Any]:
    """Return a validator that accepts one of `names`, or a setting with a kind."""

    def validate(given: Any) -> Any:
        if isinstance(given, Mapping | Setting) or given in names:
            return given
        raise DesignError(f'unknown "{given}"; {nearest(str(given), names)}')

    return validate


def is_in_guest(settings: Mapping[str, Setting | str]) -> bool:
    """Return whether any of some settings is an option of the guest in which a trial then runs."""
    return any(isinstance(kind, Setting) and kind.in_guest for kind in settings.values())
