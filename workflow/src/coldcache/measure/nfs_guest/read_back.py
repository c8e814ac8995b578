"""Read the levels of a trial's factors as its guest had them in force."""

import re
from collections.abc import Mapping
from typing import Any

from coldcache.core.outcome import SettingReading
from coldcache.design.settings.mount_option import DEFAULT
from coldcache.design.settings.nfs_guest import GuestSetting

_WHERE = {
    "mount": "/proc/mounts of the guest", "sysctl": "sysctl of the guest", "network": "tc qdisc of the guest",
    "disk": "dmsetup table of the guest",
}  # fmt: skip

#: A delay as tc prints it; without a delay it prints none.
_DELAY = re.compile(r"\bdelay ([0-9.]+) ?(us|ms|s)\b")
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}


def read_guest_levels(
    settings: Mapping[str, Any], factors: Mapping[str, Any], sections: Mapping[str, bytes]
) -> dict[str, SettingReading]:
    """Return each factor's level as the guest negotiated it.

    Parameters
    ----------
    settings : mapping
        The setting of each factor.
    factors : mapping
        The level of each factor.
    sections : mapping
        The sections of the guest's log. Readings are empty if the guest ended before it mounted.
    """
    texts = {name: section.decode(errors="replace") for name, section in sections.items()}
    levels = {}
    for factor, kind in settings.items():
        if isinstance(kind, GuestSetting):
            asked, read = _read(kind, factors[factor], texts)
            levels[factor] = SettingReading(asked, read, _WHERE[kind.of])
    return levels


def _read(kind: GuestSetting, level: Any, texts: Mapping[str, str]) -> tuple[str, str]:
    """Return what is read when a level is in force, and what was read."""
    asked = kind.reading(level)
    match kind.of:
        case "sysctl":
            lines = texts.get("kernel parameters", "").splitlines()
            return asked, _read_parameters(asked, dict(line.partition("=")[::2] for line in lines))
        case "network":
            return _name_delay(asked), _name_delay(texts["network"]) if "netem" in texts.get("network", "") else ""
        case "disk":
            return asked, "; ".join(_name_layer(line) for line in texts.get("server disk", "").splitlines())
    mount = texts.get("negotiated mount", "")
    return _read_options(kind, level, re.split("[, ]", mount) if mount else [])


def _name_delay(text: str) -> str:
    found = _DELAY.search(text)
    return f"delay {float(found[1]) * _SECONDS[found[2]]:g}s" if found else "delay 0s"


def _name_layer(line: str) -> str:
    """Return a layer from its line: ``layer0: 0 524288 delay 1:0 0 10`` is ``delay=10``."""
    words = line.split()
    return f"delay={words[6]}" if words[3:4] == ["delay"] else " ".join(words[3:4])


def _read_parameters(asked: str, parameters: Mapping[str, str]) -> str:
    names = [part.partition("=")[0].strip() for part in asked.split(";") if part.strip()]
    return "; ".join(f"{name}={parameters.get(name, '')}" for name in names)


def _read_options(kind: GuestSetting, level: Any, options: list[str]) -> tuple[str, str]:
    """Return the options of a level, and the mount's options of that kind, both in the kernel's order."""
    wanted = kind.reading(level).split(",")
    known = {option for reading in kind.readings(level) for option in reading.split(",")}
    named = {option.partition("=")[0] for option in wanted if "=" in option}
    found = [option for option in options if option in known or option.partition("=")[0] in named]
    order = [option for option in options if option in wanted] + [option for option in wanted if option not in options]
    return ",".join(order), ",".join(found) or (DEFAULT if options else "")
