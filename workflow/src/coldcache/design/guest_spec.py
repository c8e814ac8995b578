"""The options with which a trial's guest starts."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from coldcache.design.settings.nfs_guest import GuestSetting

#: Seconds that a guest takes to start, to serve and to end.
OVERHEAD_SECONDS = 6.0


class Guest(NamedTuple):
    """The options of a case's guest.

    Attributes
    ----------
    mount : tuple of str
        Mount options, each once.
    parameters : tuple of str
        Kernel parameters, as ``name=value``.
    outage : float
        How long the server stops, in s; 0 if it does not.
    network : str
        What netem does to each packet, in the words of tc-netem(8).
    layers : tuple of str
        Layers of the device mapper on the server's disk, the lowest one first.
    """

    mount: tuple[str, ...]
    parameters: tuple[str, ...]
    outage: float
    network: str = ""
    layers: tuple[str, ...] = ()


def describe_guest(
    settings: Mapping[str, Any], factors: Mapping[str, Any], base: str, standing: Iterable[str] = ()
) -> Guest | None:
    """Return the options of a case's guest; None if the case runs on this system itself.

    Parameters
    ----------
    settings : mapping
        The kind of each factor that is put in force.
    factors : mapping
        The level of each factor.
    base : str
        Mount options that apply unless a factor states another value of them.
    standing : iterable of str
        Kernel parameters that apply unless a factor varies some.
    """
    kinds = {factor: kind for factor, kind in settings.items() if isinstance(kind, GuestSetting)}
    if not kinds:
        return None
    stated: dict[str, str] = {}
    parts: dict[str, list[str]] = {"sysctl": [], "network": [], "disk": []}
    options = [option for option in base.split(",") if option]
    for factor, kind in kinds.items():
        value = kind.value(factors[factor])
        if kind.of == "mount":
            options += [option for option in value.split(",") if option]
        else:
            parts[kind.of] += [part.strip() for part in value.split(";") if part.strip()]
    parameters = parts["sysctl"] if any(kind.of == "sysctl" for kind in kinds.values()) else list(standing)
    for option in options:
        stated[option.partition("=")[0]] = option
    if stated.get("vers") == "vers=3":
        # The lock manager of NFS 3 would need another daemon.
        stated.setdefault("nolock", "nolock")
    outage = max(kind.outage for kind in kinds.values())
    return Guest(tuple(stated.values()), tuple(parameters), outage, " ".join(parts["network"]), tuple(parts["disk"]))
