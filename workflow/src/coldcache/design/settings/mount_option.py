"""An option of the target's mount."""

from typing import Literal

from pydantic import Field

from coldcache.design.settings.base import Setting

#: What is read if the kernel lists no such option, as it does with defaults.
DEFAULT = "default"


class MountSetting(Setting):
    """An option of the target's mount, changed by remounting."""

    kind: Literal["mount"]
    point: str = Field("", description="Where it is mounted; the target's file system when left out.")
