"""Check that a target is the file system that the site names, and still the one that was locked."""

import errno
import os
from pathlib import Path

from coldcache.core.errors import TargetError
from coldcache.design.site import Target
from coldcache.measure.host.counters import find_block_device, list_members
from coldcache.measure.host.mounts import Mount, find_mount


def refuse_other(target: Target, folder: Path) -> None:
    """Raise `TargetError` if a folder is on another file system than a site names.

    Parameters
    ----------
    target : Target
        Its kind, source and mount point are compared where they are stated.
    folder : Path
        The folder, which need not exist.
    """
    other = _find_difference(target, folder)
    if other:
        raise TargetError(f"{target.path} {other}; mount the right one, or correct the site")


def why_lost(target: Target, folder: Path, lock: Path, descriptor: int) -> str | None:
    """Return why a target is no longer the one that was locked; None while it is.

    Parameters
    ----------
    target : Target
        The target, as the site describes it.
    folder : Path
        The target's folder.
    lock : Path
        Path of the lock.
    descriptor : int
        Descriptor of the lock.
    """
    try:
        held, found = os.fstat(descriptor), lock.stat()
        is_other = (found.st_dev, found.st_ino) != (held.st_dev, held.st_ino)
        is_read_only = not is_other and (os.statvfs(lock).f_flag & os.ST_RDONLY or _refuses_changes(descriptor))
    except OSError as error:
        return f"{folder} is not the file system any more on which the campaign began: {lock}: {error.strerror}"
    if is_other:
        mount = find_mount(folder)
        return f"{folder} was replaced by another file system, {mount.filesystem} on {mount.source}"
    if is_read_only:
        return f"{folder} has become read-only"
    other = _find_difference(target, folder)
    return f"{folder} {other}" if other else None


def _refuses_changes(descriptor: int) -> bool:
    """Return whether a file cannot be changed; the flags of ext4 do not show that an error made it read-only."""
    try:
        os.utime(descriptor)
    except OSError as error:
        if error.errno == errno.EROFS:
            return True
        raise
    return False


def _find_difference(target: Target, folder: Path) -> str | None:
    """Return how the file system of a folder differs from the one that the site names; None where it does not."""
    if not (target.filesystem or target.source or target.mount_point):
        return None
    mount = find_mount(folder)
    if target.filesystem and target.filesystem != mount.filesystem:
        return f"lies on {mount.filesystem} ({mount.source}), the site names {target.filesystem}"
    if target.source and target.source != mount.source and not _is_same_device(target.source, mount):
        return f"lies on {mount.source}, the site names {target.source}"
    if target.mount_point and os.path.realpath(target.mount_point) != mount.point:
        return f"lies on what is mounted on {mount.point}, the site names {target.mount_point}"
    return None


def _is_same_device(path: str, mount: Mount) -> bool:
    """Return whether a path, such as a link in /dev/disk, leads to a block device of a mounted file system."""
    try:
        device = Path(path).stat().st_rdev
    except OSError:
        return False
    number = find_block_device(mount)
    return number is not None and f"{os.major(device)}:{os.minor(device)}" in list_members(number)
