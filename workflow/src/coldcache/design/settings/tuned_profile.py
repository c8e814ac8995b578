"""A profile of tuned."""

from typing import Literal

from pydantic import Field

from coldcache.design.settings.base import Setting


class TunedSetting(Setting):
    """A profile of tuned, which is a level's value; it needs root."""

    kind: Literal["tuned"]
    slow: bool = Field(True, description="A profile changes many things at once.")
