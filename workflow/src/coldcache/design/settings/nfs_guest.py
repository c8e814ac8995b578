"""Options of the guest in which a trial runs on an NFS mount."""

from typing import Any, ClassVar, Literal

from pydantic import Field

from coldcache.core.yaml_models import Seconds
from coldcache.design.settings.base import Setting, name_level


class GuestSetting(Setting):
    """An option of the guest in which the trial runs on an NFS mount of its own."""

    in_guest: ClassVar[bool] = True

    kind: Literal["nfs-guest"]
    of: Literal["mount", "sysctl", "network", "disk"] = Field(
        "mount",
        description="What a level's value is of: options of the mount, kernel parameters, the delay of each packet "
        "(delay 1ms), or the layers of the server's disk, separated by semicolons (delay=10; writecache).",
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
        """Return what puts a level in force: mount options, or parts separated by semicolons."""
        return self.values.get(name_level(level), self.option.replace("{level}", name_level(level)))
