"""Make a trial's files cold by the method of the site or sweep, and measure what memory still holds of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from coldcache.core.outcome import ColdState
from coldcache.design.site import Cold
from coldcache.measure.host.mounts import find_mount, find_other_point
from coldcache.measure.host.page_cache import evict, measure_residency
from coldcache.measure.host.sudo import DROP_CACHES, drop_caches, run_command, why_no_root, why_not_writable
from coldcache.measure.model.clients import remount_clients
from coldcache.measure.model.place import find_place
from coldcache.measure.target import released

#: Both in one process, so that a killed runner cannot leave the target unmounted.
_REMOUNT = 'umount "$1" && mount -t "$2" -o "$3" "$4" "$1"'

#: Of larger files the list of pages would take more than 16 MiB of memory.
_LARGEST = 2**36


def make_cold(cold: Cold, paths: list[Path], work: Path, lock: int) -> ColdState:
    """Make files cold, and return the method and how much of them the page cache still holds.

    Parameters
    ----------
    cold : Cold
        The method, and commands of the site that follow it.
    paths : list of Path
        The files.
    work : Path
        The marked work folder of the target.
    lock : int
        Descriptor of the target's lock, which is released while the target is remounted.

    Raises
    ------
    SettingError
        If the method needs root and cannot have it, or a command fails.
    TargetError
        If another process took the target while it was remounted.
    """
    if cold.method == "eviction":
        evict(paths)
    elif cold.method == "drop-caches":
        drop_caches()
    elif cold.method == "remount":
        _remount(work, lock)
    for command in cold.commands:
        run_command(command, root=cold.root, seconds=cold.seconds)
    if find_place(work):
        # Its clients bypass the page cache: the kernel maps none of their files.
        return ColdState(cold.method, sum(path.stat().st_size for path in paths), 0)
    residency = measure_residency(paths)
    return ColdState(cold.method, residency.bytes, residency.resident)


def forgets_names(cold: Cold) -> str:
    """Return whether a method drops the kernel's dentries and inodes: ``dropped`` or ``kept``.

    The site's own commands may do so on a server, but not on this client.
    """
    return "dropped" if cold.method in ("drop-caches", "remount") else "kept"


def measure_below(layers: Mapping[str, Mapping[str, Any]]) -> int | None:
    """Return how much of the file behind a loop device is in the page cache, in B.

    Parameters
    ----------
    layers : mapping
        As `coldcache.measure.host.layers.describe_layers` returns them.

    Returns
    -------
    int or None
        None where no loop device without direct I/O is below the target, or its file cannot be examined.
    """
    files = [
        Path(layer["backing_file"])
        for kind, layer in layers.items()
        if kind.startswith("loop") and not layer["direct_io"]
    ]
    try:
        if not files or any(file.stat().st_size > _LARGEST for file in files):
            return None
        return measure_residency(files).resident
    except OSError:
        return None


def why_not_cold(cold: Cold, folder: Path) -> str | None:
    """Return why a method cannot be used on this system; None where it can."""
    reason = None
    if cold.method == "drop-caches":
        reason = why_not_writable(DROP_CACHES)
    elif cold.method == "remount":
        reason = _why_not_remounted(folder) or why_no_root()
    if not reason and cold.commands and cold.root:
        reason = why_no_root()
    return f"caches cannot be dropped by {cold.method}: {reason}" if reason else None


def _why_not_remounted(folder: Path) -> str | None:
    """Return why what is mounted on a folder cannot be mounted again, or would not be cold then; None if it can."""
    mount = find_mount(folder)
    if mount.point == "/":
        return f"{folder} is on the root file system"
    if find_place(folder):
        # A model starts its clients anew.
        return None
    options, reason = mount.options.split(","), None
    if mount.filesystem in ("cifs", "smb3") or mount.filesystem.startswith("fuse"):
        reason = f"{mount.point} is {mount.filesystem}, whose options in force do not mount it again"
    elif "<hidden>" in mount.options:
        reason = f"the kernel hides an option of {mount.point}, without which it is not mounted again"
    elif mount.root != "/" and f"subvol={mount.root}" not in options:
        reason = f"{mount.point} shows the folder {mount.root} of {mount.source}, which is not mounted as a whole there"
    elif other := find_other_point(mount):
        reason = f"{mount.source} is mounted on {other} too, so the kernel would keep what it holds of it"
    return f"{reason}; use drop-caches" if reason else None


def _remount(work: Path, lock: int) -> None:
    place = find_place(work)
    if place:
        with released(work, lock):
            remount_clients(place)
        return
    mount = find_mount(work)
    words = ["sh", "-c", _REMOUNT, "sh", mount.point, mount.filesystem, mount.options, mount.source]
    with released(work, lock):
        run_command(words, root=True)
