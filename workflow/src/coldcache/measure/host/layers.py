"""Describe the devices below a target, from its own down to the disks, and the limits that control groups set on them.

Source: the kernel's Documentation/ABI (sysfs-block, sysfs-block-loop, sysfs-block-dm), Documentation/admin-guide
(cgroup-v2, cgroup-v1/blkio-controller).
"""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from coldcache.core.errors import SettingError
from coldcache.measure.host.kernel_files import read_properties, read_property
from coldcache.measure.host.mounts import find_mount
from coldcache.measure.host.sudo import run_command

_ROOT = Path("/")

#: More layers than any system has: a loop device may be backed by a file on itself.
_DEEPEST = 16

#: The files of a version 1 control group, by what they limit.
_FILES = {
    "read_rate": "blkio.throttle.read_bps_device",
    "write_rate": "blkio.throttle.write_bps_device",
    "read_iops": "blkio.throttle.read_iops_device",
    "write_iops": "blkio.throttle.write_iops_device",
}

#: The keys of io.max in a version 2 control group.
_KEYS = {"rbps": "read_rate", "wbps": "write_rate", "riops": "read_iops", "wiops": "write_iops"}


def describe_layers(number: str, root: Path = _ROOT) -> dict[str, dict[str, Any]]:
    """Return each device from a target's down to its disks.

    Parameters
    ----------
    number : str
        ``major:minor`` of the target's block device.
    root : Path
        The root of the kernel's files.

    Returns
    -------
    dict of str to dict
        By kind, such as ``loop``, ``dm`` and ``disk``, numbered from the second of a kind: ``name`` and ``number``; of
        a loop device ``direct_io``, ``backing_file`` and the ``filesystem`` of that; of a device-mapper device
        ``table``; of a bcache ``cache_mode``. Empty where the target
        has no block device.
    """
    found: dict[str, dict[str, Any]] = {}
    for layer in _list_layers(number, root):
        kind = layer.pop("kind")
        same = sum(name.partition(" ")[0] == kind for name in found)
        found[f"{kind} {same + 1}" if same else kind] = layer
    return found


def read_limits(layers: Iterable[dict[str, Any]], root: Path = _ROOT) -> dict[str, Any]:
    """Return the lowest limits that this process's control groups set on some devices.

    Returns
    -------
    dict
        ``read_rate``, ``write_rate`` (B/s), ``read_iops`` and ``write_iops`` (1/s) as far as they are limited; ``by``
        names the version of the control groups: 1 does not limit pages that the kernel writes back later.
    """
    numbers = {layer["number"] for layer in layers}
    for version, limits in ((2, _read_version_2), (1, _read_version_1)):
        found: dict[str, Any] = {}
        for name, most in limits(numbers, root):
            found[name] = min(most, found.get(name, most))
        if found:
            return {**found, "by": f"control group, version {version}"}
    return {}


def read_link_limits(interfaces: Iterable[str], root: Path = _ROOT) -> dict[str, Any]:
    """Return what some network interfaces carry together, as `read_limits`; empty where one does not state its speed.

    Parameters
    ----------
    interfaces : iterable of str
        Of Ethernet (``eth1``) or of InfiniBand (``mlx5_0``).
    root : Path
        The root of the kernel's files.
    """
    names = list(interfaces)
    speeds = [_read_speed(name, root) for name in names]
    if not speeds or None in speeds:
        return {}
    rate = sum(filter(None, speeds)) / 8
    return {"read_rate": rate, "write_rate": rate, "by": f"the speed of {' and '.join(names)}"}


def _read_speed(name: str, root: Path) -> float | None:
    """Return what an interface carries each way, in bit/s."""
    ports = sorted((root / "sys/class/infiniband" / name / "ports").glob("*/rate"))
    if ports:
        # Specimen: "100 Gb/sec (4X EDR)".
        stated = [re.match(r"([0-9.]+) Gb/sec", read_property(port) or "") for port in ports]
        return sum(1e9 * float(speed[1]) for speed in stated if speed) or None
    speed = read_property(root / "sys/class/net" / name / "speed")
    return 1e6 * int(speed) if speed and speed.isdecimal() and int(speed) else None


