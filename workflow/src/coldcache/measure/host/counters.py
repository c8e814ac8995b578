"""Read the counters of a target: the bytes that crossed its device or the wire.

Each type of file system has its own counters: a block device (diskstats), an NFS mount (mountstats), a Lustre client
(bulk transfers of its osc and mdc), or else the network interfaces that the site names.
"""

import os
import re
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from coldcache.core.outcome import Counters
from coldcache.measure.host.kernel_files import read_bytes, read_property
from coldcache.measure.host.mounts import Mount
from coldcache.measure.model.counters import count_evidence
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.place import find_place, open_place

_SECTOR = 512

#: InfiniBand counts words of four bytes (Documentation/ABI/stable/sysfs-class-infiniband).
_WORD = 4

_ROOT = Path("/")

#: Where Lustre keeps its counters, by version; only root may read the later places.
_LUSTRE = ("proc/fs/lustre", "sys/fs/lustre", "sys/kernel/debug/lustre")


class CounterSource(NamedTuple):
    """The counters of a target.

    Attributes
    ----------
    kind : str
        ``device``, ``model``, ``nfs``, ``lustre``, ``network``; empty if there are no counters.
    name : str
        The device's number, the model's folder, the mount point, the file system's name, or the interfaces.
    why_not : str or None
        Why there are no counters.
    doubt : str or None
        Why counters that stand still may not count.
    """

    kind: str
    name: str = ""
    why_not: str | None = None
    doubt: str | None = None

    @property
    def crossing(self) -> str:
        """What the bytes cross: ``device``, or the ``wire`` to a server, which may answer from its own memory."""
        return "device" if self.kind in ("device", "model") else "wire"


def choose_counters(mount: Mount, interfaces: Iterable[str] = (), root: Path = _ROOT) -> CounterSource:
    """Return the counters of a mounted file system.

    Parameters
    ----------
    mount : Mount
        The target's.
    interfaces : iterable of str
        Network interfaces that the site names, of Ethernet (``eth1``) or of InfiniBand (``mlx5_0``).
    root : Path
        The root of the kernel's files.
    """
    number = find_block_device(mount, root)
    if number:
        if len(members := list_members(number, root)) > 1:
            return CounterSource("", why_not=f"{mount.filesystem} on {len(members)} devices: its source names one")
        return CounterSource("device", number, doubt=_doubt_device(number, root))
    if place := find_place(Path(mount.point)):
        return CounterSource("model", str(place.folder))
    if mount.filesystem in ("nfs", "nfs4"):
        return CounterSource("nfs", mount.point)
    if mount.filesystem == "lustre":
        name = mount.source.rpartition(":/")[2].split("/")[0]
        if any(_lustre_files(name, root)):
            return CounterSource("lustre", name)
        return CounterSource("", why_not=f"the counters of Lustre's {name} cannot be read; they need root")
    named = list(interfaces)
    if named:
        lacking = [name for name in named if _read_interface(name, root) is None]
        if lacking:
            return CounterSource("", why_not=f"there is no network interface {lacking[0]}")
        return CounterSource("network", " ".join(named))
    return CounterSource(
        "", why_not=f"{mount.filesystem} has no block device; if it is served over a network, let the site name the "
        "interfaces (network)"
    )  # fmt: skip


def read_counters(source: CounterSource, root: Path = _ROOT) -> dict[str, int] | None:
    """Return the counters since the target was mounted, or since boot.

    Returns
    -------
    dict or None
        ``read_bytes`` and ``written_bytes``; for a model also those of each part; for a device also ``reads``,
        ``writes``, ``busy_ms`` and, if the kernel has them, ``discarded_bytes`` and ``flushes``
        (Documentation/block/stat.rst); for NFS also ``calls``. None if there are no counters or they cannot be read.
    """
    match source.kind:
        case "device":
            return _read_device(source.name, root)
        case "model":
            try:
                return count_evidence(open_place(source.name))
            except ModelError:
                return None
        case "nfs":
            return _read_nfs(source.name, root)
        case "lustre":
            return _read_lustre(source.name, root)
        case "network":
            return _add_up(_read_interface(name, root) for name in source.name.split())
    return None


def pair_counters(
    source: CounterSource, before: Mapping[str, int] | None, after: Mapping[str, int] | None
) -> Counters | str:
    """Return the counters before and after a tool ran, or why they do not say what crossed.

    Parameters
    ----------
    source : CounterSource
        Where they were read.
    before, after : mapping of str to int, or None
        As `read_counters` returns them.
    """
    if not before or not after:
        return source.why_not or f"the counters of {source.name} cannot be read"
    # A whole disk counts its flushes even where iostats is 0 (block/blk-flush.c, blk_account_io_flush).
    if source.doubt and all(after.get(name) == count for name, count in before.items() if name != "flushes"):
        return source.doubt
    return Counters(before, after, source.kind, source.crossing)


def _doubt_device(number: str, root: Path) -> str | None:
    """Return why a device may not count; None for one that is made of others, which may count whatever it states."""
    disk = (root / f"sys/dev/block/{number}").resolve()
    disk = disk.parent if (disk / "partition").exists() else disk
    if read_property(disk / "queue/iostats") != "0" or any((disk / "slaves").glob("*")):
        return None
    return f"{disk.name} does not count: /sys/block/{disk.name}/queue/iostats is 0; write 1 into it"


