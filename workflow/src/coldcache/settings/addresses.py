"""From what a site states of a setting to where it lies on this system, in plain values that a journal can hold."""

from pathlib import Path
from types import ModuleType
from typing import Any

from coldcache.errors import SettingError
from coldcache.provenance import find_mount
from coldcache.setting_kinds import CommandSetting, FileSetting, Kind, MountSetting, SysctlSetting
from coldcache.settings import kernel_value, mount_option, site_commands

_MODULES = {"kernel-value": kernel_value, "mount-option": mount_option, "site-commands": site_commands}


def locate(kind: Kind, folder: Path) -> dict[str, Any]:
    """Return where a setting lies on this system.

    Parameters
    ----------
    kind : Kind
        As the site or the study states it.
    folder : Path
        A folder of the target, whose device and mount stand in where none is named.

    Raises
    ------
    SettingError
        If the path names the target's device and the target has none.
    """
    address: dict[str, Any] = {"value_of": kind.value_of_reading(), "outlives_restart": False}
    match kind:
        case FileSetting(path=path):
            if "{device}" in path:
                path = path.replace("{device}", _name_device(folder))
            return {"module": "kernel-value", "path": path, "shown_as": path, **address}
        case SysctlSetting(name=name):
            return {"module": "kernel-value", "path": kernel_value.path_of_sysctl(name), "shown_as": name, **address}
        case MountSetting(point=point):
            point = point or find_mount(folder).point
            return {"module": "mount-option", "point": point, "shown_as": f"mount options of {point}", **address}
        case CommandSetting():
            return {
                "module": "site-commands", "apply": kind.apply, "verify": kind.verify, "restore": kind.restore,
                "root": kind.root, "seconds": kind.seconds, "shown_as": " ".join(kind.verify), **address,
                "outlives_restart": True,
            }  # fmt: skip


def module_of(address: dict[str, Any]) -> ModuleType:
    """Return the module that reads and writes what lies at an address."""
    return _MODULES[address["module"]]


def why_not(kind: Kind, folder: Path) -> str:
    """Return why a setting cannot be put in force on this system; empty where it can."""
    try:
        address = locate(kind, folder)
        return module_of(address).why_not(address)
    except (SettingError, OSError) as error:
        return str(error)


def _name_device(folder: Path) -> str:
    """Return the name of the whole block device under a folder, such as ``sda`` for a folder on ``sda1``."""
    mount = find_mount(folder)
    link = Path(f"/sys/dev/block/{mount.device}")
    if not link.exists():
        raise SettingError(f"{folder} lies on {mount.filesystem}, which has no block device")
    disk = link.resolve()
    return disk.parent.name if (disk / "partition").exists() else disk.name
