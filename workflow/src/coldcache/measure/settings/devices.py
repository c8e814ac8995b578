"""Block devices under a folder."""

from pathlib import Path

from coldcache.core.errors import SettingError
from coldcache.measure.host.counters import find_block_device, list_members
from coldcache.measure.host.mounts import Mount, find_mount

_ROOT = Path("/")


def name_device(folder: Path, root: Path = _ROOT) -> str:
    """Return the name of the whole block device under a folder, such as ``sda`` for a folder on ``sda1``.

    Parameters
    ----------
    folder : Path
        The folder.
    root : Path
        The root of the kernel's files.

    Raises
    ------
    SettingError
        If the folder's file system has no block device, or is spread over several: a value of one of them would leave
        the others as they are.
    """
    mount = find_mount(folder)
    names = _name_devices(mount, root)
    if not names:
        raise SettingError(f"{folder} lies on {mount.filesystem}, which has no block device")
    if len(names) > 1:
        raise SettingError(
            f"{folder} lies on {mount.filesystem} on {len(names)} devices ({', '.join(names)}), and only one of them "
            "would change: name a target on a single device, or state the setting as commands that change all"
        )
    return names[0]


def holds_root(name: str, root: Path = _ROOT) -> bool:
    """Return whether a block device holds the root file system, or a part of it."""
    return name in _name_devices(find_mount(Path("/")), root)


def _name_devices(mount: Mount, root: Path) -> list[str]:
    """Return the names of the whole block devices under a mount, each once; one that has left the system is unknown."""
    number = find_block_device(mount, root)
    members = list_members(number, root) if number else []
    disks = [(root / f"sys/dev/block/{member}").resolve() if member else Path("unknown") for member in members]
    return sorted({disk.parent.name if (disk / "partition").exists() else disk.name for disk in disks})