def find_block_device(mount: Mount, root: Path = _ROOT) -> str | None:
    """Return the number of a mount's block device; None where it has none. For btrfs its source names the device."""
    if (root / f"sys/dev/block/{mount.device}").exists():
        return mount.device
    if not mount.source.startswith("/dev/"):
        return None
    # The kernel's name of /dev/mapper/vg-root is dm-0: the number of the device file says which it is.
    with suppress(OSError):
        if stat.S_ISBLK((found := (root / mount.source[1:]).stat()).st_mode):
            return f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}"
    return None


def list_members(number: str, root: Path = _ROOT) -> list[str | None]:
    """Return the numbers of all devices over which a file system on one of them is spread, as btrfs can be.

    Parameters
    ----------
    number : str
        ``major:minor`` of the one that `find_block_device` returns.
    root : Path
        The root of the kernel's files.
    """
    for folder in (root / "sys/fs/btrfs").glob("*/devices"):
        members = [read_property(device / "dev") for device in folder.iterdir()]
        if number in members:
            return members
    return [number]


def _read_device(number: str, root: Path) -> dict[str, int] | None:
    try:
        fields = [int(field) for field in read_bytes(f"{root}/sys/dev/block/{number}/stat").split()]
    except OSError:
        return None
    counters = {
        "reads": fields[0], "read_bytes": fields[2] * _SECTOR, "writes": fields[4],
        "written_bytes": fields[6] * _SECTOR, "busy_ms": fields[9],
    }  # fmt: skip
    if len(fields) > 13:
        counters["discarded_bytes"] = fields[13] * _SECTOR
    return {**counters, "flushes": fields[15]} if len(fields) > 15 else counters


def _read_nfs(point: str, root: Path) -> dict[str, int] | None:
    r"""Return the bytes of READ and WRITE calls of a mount, and its calls (fs/nfs/super.c, ``nfs_show_stats``).

    Specimen, whose fifth and sixth number are those to and from the server::

        device 127.0.0.1:/ mounted on /mnt/with\040blank with fstype nfs4 statvers=1.1
            bytes:	41943040 8388608 0 0 8388608 8388608 2048 2048
    """
    try:
        text = (root / "proc/self/mountstats").read_text()
    except OSError:
        return None
    shown = re.sub(r"[\s\\]", lambda letter: f"\\{ord(letter[0]):03o}", point)
    found = None
    for section in re.split(r"^(?=device )", text, flags=re.MULTILINE):
        counted = re.search(r"^\s*bytes:\s+((?:\d+\s+){5}\d+)", section, re.MULTILINE)
        if f" mounted on {shown} with fstype nfs" in section.partition("\n")[0] and counted:
            # Of mounts on the same point the last one is visible.
            numbers = [int(number) for number in counted[1].split()]
            found = {"read_bytes": numbers[4], "written_bytes": numbers[5], **count_calls(section)}
    return found


def count_calls(section: str) -> dict[str, int]:
    """Return ``calls``, the operations of all kinds that a mount sent to its server; empty if none is listed."""
    listed = section.partition("per-op statistics")[2]
    sent = [int(number) for number in re.findall(r"^\s*[A-Z][A-Z0-9_]+: (\d+) ", listed, re.MULTILINE)]
    return {"calls": sum(sent)} if sent else {}


def _lustre_files(name: str, root: Path) -> list[Path]:
    """Return the counters of a file system's clients, from the first place that has any and that this user may read."""
    for place in _LUSTRE:
        with suppress(PermissionError):
            stats = [
                path / "stats"
                for client in ("osc", "mdc")
                for path in sorted((root / place / client).glob(f"{name}-*-{client}-*"))
            ]
            if found := [path for path in stats if path.is_file()]:
                return found
    return []


def _read_lustre(name: str, root: Path) -> dict[str, int] | None:
    """Return the bytes of a client's bulk transfers; the counters of llite include reads from memory.

    Specimen: ``read_bytes  1 samples [bytes] 65536 65536 65536 4294967296``: the sum follows minimum and
    maximum. A counter that is zero has no line.
    """
    return _add_up(_read_bulk(path) for path in _lustre_files(name, root))


def _read_bulk(path: Path) -> dict[str, int] | None:
    try:
        text = path.read_text()
    except OSError:
        return None
    sums = re.findall(r"^(read|write)_bytes +\d+ samples \[bytes\] \d+ \d+ (\d+)", text, re.MULTILINE)
    found = {direction: int(number) for direction, number in sums}
    return {"read_bytes": found.get("read", 0), "written_bytes": found.get("write", 0)}


def _read_interface(name: str, root: Path) -> dict[str, int] | None:
    """Return the bytes that an interface received and sent, including traffic of others."""
    ports = sorted((root / "sys/class/infiniband" / name / "ports").glob("*/counters"))
    try:
        if ports:
            return _add_up(
                {
                    "read_bytes": _WORD * int((port / "port_rcv_data").read_text()),
                    "written_bytes": _WORD * int((port / "port_xmit_data").read_text()),
                }
                for port in ports
            )
        text = (root / "proc/net/dev").read_text()
    except OSError:
        return None
    line = re.search(rf"^\s*{re.escape(name)}:\s*(.*)$", text, re.MULTILINE)
    if line is None:
        return None
    fields = [int(field) for field in line[1].split()]
    return {"read_bytes": fields[0], "written_bytes": fields[8]}


def _add_up(parts: Iterable[dict[str, int] | None]) -> dict[str, int] | None:
    read = list(parts)
    if not read or None in read:
        return None
    return {key: sum(part[key] for part in read if part) for key in ("read_bytes", "written_bytes")}
