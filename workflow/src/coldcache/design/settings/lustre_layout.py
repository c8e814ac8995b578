"""The layout that Lustre gives to files and directories."""

from typing import Literal

from pydantic import Field

from coldcache.design.settings.base import Setting


class LayoutSetting(Setting):
    """How Lustre spreads the files and directories of the sweep's folder: by lfs setstripe, or lfs mkdir."""

    kind: Literal["lfs"]
    of: Literal["stripe-count", "stripe-size", "mdt-count"] = Field(
        description="What a level is: targets of a file, bytes before the next one, metadata targets of a directory."
    )
    fresh_files: bool = Field(True, description="Files and directories keep the layout that they were created with.")

    @property
    def is_of_node(self) -> bool:
        """Whether each node has it for itself: no, the file system has it for all."""
        return False
