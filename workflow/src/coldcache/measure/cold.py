"""What makes a trial's files cold, as the site or the sweep chooses it, and what is left of them in memory after it."""

from pathlib import Path

from coldcache.core.outcome import ColdState
from coldcache.design.site import Cold
from coldcache.measure.host.mounts import find_mount
from coldcache.measure.host.page_cache import evict, measure_residency
from coldcache.measure.host.sudo import DROP_CACHES, drop_caches, run_command, why_no_root, why_not_writable
from coldcache.measure.target import released

#: Both in one process, which ends its work even when the runner is killed between them.
_REMOUNT = 'umount "$1" && mount -t "$2" -o "$3" "$4" "$1"'


def make_cold(cold: Cold, paths: list[Path], work: Path, lock: int) -> ColdState:
    """Make files cold, and return the method with how much of them the page cache holds afterwards.

    Parameters
    ----------
    cold : Cold
        The method, and the site's own commands that follow it.
    paths : list of Path
        The files.
    work : Path
        The marked work folder of the target.
    lock : int
        Descriptor of the target's lock, which is let go of while the target is mounted anew.

    Raises
    ------
    SettingError
        If the method needs root that is refused, or a command fails.
    TargetError
        If somebody else took the target while it was mounted anew.
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


def why_not_cold(cold: Cold, folder: Path) -> str:
    """Return why a method cannot be used on this system; empty where it can."""
    reason = ""
    if cold.method == "drop-caches":
        reason = why_not_writable(DROP_CACHES)
    elif cold.method == "remount":
        mount = find_mount(folder)
        reason = f"{folder} lies on the root file system" if mount.point == "/" else why_no_root()
    if not reason and cold.commands and cold.root:
        reason = why_no_root()
    return f"caches cannot be dropped by {cold.method}: {reason}" if reason else ""


def _remount(work: Path, lock: int) -> None:
    mount = find_mount(work)
    words = ["sh", "-c", _REMOUNT, "sh", mount.point, mount.filesystem, mount.options, mount.source]
    with released(work, lock):
        run_command(words, root=True)
