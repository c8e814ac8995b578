"""A limit of a device's IOPS."""

from typing import ClassVar, Literal

from coldcache.design.settings.base import Setting


class LimitSetting(Setting):
    """A limit of the IOPS of the target's device, which is a level's value, by a control group; it needs root."""

    of_one_machine: ClassVar[str | None] = "a control group"

    kind: Literal["cgroup"]
