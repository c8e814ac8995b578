"""What was measured, on what: the machine, the target's file system and its device, as the kernel tells them."""

import os
import platform
from functools import cache
from pathlib import Path
from typing import Any

from coldcache.mounts import find_mount


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


def describe_host(device: str, root: Path = Path("/")) -> dict[str, Any]:
    """Return what is told once of a host: machine, container, processors, links, modules, and the target's disk.

    Parameters
    ----------
    device : str
        ``major:minor`` of the target's block device.
    root : Path
        Below which the kernel's files lie.
    """
    cpu = root / "sys/devices/system/cpu/cpu0/cpufreq"
    link = root / f"sys/dev/block/{device}"
    disk = link.resolve() if link.exists() else None
    disk = disk.parent if disk and (disk / "partition").exists() else disk
    return {
        "vendor": _text(root / "sys/class/dmi/id/sys_vendor"),
        # Clouds tell the type of an instance as the name of the product.
        "product": _text(root / "sys/class/dmi/id/product_name"),
        "container": _text(root / "run/systemd/container") or ("docker" if (root / ".dockerenv").exists() else ""),
        "numa_nodes": len(list((root / "sys/devices/system/node").glob("node[0-9]*"))),
        "governor": _text(cpu / "scaling_governor"),
        "frequency_driver": _text(cpu / "scaling_driver"),
        "disk": {
            name: _text(disk / file)
            for name, file in (
                ("model", "device/model"),
                ("firmware", "device/firmware_rev"),
                ("numa_node", "device/numa_node"),
                ("write_cache", "queue/write_cache"),
            )
        }
        if disk
        else {},
        "links": {
            path.name: f"{speed} Mbit/s"
            for path in sorted((root / "sys/class/net").glob("*"))
            if (speed := _text(path / "speed")) and speed != "-1"
        },
        "modules": sorted(line.split()[0] for line in _text(root / "proc/modules").splitlines()),
    }


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
