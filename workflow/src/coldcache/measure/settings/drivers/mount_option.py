"""An option of a mounted file system: changed by remounting, read back as it was negotiated."""

from pathlib import Path
from typing import Any

from coldcache.core.errors import SettingError
from coldcache.design.settings.mount_option import DEFAULT, MountSetting
from coldcache.measure.host.mounts import find_mount
from coldcache.measure.host.sudo import run_command, why_no_root

NAME = "mount-option"
KINDS = (MountSetting,)


def locate(setting: MountSetting, folder: Path, sweep: Path) -> dict[str, Any]:
    """Return the mount point."""
    point = setting.point or find_mount(folder).point
    return {"point": point, "shown_as": f"mount options of {point}"}


def why_not(address: dict) -> str | None:
    """Return why the file system cannot be remounted here; None if it can."""
    if find_mount(Path(address["point"])).point != address["point"]:
        return f"nothing is mounted on {address['point']}"
    reason = why_no_root()
    return f"mount: {reason}" if reason else None


def read(address: dict, lock: int) -> str:
    """Return which of the levels' options is in force; ``default`` if the kernel lists none of them.

    Raises
    ------
    SettingError
        If nothing is mounted there, or if no option is listed and no level reads as ``default``: what is in force
        could then be neither named nor restored.
    """
    mount = find_mount(Path(address["point"]))
    if mount.point != address["point"]:
        raise SettingError(f"nothing is mounted on {address['point']}")
    options = mount.options.split(",")
    found = [reading for reading in address["value_of"] if reading != DEFAULT and reading in options]
    if not found and DEFAULT not in address["value_of"]:
        raise SettingError(f"{address['point']} shows none of {', '.join(address['value_of'])}, but {mount.options}")
    return ",".join(found) or DEFAULT


def apply(address: dict, value: str, lock: int) -> None:
    """Remount with an option; raises `SettingError` if the file system refuses it."""
    run_command(["mount", "-o", f"remount,{value}", address["point"]], root=True, lock=lock)


restore = apply
