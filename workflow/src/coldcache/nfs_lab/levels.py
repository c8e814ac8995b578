"""The levels of a trial's factors as its guest had them in force."""

import re
from collections.abc import Mapping
from typing import Any

from coldcache.setting_kinds import DEFAULT, GuestSetting

_MOUNT, _PARAMETERS = "/proc/mounts of the guest", "sysctl of the guest"


def read_levels(
    settings: Mapping[str, Any], factors: Mapping[str, Any], sections: Mapping[str, bytes]
) -> dict[str, dict[str, str]]:
    """Return each factor's level as the guest negotiated it: ``asked``, ``read`` and ``where``.

    Parameters
    ----------
    settings : mapping
        The kind of each factor that is put in force.
    factors : mapping
        The level of each factor.
    sections : mapping
        The sections of the guest's log. What is read is empty where the guest ended before it mounted.
    """
    mount = sections.get("negotiated mount", b"").decode(errors="replace")
    lines = sections.get("kernel parameters", b"").decode(errors="replace").splitlines()
    parameters = dict(line.partition("=")[::2] for line in lines)
    levels = {}
    for factor, kind in settings.items():
        if isinstance(kind, GuestSetting) and kind.of == "sysctl":
            asked = kind.reading(factors[factor])
            levels[factor] = {"asked": asked, "read": _read_parameters(asked, parameters), "where": _PARAMETERS}
        elif isinstance(kind, GuestSetting):
            asked, read = _read_options(kind, factors[factor], re.split("[, ]", mount) if mount else [])
            levels[factor] = {"asked": asked, "read": read, "where": _MOUNT}
    return levels


def _read_parameters(asked: str, parameters: Mapping[str, str]) -> str:
    names = [part.partition("=")[0].strip() for part in asked.split(";") if part.strip()]
    return "; ".join(f"{name}={parameters.get(name, '')}" for name in names)


def _read_options(kind: GuestSetting, level: Any, options: list[str]) -> tuple[str, str]:
    """Return what a level reads as, and which options of its kind the mount has, both in the kernel's order."""
    wanted = kind.reading(level).split(",")
    known = {option for reading in kind.readings(level) for option in reading.split(",")}
    named = {option.partition("=")[0] for option in wanted if "=" in option}
    found = [option for option in options if option in known or option.partition("=")[0] in named]
    order = [option for option in options if option in wanted] + [option for option in wanted if option not in options]
    return ",".join(order), ",".join(found) or (DEFAULT if options else "")
