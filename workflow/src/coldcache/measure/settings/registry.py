"""From what a site states of a setting to where it lies on this system, in plain values that a journal can hold."""

from pathlib import Path
from types import ModuleType
from typing import Any

from coldcache.core.errors import SettingError
from coldcache.design.settings import (
    CommandSetting,
    FileSetting,
    GuestSetting,
    Kind,
    LayoutSetting,
    LctlSetting,
    LimitSetting,
    MountSetting,
    PreparedMounts,
    SysctlSetting,
    TunedSetting,
    VolumeSetting,
)
from coldcache.measure.host.mounts import find_mount
from coldcache.measure.nfs_guest import start as guest
from coldcache.measure.settings.drivers import bind_mount as prepared_mount
from coldcache.measure.settings.drivers import cgroup_limit as device_limit
from coldcache.measure.settings.drivers import commands as site_commands
from coldcache.measure.settings.drivers import gluster_option as volume_option
from coldcache.measure.settings.drivers import kernel_value, lustre_layout, mount_option, tuned_profile

_MODULES = {
    "kernel-value": kernel_value,
    "mount-option": mount_option,
    "prepared-mount": prepared_mount,
    "site-commands": site_commands,
    "lustre-layout": lustre_layout,
    "volume-option": volume_option,
    "tuned-profile": tuned_profile,
    "device-limit": device_limit,
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
    place = _place(kind, folder, sweep or folder)
    return {"outlives_restart": False, **place, "value_of": {**kind.value_of_reading(), **place.get("value_of", {})}}


def _place(kind: Kind, folder: Path, sweep: Path) -> dict[str, Any]:
    match kind:
        case FileSetting(path=path):
            path = path.replace("{device}", _name_device(folder)) if "{device}" in path else path
            return {"module": "kernel-value", "path": path, "shown_as": path}
        case SysctlSetting(name=name):
            return {"module": "kernel-value", "path": kernel_value.path_of_sysctl(name), "shown_as": name}
        case MountSetting(point=point):
            point = point or find_mount(folder).point
            return {"module": "mount-option", "point": point, "shown_as": f"mount options of {point}"}
        case PreparedMounts(values=values):
            place = sweep.absolute().parent
            return {
                "module": "prepared-mount", "place": str(place), "values": list(values.values()), "own": [sweep.name],
                "shown_as": f"what is mounted on {place}", "value_of": {prepared_mount.NONE: prepared_mount.NONE},
            }  # fmt: skip
        case CommandSetting():
            return _place_commands(kind, sweep)
        case LctlSetting(name=name):
            return {
                "module": "site-commands", "apply": ["lctl", "set_param", f"{name}={{level}}"],
                "verify": ["lctl", "get_param", "-n", name], "restore": [], "root": True, "seconds": 60.0,
                # One line for each instance; what is in force is told once.
                "is_listed": True, "shown_as": f"lctl get_param {name}",
            }  # fmt: skip
        case LayoutSetting(of=of):
            return {
                "module": "lustre-layout", "of": of, "folder": str(sweep), "outlives_restart": True,
                "shown_as": f"{of} by lfs of {sweep}",
            }  # fmt: skip
        case VolumeSetting(volume=volume, option=option):
            return {
                "module": "volume-option", "volume": volume, "option": option, "point": find_mount(folder).point,
                "outlives_restart": True, "shown_as": f"{option} of the volume {volume}",
            }  # fmt: skip
        case TunedSetting():
            return {"module": "tuned-profile", "outlives_restart": True, "shown_as": "tuned-adm active"}
        case LimitSetting():
            name = _name_device(folder)
            if _holds_root(name):
                raise SettingError(f"{name} holds the root file system, which would be slowed with all that uses it")
            group = device_limit.find_group()
            # The limit goes with its group.
            return {
                "module": "device-limit", "device": Path(f"/sys/class/block/{name}/dev").read_text().strip(),
                "folder": group, "shown_as": f"limit of {name} in {group}",
            }  # fmt: skip
        case GuestSetting():
            raise SettingError("the guest itself puts it in force when it starts")


def _place_commands(kind: CommandSetting, sweep: Path) -> dict[str, Any]:
    apply, verify, restore = (
        [word.replace("{folder}", str(sweep)) for word in words] for words in (kind.apply, kind.verify, kind.restore)
    )
    return {
        "module": "site-commands", "apply": apply, "verify": verify, "restore": restore, "root": kind.root,
        "seconds": kind.seconds, "shown_as": " ".join(verify), "outlives_restart": True,
        "folder": str(sweep) if "{folder}" in " ".join([*kind.apply, *kind.verify]) else "",
    }  # fmt: skip


def module_of(address: dict[str, Any]) -> ModuleType:
    """Return the module that reads and writes what lies at an address."""
    return _MODULES[address["module"]]


def why_not(kind: Kind, folder: Path, sweep: Path | None = None) -> str | None:
    """Return why a setting cannot be put in force on this system; empty where it can."""
    if isinstance(kind, GuestSetting):
        return guest.why_not()
    try:
        address = locate(kind, folder, sweep)
        return module_of(address).why_not(address)
    except (SettingError, OSError) as error:
        return str(error)


def _holds_root(name: str) -> bool:
    try:
        return _name_device(Path("/")) == name
    except SettingError:
        return False


def _name_device(folder: Path) -> str:
    """Return the name of the whole block device under a folder, such as ``sda`` for a folder on ``sda1``."""
    mount = find_mount(folder)
    link = Path(f"/sys/dev/block/{mount.device}")
    if not link.exists():
        raise SettingError(f"{folder} lies on {mount.filesystem}, which has no block device")
    disk = link.resolve()
    return disk.parent.name if (disk / "partition").exists() else disk.name