def _list_layers(number: str, root: Path) -> Iterator[dict[str, Any]]:
    waiting = [(number, 0)] if number else []
    seen: set[str] = set()
    while waiting:
        number, depth = waiting.pop(0)
        link = root / f"sys/dev/block/{number}"
        if number in seen or depth == _DEEPEST or not link.exists():
            continue
        seen.add(number)
        disk = link.resolve()
        disk = disk.parent if (disk / "partition").exists() else disk
        layer = {"name": disk.name, "number": read_property(disk / "dev") or number}
        if (disk / "loop").is_dir():
            backing = read_property(disk / "loop/backing_file") or ""
            is_direct = read_property(disk / "loop/dio") == "1"
            holder = _holder_of(Path(backing))
            held = {"filesystem": find_mount(Path(backing)).filesystem} if holder else {}
            yield {"kind": "loop", **layer, "direct_io": is_direct, "backing_file": backing, **held}
            waiting += [(held_by, depth + 1) for held_by in holder]
            continue
        below = [read_property(slave / "dev") for slave in sorted((disk / "slaves").glob("*"))]
        waiting += [(slave, depth + 1) for slave in below if slave]
        if (disk / "dm").is_dir():
            name = read_property(disk / "dm/name") or ""
            yield {
                "kind": "dm",
                **layer,
                "mapped_as": name,
                "uuid": read_property(disk / "dm/uuid") or "",
                "table": _read_table(name, root) or "",
            }
        elif re.match(r"(?:z?ram|brd)[0-9]", disk.name):
            yield {"kind": "memory", **layer}
        elif (disk / "bcache").is_dir():
            yield {"kind": "bcache", **layer, "cache_mode": read_property(disk / "bcache/cache_mode") or ""}
        else:
            yield {"kind": "raid" if (disk / "md").is_dir() else "disk", **layer}


def _holder_of(file: Path) -> list[str]:
    """Return the number of the device that holds a file; none where it is gone or this user may not look."""
    try:
        number = file.stat().st_dev
    except OSError:
        return []
    return [f"{os.major(number)}:{os.minor(number)}"]


def _read_table(name: str, root: Path) -> str | None:
    """Return what a device-mapper device does with requests; None without root or without dmsetup."""
    if root != _ROOT:
        return None
    try:
        return "; ".join(run_command(["dmsetup", "table", name], root=True, seconds=10).output.split("\n")[:-1])
    except SettingError:
        return None


def _read_version_2(numbers: set[str], root: Path) -> Iterator[tuple[str, float]]:
    for group in _list_groups("", [root / "sys/fs/cgroup", root / "sys/fs/cgroup/unified"], root):
        for line in read_properties(group / "io.max"):
            number, *limits = line.split()
            for name, most in (limit.partition("=")[::2] for limit in limits if number in numbers):
                if name in _KEYS and most.isdecimal():
                    yield _KEYS[name], float(most)


def _read_version_1(numbers: set[str], root: Path) -> Iterator[tuple[str, float]]:
    for group in _list_groups("blkio", [root / "sys/fs/cgroup/blkio"], root):
        for name, file in _FILES.items():
            for line in read_properties(group / file):
                number, _, most = line.partition(" ")
                if number in numbers and most.isdecimal():
                    yield name, float(most)


def _list_groups(controller: str, mounts: list[Path], root: Path) -> Iterator[Path]:
    """Yield the control group of this process, and those around it."""
    for line in read_properties(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        if controller in controllers.split(","):
            inner = Path(path.lstrip("/"))
            yield from (mount / group for mount in mounts for group in (inner, *inner.parents))
