"""What the model is made of, and every limit that it is given."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.units import MIB, show_bytes, show_rate, show_seconds
from coldcache.core.yaml_models import Bytes, Rate, Seconds, Strict

GIB = 1 << 30

Count = Annotated[int, Field(ge=1, le=64)]
Size = Annotated[Bytes, Field(ge=MIB)]
#: Below 100 kB/s a target needs minutes to answer what the file system itself writes to it.
Limit = Annotated[Rate, Field(ge=1e5)]

#: Limits that change while the model is up; the other values are those that it was started with.
MODEL_LIMITS = (
    "target_rate",
    "target_iops",
    "request_size",
    "write_cache",
    "uncached_write_rate",
    "metadata_cpu",
    "node_rate",
    "client_rate",
    "network_delay",
)

#: What remounting every client changes.
CLIENT_VALUES = ("client_cache", "client_cache_size", "client_dirty", "read_ahead")


class Specification(Strict):
    """Parts and limits of a model, in B, B/s, 1/s and s. None stands for no limit."""

    targets: Count = Field(8, description="Storage targets; each has a device and a server process of its own.")
    storage_nodes: Count = Field(2, description="Nodes that the targets are dealt out to, each with one link.")
    metadata_servers: Annotated[int, Field(ge=1, le=8)] = Field(
        2, description="Active metadata servers; the folder mdt0 belongs to the first, mdt1 to the second, and so on."
    )
    standby_servers: Annotated[int, Field(ge=0, le=4)] = Field(
        0, description="Metadata servers that take over where an active one fails."
    )
    clients: Count = Field(4, description="Client nodes, each with a mount and a link of its own.")

    target_size: Size = Field(4 * GIB, description="Size of a target; its image takes only what is written, in B.")
    target_rate: Limit | None = Field(1e7, description="The most that a target reads, and that it writes, in B/s.")
    target_iops: Annotated[float, Field(ge=10)] | None = Field(
        None, description="The most requests that a target's device reads, and writes, in 1/s."
    )
    request_size: Annotated[Bytes, Field(ge=4096, multiple_of=1024)] | None = Field(
        None, description="The largest request that the block layer sends to a target's device, in B."
    )
    write_cache: bool = Field(True, description="Whether the targets' devices say that they have a write cache.")
    uncached_write_rate: Limit | None = Field(
        None, description="The most that a target writes while its write cache is off, in B/s; None: as with it."
    )
    metadata_cpu: Annotated[float, Field(ge=0.01, le=64)] | None = Field(
        None, description="The most of one core that each metadata server gets: 0.2 is a fifth."
    )
    node_rate: Limit | None = Field(None, description="The most over a storage node's link, each way, in B/s.")
    client_rate: Limit | None = Field(None, description="The most over a client's link, each way, in B/s.")
    network_delay: Annotated[Seconds, Field(ge=0, le=1)] = Field(
        0.0, description="Added to every packet on a client's link, each way, in s: a round trip takes twice as long."
    )

    client_cache: bool = Field(True, description="Whether clients keep what they read and write.")
    client_cache_size: Size = Field(512 * MIB, description="The most that a client keeps, in B.")
    client_dirty: Size = Field(
        64 * MIB, description="The most that a client holds unwritten, in B; never more than half of its cache."
    )
    read_ahead: Size = Field(16 * MIB, description="The most that a client reads ahead of each reader, in B.")
    kernel_cache: bool = Field(
        False, description="Whether the kernel caches clients' files, too; reading ahead suffers: docs/the-model.md."
    )

    failure_grace: Annotated[Seconds, Field(ge=2)] = Field(
        600.0, description="How long a server may be silent before it is taken for dead, in s."
    )
    io_timeout: Annotated[Seconds, Field(ge=1)] | None = Field(
        None, description="After this long a read or write that no target answers fails, in s; None: it waits."
    )

    @model_validator(mode="after")
    def _refuse_what_does_not_fit(self) -> Self:
        if self.storage_nodes > self.targets:
            raise DesignError(f"storage_nodes: {self.storage_nodes} nodes for {self.targets} targets; a node needs one")
        if self.target_size < GIB:
            raise DesignError(f"target_size: {self.target_size} B; a target needs 1 GiB for what it keeps of itself")
        return self

    @property
    def unwritten(self) -> int:
        """The most that a client holds unwritten, in B: the levels of a small cache bound it, too."""
        return min(self.client_dirty, self.client_cache_size // 2)

    def node_of(self, target: int) -> int:
        """Return the storage node that a target belongs to; both count from 1."""
        return (target - 1) * self.storage_nodes // self.targets + 1

    def change(self, **values: object) -> "Specification":
        """Return a specification with other values.

        Raises
        ------
        pydantic.ValidationError
            If a value has another type, lies out of its bounds, or is of no key.
        """
        return Specification.model_validate({**self.model_dump(), **values})

    @property
    def write_rate(self) -> float | None:
        """The most that each target writes, in B/s, with its write cache as it is."""
        if self.write_cache or self.uncached_write_rate is None:
            return self.target_rate
        return min(self.uncached_write_rate, self.target_rate or self.uncached_write_rate)


def show_value(key: str, value: object) -> str:
    """Return a value of the specification with its unit, such as ``10.0 MB/s`` or ``no limit``."""
    if value is None:
        return "no limit"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return {True: "on", False: "off"}.get(value, str(value))  # type: ignore[call-overload]
    if key.endswith("_rate"):
        return show_rate(value, "B/s")
    if key.endswith("_size") or key in ("client_dirty", "read_ahead"):
        return show_bytes(value)
    if key == "network_delay":
        return show_rate(value, "s") if value else "none"
    if key in ("failure_grace", "io_timeout"):
        return show_seconds(value)
    if key == "metadata_cpu":
        return f"{value:g} of a core"
    return f"{value:g} /s" if key == "target_iops" else f"{value:g}"
