"""A value of the kernel: a file in sysfs or procfs, or a parameter of sysctl."""

from typing import Literal

from pydantic import Field, field_validator

from coldcache.core.errors import DesignError
from coldcache.design.settings.base import Setting


class FileSetting(Setting):
    """A value in sysfs or procfs."""

    kind: Literal["file"]
    path: str = Field(
        pattern=r"^/(sys|proc)/.",
        description="The file; {device} stands for the name of the target's block device, such as sda.",
    )

    @field_validator("path")
    @classmethod
    def _refuse_a_way_out(cls, path: str) -> str:
        if ".." in path.split("/"):
            raise DesignError(f'"{path}" leads out of sysfs and procfs; write the whole path')
        return path


class SysctlSetting(Setting):
    """A kernel parameter."""

    kind: Literal["sysctl"]
    name: str = Field(pattern=r"^[A-Za-z0-9_./-]+$", description="Such as vm.dirty_ratio.")
