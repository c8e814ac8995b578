"""Describe what is measured: the machine, and the target's file system and device, as the kernel states them."""

import os
import platform
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.core.errors import SettingError
from coldcache.measure.host.counters import find_block_device, list_members
from coldcache.measure.host.environment_modules import list_loaded
from coldcache.measure.host.kernel_files import read_properties, read_property
from coldcache.measure.host.layers import describe_layers, read_limits, read_link_limits
from coldcache.measure.host.mounts import Mount, find_mount
from coldcache.measure.host.sudo import run_command
from coldcache.tools import list_programs
from coldcache.tools.programs import Program, identify_builds


@cache
def describe_system() -> dict[str, Any]:
    """Return the machine: host, kernel, operating system, processor, cores and memory in B."""
    release = platform.freedesktop_os_release() if Path("/etc/os-release").exists() else {}
    return {
        # A host's name may have any bytes; those that are not UTF-8 are replaced.
        "host": os.fsencode(platform.node()).decode(errors="replace"),
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


def describe_target(folder: Path, interfaces: Iterable[str] = ()) -> dict[str, Any]:
    """Return the target: file system, mount options in force, device, queue, layers, limits, and layout on Lustre.

    Parameters
    ----------
    folder : Path
        A folder on it.
    interfaces : iterable of str
        Network interfaces that serve it.
    """
    mount = find_mount(folder)
    return {
        "filesystem": mount.filesystem,
        "mount_point": mount.point,
        "mount_options": mount.options,
        "source": mount.source,
        "device": mount.device,
        "queue": _queue(find_block_device(mount)),
        **describe_below(mount, interfaces),
        **({"layout": _stripe_layout(folder)} if mount.filesystem == "lustre" else {}),
    }


def describe_below(mount: Mount, interfaces: Iterable[str] = ()) -> dict[str, Any]:
    """Return what is below a mounted file system: ``layers``, and ``limits`` of control groups or links if any."""
    number = find_block_device(mount) or ""
    layers = describe_layers(number)
    # A limit of one of several devices bounds nothing.
    own = layers.values() if len(list_members(number)) == 1 else ()
    limits = read_limits(own) if layers else read_link_limits(interfaces)
    return {"layers": layers, **({"limits": limits} if limits else {})}


def _stripe_layout(folder: Path) -> str:
    """Return how Lustre stripes new files of a folder, or why that is unknown."""
    try:
        answer = run_command(["lfs", "getstripe", "--directory", str(folder)])
    except SettingError as error:
        return f"unknown: {error}"
    return " ".join(answer.output.replace(str(folder), "").split())


def _queue(device: str | None) -> dict[str, str]:
    if device is None:
        return {}
    disk = Path(f"/sys/dev/block/{device}").resolve()
    queue = (disk if (disk / "queue").is_dir() else disk.parent) / "queue"
    names = ("scheduler", "rotational", "read_ahead_kb", "write_cache", "logical_block_size", "nr_requests")
    return {name: (queue / name).read_text().strip() for name in names if (queue / name).is_file()}


def describe_host(device: str, root: Path = Path("/")) -> dict[str, Any]:
    """Return the description of a host: machine, container, processors, links, modules, and the target's disk.

    Parameters
    ----------
    device : str
        ``major:minor`` of the target's block device.
    root : Path
        The root of the kernel's files.
    """
    cpu = root / "sys/devices/system/cpu/cpu0/cpufreq"
    vendor, product = (_note(root / "sys/class/dmi/id" / name) for name in ("sys_vendor", "product_name"))
    return {
        "vendor": vendor,
        "product": name_instance(vendor, product),
        "container": read_property(root / "run/systemd/container")
        or ("docker" if (root / ".dockerenv").exists() else ""),
        "numa_nodes": len(list((root / "sys/devices/system/node").glob("node[0-9]*"))),
        "governor": _note(cpu / "scaling_governor"),
        "frequency_driver": _note(cpu / "scaling_driver"),
        "disk": _describe_disk(root / f"sys/dev/block/{device}"),
        "links": _describe_links(root),
        "modules": sorted(line.split()[0] for line in read_properties(root / "proc/modules")),
    }


def describe_machine(folder: Path, programs: Iterable[Program] = ()) -> dict[str, Any]:
    """Return the description of this machine for `hosts.json`.

    Parameters
    ----------
    folder : Path
        A folder of the target, whose disk is described.
    programs : iterable of Program
        Those of the studies' own commands: their builds are noted beside those of all tools.
    """
    system = {name: value for name, value in describe_system().items() if name != "host"}
    mount = find_mount(folder)
    device = find_block_device(mount) or mount.device
    loaded = list_loaded()
    return {
        **system, "programs": identify_builds([*list_programs(), *programs]), **describe_host(device),
        **({"environment_modules": loaded} if loaded else {}),
    }  # fmt: skip


def _describe_disk(link: Path) -> dict[str, str]:
    """Return the description of a block device; empty if there is none."""
    if not link.exists():
        return {}
    disk = link.resolve()
    disk = disk.parent if (disk / "partition").exists() else disk
    return {
        "model": _note(disk / "device/model"),
        # NVMe and SCSI use different names.
        "firmware": _note(disk / "device/firmware_rev") or _note(disk / "device/rev"),
        "numa_node": _note(disk / "device/numa_node"),
        "write_cache": _note(disk / "queue/write_cache"),
        "driver": _find_driver(disk) or "",
    }


def _describe_links(root: Path) -> dict[str, str]:
    """Return the speed and the driver of each Ethernet and InfiniBand link."""
    found = {}
    for path in sorted((root / "sys/class/net").glob("*")):
        speed, driver = read_property(path / "speed"), _find_driver(path)
        stated = f"{speed} Mbit/s" if speed not in (None, "", "-1") else None
        if stated or driver:
            found[path.name] = ", ".join(filter(None, (stated, driver)))
    for port in sorted((root / "sys/class/infiniband").glob("*/ports/*")):
        found[f"{port.parts[-3]} port {port.name}"] = _note(port / "rate")
    return found


def _find_driver(path: Path) -> str | None:
    """Return the driver of a device, with its version if the module states one; None if it has no driver."""
    # An NVMe disk has its controller between itself and the device with the driver.
    link = next((path / place for place in ("device/driver", "device/device/driver") if (path / place).exists()), None)
    return f"{link.resolve().name} {_note(link / 'module/version')}".strip() if link else None


def _note(file: Path) -> str:
    """Return a property as `hosts.json` notes it: an empty text if the kernel does not state it."""
    return read_property(file) or ""


class _Service(NamedTuple):
    """Path and request header by which a cloud answers with the type of an instance."""

    path: str
    header: tuple[str, str]


#: The link-local address at which clouds answer only their own instances (RFC 3927).
ADDRESS = "http://169.254.169.254"


#: By the vendor in the firmware. Amazon states the type as the product.
_SERVICES = {
    "Microsoft Corporation": _Service(
        "/metadata/instance/compute/vmSize?api-version=2021-02-01&format=text", ("Metadata", "true")
    ),
    "Google": _Service("/computeMetadata/v1/instance/machine-type", ("Metadata-Flavor", "Google")),
}


_SECONDS = 2.0


def name_instance(vendor: str, product: str, address: str = ADDRESS) -> str:
    """Return the type of a cloud instance, or the machine's product if no service answers.

    Parameters
    ----------
    vendor, product : str
        As the firmware states them.
    address : str
        Of the metadata service, which is asked only on machines of its vendors.
    """
    service = _SERVICES.get(vendor)
    if service is None:
        return product
    # Imported here: other machines ask nobody, and the import takes as long as ten trials.
    import urllib.request

    # A proxy would answer with its own type.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    request = urllib.request.Request(address + service.path, headers=dict([service.header]))
    try:
        with opener.open(request, timeout=_SECONDS) as answer:
            kind = answer.read(200).decode("utf-8", "replace").strip()
    except OSError:
        return product
    return kind.rpartition("/")[2] or product
