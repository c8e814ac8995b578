"""From what a site states of a setting to where it lies on this system, in plain values that a journal can hold."""

from pathlib import Path
from types import ModuleType
from typing import Any

from coldcache.errors import SettingError
from coldcache.mounts import find_mount
from coldcache.nfs_lab import guest
from coldcache.setting_kinds import (
    CommandSetting,
    FileSetting,
    GuestSetting,
    Kind,
    LctlSetting,
    MountSetting,
    PreparedMounts,
    SysctlSetting,
)
from coldcache.settings import kernel_value, mount_option, prepared_mount, site_commands

_MODULES = {
    "kernel-value": kernel_value,
    "mount-option": mount_option,
    "prepared-mount": prepared_mount,
    "site-commands": site_commands,
}


def locate(kind: Kind, folder: Path, sweep: Path | None = None) -> dict[str, Any]:
    """Return where a setting lies on this system.

    Parameters
    ----------
    kind : Kind
        As the site or the study states it.
    folder : Path
        A folder of the target, whose device and mount stand in where none is named.
    sweep : Path, optional
        The folder of the trial's sweep on the target; `folder` when left out.

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
        case PreparedMounts():
            place = (sweep or folder).absolute().parent
            return {
                "module": "prepared-mount", "place": str(place), "values": list(kind.values.values()),
                "own": [(sweep or folder).name], "shown_as": f"what is mounted on {place}", **address,
                "value_of": {**address["value_of"], prepared_mount.NONE: prepared_mount.NONE},
            }  # fmt: skip
        case CommandSetting():
            apply, verify, restore = (
                [word.replace("{folder}", str(sweep or folder)) for word in words]
                for words in (kind.apply, kind.verify, kind.restore)
            )
            return {
                "module": "site-commands", "apply": apply, "verify": verify, "restore": restore,
                "root": kind.root, "seconds": kind.seconds, "shown_as": " ".join(verify), **address,
                "outlives_restart": True,
                "folder": str(sweep or folder) if "{folder}" in " ".join([*kind.apply, *kind.verify]) else "",
            }  # fmt: skip
        case LctlSetting(name=name):
            return {
                "module": "site-commands", "apply": ["lctl", "set_param", f"{name}={{level}}"],
                "verify": ["lctl", "get_param", "-n", name], "restore": [], "root": True, "seconds": 60.0,
                # One line for each instance; what is in force is told once.
                "is_listed": True, "shown_as": f"lctl get_param {name}", **address,
            }  # fmt: skip
        case GuestSetting():
            raise SettingError("the guest itself puts it in force when it starts")


def module_of(address: dict[str, Any]) -> ModuleType:
    """Return the module that reads and writes what lies at an address."""
    return _MODULES[address["module"]]


def why_not(kind: Kind, folder: Path, sweep: Path | None = None) -> str:
    """Return why a setting cannot be put in force on this system; empty where it can."""
    if isinstance(kind, GuestSetting):
        return guest.why_not()
    try:
        address = locate(kind, folder, sweep)
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
