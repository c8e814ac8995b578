"""Options of a guest, which the guest itself puts in force when it starts."""

from pathlib import Path
from typing import Any

from coldcache.core.errors import SettingError
from coldcache.design.settings.nfs_guest import GuestSetting
from coldcache.measure.nfs_guest import start as guest

NAME = "nfs-guest"
KINDS = (GuestSetting,)


def locate(setting: GuestSetting, folder: Path, sweep: Path) -> dict[str, Any]:
    """Return an address without a place: nothing on this system has the setting."""
    return {"shown_as": "the guest"}


def why_not(address: dict) -> str | None:
    """Return why no guest can be started here; None if one can."""
    return guest.explain_no_guest() or None


def read(address: dict, lock: int) -> str:
    """Raise `SettingError`: only the guest knows."""
    raise SettingError("the guest itself puts it in force when it starts")


def apply(address: dict, value: str, lock: int) -> None:
    """Raise `SettingError`: only the guest can."""
    raise SettingError("the guest itself puts it in force when it starts")


restore = apply
