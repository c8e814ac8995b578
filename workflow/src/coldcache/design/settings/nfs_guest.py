"""Options of the guest in which a trial runs on an NFS mount, and the guest that a case's options describe."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal, NamedTuple

from pydantic import Field

from coldcache.core.yaml_models import Seconds
from coldcache.design.settings.base import Setting, level_as_text

#: Seconds that a guest takes to start, to serve and to end, and for each further client.
OVERHEAD_SECONDS, SECONDS_PER_CLIENT = 6.0, 0.4

#: Where a guest has its mount; nothing of it lies on the site's target.
FOLDER = "/run/data"


class GuestSetting(Setting):
    """An option of the guest in which the trial runs on an NFS mount of its own."""

    in_guest: ClassVar[bool] = True

    kind: Literal["nfs-guest"]
    of: Literal["mount", "sysctl", "network", "server-network", "disk", "array"] = Field(
        "mount",
        description="What a level's value is of: options of the mount, kernel parameters, links of the clients or of "
        "the server (delay 1ms, rate 100mbit), or layers of a disk, separated by semicolons (rate=64000000; delay=10; "
        "cache-rate=16000000; writecache). The disk is the server's, or an array's that is used without NFS.",
    )
    option: str = Field(
        "{level}", description="The value of a level that values does not state; {level} stands for the level."
    )
    outage: Seconds = Field(0.0, ge=0, description="How long the server stops while the tool runs.")

    @property
    def is_of_node(self) -> bool:
        """Whether each node has it for itself: no, it is the guest's."""
        return False

    def value(self, level: Any) -> str:
        """Return what puts a level in force: mount options, or words separated by semicolons."""
        return self.values.get(level_as_text(level), self.option.replace("{level}", level_as_text(level)))

    def words(self, level: Any) -> list[str]:
        """Return the words of a level's value, one for each option."""
        return self.split(self.value(level))

    def names(self) -> set[str]:
        """Return the names of the options that any level states: ``wsize`` of ``wsize=65536``."""
        stated = [*self.values.values()] or [self.option]
        return {word.partition("=")[0].strip() for value in stated for word in self.split(value)}

    def split(self, text: str) -> list[str]:
        """Return the words of a text, which commas separate if they are mount options, and semicolons otherwise."""
        return [word.strip() for word in text.split("," if self.of == "mount" else ";") if word.strip()]


class Guest(NamedTuple):
    """The options of a case's guest.

    Attributes
    ----------
    mount : tuple of str
        Mount options, each once; empty if the command uses the disk without NFS.
    parameters : tuple of str
        Kernel parameters, as ``name=value``.
    outage : float
        How long the server stops, in s; 0 if it does not.
    network, server_network : str
        What netem does to each packet of a client's link, and of the server's, in the words of tc-netem(8).
    layers : tuple of str
        Layers and bounds of the disk, the lowest one first.
    clients : int
        NFS clients, each with a link and a mount of its own.
    """

    mount: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    outage: float = 0.0
    network: str = ""
    server_network: str = ""
    layers: tuple[str, ...] = ()
    clients: int = 1

    @property
    def seconds(self) -> float:
        """What it takes besides the tool, in s."""
        return OVERHEAD_SECONDS + SECONDS_PER_CLIENT * (self.clients - 1)

    @property
    def mounts(self) -> tuple[str, ...]:
        """The folder as each client has it mounted; empty for a single client, whose mount is the folder itself."""
        return tuple(f"{FOLDER}/c{number + 1}" for number in range(self.clients)) if self.clients > 1 else ()


def describe_guest(
    settings: Mapping[str, Any],
    factors: Mapping[str, Any],
    base: str,
    standing: Iterable[str] = (),
    array: Iterable[str] = (),
) -> Guest | None:
    """Return the options of a case's guest; None if the case runs on this system itself.

    Parameters
    ----------
    settings : mapping
        The kind of each factor that is put in force.
    factors : mapping
        The level of each factor; ``nodes`` is the number of clients.
    base : str
        Mount options that apply unless a factor states another value of them.
    standing : iterable of str
        Kernel parameters that apply unless a factor varies the same ones.
    array : iterable of str
        Bounds and layers of an array's disks that apply unless a factor varies the same ones.
    """
    kinds = {factor: kind for factor, kind in settings.items() if isinstance(kind, GuestSetting)}
    if not kinds:
        return None
    parts: dict[str, list[str]] = {}
    for factor, kind in kinds.items():
        parts.setdefault(kind.of, []).extend(kind.words(factors[factor]))
    if "array" in parts:
        parts["array"] = _leave_out(array, "array", kinds.values()) + parts["array"]
    return Guest(
        () if "array" in parts else _state_mount([*filter(None, base.split(",")), *parts.get("mount", [])]),
        (*_leave_out(standing, "sysctl", kinds.values()), *parts.get("sysctl", [])),
        max(kind.outage for kind in kinds.values()), " ".join(parts.get("network", [])),
        " ".join(parts.get("server-network", [])), (*parts.get("disk", []), *parts.get("array", [])),
        int(factors.get("nodes", 1)),
    )  # fmt: skip


def _leave_out(words: Iterable[str], of: str, kinds: Iterable[GuestSetting]) -> list[str]:
    """Return the words of which no setting of that part states another value."""
    varied = set[str]().union(*(kind.names() for kind in kinds if kind.of == of))
    return [word for word in words if _name(word) not in varied]


def _state_mount(options: Iterable[str]) -> tuple[str, ...]:
    """Return mount options, the last value of each."""
    stated = {_name(option): option for option in options}
    if stated.get("vers") == "vers=3":
        # The lock manager of NFS 3 would need another daemon.
        stated.setdefault("nolock", "nolock")
    return tuple(stated.values())


def _name(word: str) -> str:
    return word.partition("=")[0].strip()
