"""Read the levels of a trial's factors as its guest had them in force."""

import re
from collections.abc import Mapping
from typing import Any

from coldcache.core.outcome import SettingReading
from coldcache.design.settings.mount_option import DEFAULT
from coldcache.design.settings.nfs_guest import GuestSetting

_WHERE = {
    "mount": "/proc/mounts of the guest", "sysctl": "sysctl of the guest", "network": "tc qdisc of the guest",
    "server-network": "tc qdisc of the guest's server", "disk": "dmsetup table of the guest",
    "array": "dmsetup table of the guest",
}  # fmt: skip

#: What netem does, as tc(8) reads and prints it; without a delay it prints none. ``bps`` are bytes per second.
_DELAY = re.compile(r"\bdelay ([0-9.]+) ?(us|ms|s)\b")
_RATE = re.compile(r"\brate ([0-9.]+)([kmg]?)(bit|bps)\b", re.IGNORECASE)
#: Words of a disk that are no layers.
_BOUNDS = {"rate", "cache-rate"}

_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_BITS = {"": 1, "k": 1_000, "m": 1_000_000, "g": 1_000_000_000, "bit": 1, "bps": 8}


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
        case "network" | "server-network":
            found = texts.get(kind.of.replace("-", " "), "")
            return _name_link(asked, asked), _name_link(asked, found) if "netem" in found else ""
        case "disk" | "array":
            return _order(kind, level, _read_disk(kind.names(), texts))
    # Clients share their options.
    mount = texts.get("negotiated mount", "").partition("\n")[0]
    asked, found = _order(kind, level, _choose_options(kind, level, re.split("[, ]", mount) if mount else []))
    return asked, found or (DEFAULT if mount else "")


def _read_disk(names: set[str], texts: Mapping[str, str]) -> list[str]:
    """Return the bounds of the disk that a setting names, and all layers if it names any."""
    limits = [line for line in texts.get("disk limits", "").splitlines() if line.partition("=")[0] in names]
    layers = [_name_layer(line) for line in texts.get("server disk", "").splitlines()] if names - _BOUNDS else []
    return [*limits, *filter(None, layers)]


def _name_link(asked: str, text: str) -> str:
    """Return delay and rate of a link, each if it is asked for: ``delay 0.001s rate 100000000bit``."""
    delay, rate = _DELAY.search(text), _RATE.search(text)
    parts = []
    if "rate" not in asked or "delay" in asked:
        parts.append(f"delay {float(delay[1]) * _SECONDS[delay[2]]:g}s" if delay else "delay 0s")
    if "rate" in asked:
        scale = _BITS[rate[2].lower()] * _BITS[rate[3].lower()] if rate else 0
        parts.append(f"rate {float(rate[1]) * scale:.0f}bit" if rate else "no rate")
    return " ".join(parts)


def _name_layer(line: str) -> str:
    """Return a layer from its line, ``layer0: 0 524288 delay 1:0 0 10`` as ``delay=10``; empty for a bare device."""
    words = line.split()
    kind = words[3] if len(words) > 3 else ""
    return f"delay={words[6]}" if kind == "delay" else kind.replace("linear", "")


def _read_parameters(asked: str, parameters: Mapping[str, str]) -> str:
    names = [part.partition("=")[0].strip() for part in asked.split(";") if part.strip()]
    return "; ".join(f"{name}={parameters.get(name, '')}" for name in names)


def _choose_options(kind: GuestSetting, level: Any, options: list[str]) -> list[str]:
    """Return the options of a mount that are of a setting's kind."""
    known = {word for reading in kind.readings(level) for word in kind.split(reading)}
    named = {word.partition("=")[0] for word in kind.split(kind.reading(level)) if "=" in word}
    return [option for option in options if option in known or option.partition("=")[0] in named]


def _order(kind: GuestSetting, level: Any, found: list[str]) -> tuple[str, str]:
    """Return the words of a level, and those that were found, both in the order in which they were found."""
    wanted = kind.split(kind.reading(level))
    order = [word for word in found if word in wanted] + [word for word in wanted if word not in found]
    separator = "," if kind.of == "mount" else "; "
    return separator.join(order), separator.join(found)
