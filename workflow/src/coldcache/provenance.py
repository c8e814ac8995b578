"""What was measured, on what: the machine, the target's file system and its device, as the kernel tells them."""

import os
import platform
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

_SECTOR = 512


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


def read_counters(device: str) -> dict[str, int] | None:
    """Return what crossed a block device since it appeared.

    Parameters
    ----------
    device : str
        ``major:minor``.

    Returns
    -------
    dict or None
        ``reads``, ``read_bytes``, ``writes``, ``written_bytes``, ``busy_ms`` and, where the kernel has them,
        ``flushes`` (Documentation/block/stat.rst); None where the file system has no block device.
    """
    try:
        fields = [int(field) for field in Path(f"/sys/dev/block/{device}/stat").read_text().split()]
    except OSError:
        return None
    counters = {
        "reads": fields[0], "read_bytes": fields[2] * _SECTOR, "writes": fields[4],
        "written_bytes": fields[6] * _SECTOR, "busy_ms": fields[9],
    }  # fmt: skip
    return {**counters, "flushes": fields[15]} if len(fields) > 15 else counters


@cache
def describe_system() -> dict[str, Any]:
    """Return the machine: host, kernel, operating system, processor, cores and memory in bytes."""
    release = platform.freedesktop_os_release() if Path("/etc/os-release").exists() else {}
    return {
        "host": platform.node(),
        "kernel": platform.release(),
        "os": release.get("PRETTY_NAME", "unknown"),
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"),
        "hypervisor": "hypervisor" in Path("/proc/cpuinfo").read_text(),
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()


def describe_target(folder: Path) -> dict[str, Any]:
    """Return the target: its file system, mount options as in force, device, and how the kernel drives the device."""
    mount = find_mount(folder)
    return {
        "filesystem": mount.filesystem,
        "mount_point": mount.point,
        "mount_options": mount.options,
        "source": mount.source,
        "device": mount.device,
        "queue": _queue(mount.device),
    }


def _queue(device: str) -> dict[str, str]:
    link = Path(f"/sys/dev/block/{device}")
    if not link.exists():
        return {}
    disk = link.resolve()
    queue = (disk if (disk / "queue").is_dir() else disk.parent) / "queue"
    names = ("scheduler", "rotational", "read_ahead_kb", "write_cache", "logical_block_size", "nr_requests")
    return {name: (queue / name).read_text().strip() for name in names if (queue / name).is_file()}
