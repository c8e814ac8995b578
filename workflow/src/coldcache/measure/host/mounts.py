"""Find the file system of a folder in /proc/self/mountinfo."""

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

#: The kernel's table of the mounts that this process sees (proc(5)).
_TABLE = Path("/proc/self/mountinfo")


class Mount(NamedTuple):
    """A mounted file system.

    Attributes
    ----------
    point, filesystem, source, options : str
        Mount point, type, device or server, and the options in force.
    device : str
        ``major:minor`` of the device.
    root : str
        The folder of the file system that is mounted; ``/`` unless it is a subvolume or bound there.
    """

    point: str
    filesystem: str
    source: str
    options: str
    device: str
    root: str = "/"


def find_mount(folder: Path) -> Mount:
    """Return the file system that holds `folder`, from /proc/self/mountinfo."""
    path = folder.resolve()
    while not path.exists():
        path = path.parent
    found = _find_in(_TABLE.read_bytes(), f"{path}/")
    if not found:
        raise OSError(f"no mounted file system holds {folder}")
    return found


def find_other_point(mount: Mount) -> str | None:
    """Return where a mounted file system is mounted as well; None where this process sees no such place."""
    mounts = [line.split(" ", 5) for line in os.fsdecode(_TABLE.read_bytes()).split("\n")[:-1]]
    points = (_plain(fields[4]) for fields in mounts if fields[2] == mount.device)
    return next((point for point in points if point != mount.point), None)


def count_free_inodes(status: os.statvfs_result) -> int | None:
    """Return how many inodes a file system has free, by statvfs(3); None where it has no fixed number of them.

    btrfs states 0 in all for that, and CephFS -1 free.
    """
    return status.f_favail if status.f_files and status.f_favail >= 0 else None


# Each trial asks for the same folder, and mounts rarely change.
@lru_cache(maxsize=8)
def _find_in(table: bytes, inside: str) -> Mount | None:
    """Return the file system in the kernel's table of mounts that holds a path, which ends with a slash."""
    best, found = "", ""
    # Names are bytes that need not be UTF-8; of all line ends only \n is escaped.
    for line in os.fsdecode(table).split("\n")[:-1]:
        point = _plain(line.split(" ", 5)[4])
        if len(point) >= len(best) and inside.startswith(f"{point.rstrip('/')}/"):
            best, found = point, line
    if not found:
        return None
    left, _, right = found.partition(" - ")
    fields, (filesystem, source, super_options) = left.split(" "), right.split(" ")[:3]
    # There are two lists of options: of the mount point and of the file system.
    options = ",".join(dict.fromkeys([*fields[5].split(","), *super_options.split(",")]))
    return Mount(best, filesystem, source, options, fields[2], _plain(fields[3]))


def _plain(point: str) -> str:
    """Return a mount point without octal escapes, which the kernel writes for white space and backslashes."""
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), point) if "\\" in point else point
