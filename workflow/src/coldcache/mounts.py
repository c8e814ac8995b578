"""Which file system holds a folder, as the kernel tells it."""

import re
from pathlib import Path
from typing import NamedTuple


class Mount(NamedTuple):
    """A mounted file system.

    Attributes
    ----------
    point, filesystem, source, options : str
        Where, what kind, from which device or server, and with which options as in force.
    device : str
        ``major:minor`` of the device.
    """

    point: str
    filesystem: str
    source: str
    options: str
    device: str


def find_mount(folder: Path) -> Mount:
    """Return the file system that holds `folder`, from /proc/self/mountinfo."""
    path = folder.resolve()
    while not path.exists():
        path = path.parent
    best: Mount | None = None
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        fields, (filesystem, source, super_options) = left.split(" "), right.split(" ")[:3]
        # Blanks, tabs, line ends and backslashes stand as octal numbers.
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), fields[4])
        if path.is_relative_to(point) and (best is None or len(point) >= len(best.point)):
            # Options stand twice: those of the mount point and those of the file system.
            options = ",".join(dict.fromkeys([*fields[5].split(","), *super_options.split(",")]))
            best = Mount(point, filesystem, source, options, fields[2])
    if best is None:
        raise OSError(f"no mounted file system holds {folder}")
    return best
