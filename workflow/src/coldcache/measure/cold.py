"""Make a trial's files cold by the method of the site or sweep, and measure what memory still holds of them."""

from pathlib import Path

from coldcache.core.outcome import ColdState
from coldcache.design.site import Cold
from coldcache.measure.host.mounts import find_mount
from coldcache.measure.host.page_cache import evict, measure_residency
from coldcache.measure.host.sudo import DROP_CACHES, drop_caches, run_command, why_no_root, why_not_writable
from coldcache.measure.target import released

#: Both in one process, so that a killed runner cannot leave the target unmounted.
_REMOUNT = 'umount "$1" && mount -t "$2" -o "$3" "$4" "$1"'


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
    residency = measure_residency(paths)
    return ColdState(cold.method, residency.bytes, residency.resident)


def why_not_cold(cold: Cold, folder: Path) -> str | None:
    """Return why a method cannot be used on this system; None where it can."""
    reason = None
    if cold.method == "drop-caches":
        reason = why_not_writable(DROP_CACHES)
    elif cold.method == "remount":
        mount = find_mount(folder)
        reason = f"{folder} is on the root file system" if mount.point == "/" else why_no_root()
    if not reason and cold.commands and cold.root:
        reason = why_no_root()
    return f"caches cannot be dropped by {cold.method}: {reason}" if reason else None


def _remount(work: Path, lock: int) -> None:
    mount = find_mount(work)
    words = ["sh", "-c", _REMOUNT, "sh", mount.point, mount.filesystem, mount.options, mount.source]
    with released(work, lock):
        run_command(words, root=True)
