"""Commands: the site's own, or lctl of Lustre."""

from typing import Literal

from pydantic import Field

from coldcache.core.yaml_models import Seconds
from coldcache.design.settings.base import Argv, Setting


class CommandSetting(Setting):
    """The site's own commands, such as those of an array controller."""

    kind: Literal["commands"]
    apply: Argv = Field(
        description="Puts a level in force; {level} stands for its value, {folder} for the sweep's folder."
    )
    verify: Argv = Field(description="Prints what is in force, and nothing else.")
    restore: list[str] = Field(
        default_factory=list,
        description="Restores what was read before the first change, {before}; apply with that value if left out.",
    )
    every_node: bool | None = Field(
        None,
        description="On a cluster: true if each node runs them for itself, false if one node runs them for all.",
    )
    root: bool = Field(False, description="Whether they need root, and so go through sudo -n.")
    seconds: Seconds = Field(60.0, gt=0, description="The longest that one of them may take.")

    @property
    def is_of_node(self) -> bool | None:
        """Whether each node has it for itself; None if that is not stated and the commands name no folder."""
        words = " ".join([*self.apply, *self.verify])
        return False if self.every_node is None and "{folder}" in words else self.every_node


class LctlSetting(Setting):
    """A parameter of the Lustre client, the same in all instances that the name matches; it needs root."""

    kind: Literal["lctl"]
    name: str = Field(pattern=r"^[A-Za-z0-9_.*-]+$", description="Such as osc.*.max_rpcs_in_flight.")
