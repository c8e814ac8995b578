"""A choice among mounts that the site has prepared."""

from typing import Literal

from pydantic import Field

from coldcache.design.settings.base import Setting, TextMap


class PreparedMounts(Setting):
    """A choice among mounts that the site has prepared, such as of other versions of NFS."""

    kind: Literal["mounts"]
    values: TextMap = Field(min_length=1, description="The mount point of each level; each is mounted, and empty.")
