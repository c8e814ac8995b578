"""What crossed the device or the wire: the counters of a target, whatever file system it is.

Each kind of target has one reader, chosen by what is mounted: a block device (diskstats), an NFS mount (mountstats),
a Lustre client (the bulk transfers of its osc and mdc), or else network interfaces that the site names.
"""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from coldcache.measure.host.mounts import Mount

_SECTOR = 512

#: InfiniBand counts words of four bytes (Documentation/ABI/stable/sysfs-class-infiniband).
_WORD = 4

_ROOT = Path("/")

#: Where Lustre keeps its counters; the later ones only root may read, and lctl reads the same.
_LUSTRE = ("proc/fs/lustre", "sys/fs/lustre", "sys/kernel/debug/lustre")


class CounterSource(NamedTuple):
    """Where a target's bytes are counted.

    Attributes
    ----------
    kind : str
        ``device``, ``nfs``, ``lustre``, ``network``; empty where nothing counts them.
    name : str
        The device's number, the mount point, the file system's name, or the interfaces.
    why_not : str
        Why nothing counts them.
    """

    kind: str
    name: str = ""
    why_not: str = ""

    @property
    def crossing(self) -> str:
        """What the bytes cross: ``device``, or ``wire`` behind which a server may answer from its own memory."""
        return "device" if self.kind == "device" else "wire"


def choose_counters(mount: Mount, interfaces: Iterable[str] = (), root: Path = _ROOT) -> CounterSource:
    """Return where the bytes of a mounted file system are counted.

    Parameters
    ----------
    mount : Mount
        The target's.
    interfaces : iterable of str
        Network interfaces that the site names, of Ethernet (``eth1``) or of InfiniBand (``mlx5_0``).
    root : Path
        Below which the kernel's files lie.
    """
    number = _block_device(mount, root)
    if number:
        return CounterSource("device", number)
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
    """Return what crossed since the target was mounted, or the system started.

    Returns
    -------
    dict or None
        ``read_bytes`` and ``written_bytes``; of a device ``reads``, ``writes``, ``busy_ms`` and, where the kernel has
        them, ``flushes``, too (Documentation/block/stat.rst). None where nothing counts them.
    """
    match source.kind:
        case "device":
            return _read_device(source.name, root)
        case "nfs":
            return _read_nfs(source.name, root)
        case "lustre":
            return _read_lustre(source.name, root)
        case "network":
            return _add_up(_read_interface(name, root) for name in source.name.split())
    return None


def _block_device(mount: Mount, root: Path) -> str:
    """Return the number of a mount's block device; empty where it has none. That of btrfs is told by its source."""
    if (root / f"sys/dev/block/{mount.device}").exists():
        return mount.device
    source = root / "sys/class/block" / Path(mount.source).name / "dev"
    if mount.source.startswith("/dev/") and source.exists():
        return source.read_text().strip()
    return ""


def _read_device(number: str, root: Path) -> dict[str, int] | None:
    try:
        fields = [int(field) for field in (root / f"sys/dev/block/{number}/stat").read_text().split()]
    except OSError:
        return None
    counters = {
        "reads": fields[0], "read_bytes": fields[2] * _SECTOR, "writes": fields[4],
        "written_bytes": fields[6] * _SECTOR, "busy_ms": fields[9],
    }  # fmt: skip
    return {**counters, "flushes": fields[15]} if len(fields) > 15 else counters


def _read_nfs(point: str, root: Path) -> dict[str, int] | None:
    r"""Return the bytes of READ and WRITE calls of a mount (fs/nfs/super.c, ``nfs_show_stats``).

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
            # Of mounts on top of each other the last one is the one that is seen.
            numbers = [int(number) for number in counted[1].split()]
            found = {"read_bytes": numbers[4], "written_bytes": numbers[5]}
    return found


def _lustre_files(name: str, root: Path) -> list[Path]:
    for place in _LUSTRE:
        files = [
            path for client in ("osc", "mdc") for path in sorted((root / place / client).glob(f"{name}-*-{client}-*"))
        ]
        stats = [path / "stats" for path in files if (path / "stats").is_file()]
        if stats:
            return stats
    return []


def _read_lustre(name: str, root: Path) -> dict[str, int] | None:
    """Return the bytes of a client's bulk transfers, which differ from those asked of llite by what was in memory.

    Specimen: ``read_bytes  1 samples [bytes] 65536 65536 65536 4294967296``: the sum stands after least and most. A
    counter that is zero has no line.
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
    """Return what an interface received and sent; all of its traffic, whoever's it is."""
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
