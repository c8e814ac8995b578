"""Block devices under a folder."""

from pathlib import Path

from coldcache.core.errors import SettingError
from coldcache.measure.host.counters import find_block_device
from coldcache.measure.host.mounts import find_mount


def name_device(folder: Path) -> str:
    """Return the name of the whole block device under a folder, such as ``sda`` for a folder on ``sda1``.

    Raises
    ------
    SettingError
        If the folder's file system has no block device.
    """
    mount = find_mount(folder)
    number = find_block_device(mount)
    if number is None:
        raise SettingError(f"{folder} lies on {mount.filesystem}, which has no block device")
    disk = Path(f"/sys/dev/block/{number}").resolve()
    return disk.parent.name if (disk / "partition").exists() else disk.name


def holds_root(name: str) -> bool:
    """Return whether a block device holds the root file system."""
    try:
        return name_device(Path("/")) == name
    except SettingError:
        return False
