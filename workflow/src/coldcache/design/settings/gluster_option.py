"""An option of a GlusterFS volume."""

from typing import Literal

from pydantic import Field

from coldcache.design.settings.base import Setting


class VolumeSetting(Setting):
    """An option of a GlusterFS volume, the client's if it has any part in it; it needs root."""

    kind: Literal["gluster"]
    volume: str = Field(pattern=r"^[A-Za-z0-9_-]+$", description="The volume that the target is mounted from.")
    option: str = Field(pattern=r"^[A-Za-z0-9_.-]+$", description="Such as performance.write-behind.")
    slow: bool = Field(True, description="Each change loads a new graph in every client.")

    @property
    def is_of_node(self) -> bool:
        """Whether each node has it for itself: no, the volume has it for all."""
        return False
