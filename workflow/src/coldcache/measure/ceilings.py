"""Measure what a target can carry at most, and how fast memory copies, before a campaign begins.

Only what neither the site states nor the system limits is measured. A rate above it has not come from the storage.
"""

import ctypes
import mmap
import os
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Barrier

from coldcache.campaign.campaign import Campaign
from coldcache.measure.fresh_files import spread_over_groups
from coldcache.measure.host.counters import find_block_device
from coldcache.measure.host.inventory import describe_below
from coldcache.measure.host.mounts import find_mount
from coldcache.measure.target import clear
from coldcache.verdicts.thresholds import MeasuredCeiling

#: How long each part takes, and the windows of which the fastest counts, in s: a ceiling is the most that is carried.
_SECONDS, _WINDOW = 1.0, 0.25

#: Transfers in flight: fewer leave fast storage idle.
_THREADS = 32

#: Bytes of a transfer, and the most that the file of writes holds.
_CHUNK, _MOST_BYTES = 2**20, 2**30

#: Bytes that each copy in memory moves: more than a core's own caches hold.
_COPIED = 64 * 2**20

#: How long memory is copied, in s.
_COPY_SECONDS = 0.3


def with_ceilings(campaign: Campaign, work: Path) -> Campaign:
    """Return a campaign that has not begun with the measured ceilings of its target.

    Parameters
    ----------
    campaign : Campaign
        Its site states some ceilings, or none.
    work : Path
        The marked work folder of the target, which is locked.

    Raises
    ------
    OSError
        If the target is full or not writable.
    """
    mount, target = find_mount(work), campaign.site.target
    known = describe_below(mount, target.network).get("limits", {})
    wanted = [name for name in ("read_rate", "write_rate") if getattr(target, name) is None and name not in known]
    folder = work / "ceilings"
    folder.mkdir()
    # What is removed must not lie where trials create files.
    spread_over_groups(folder)
    try:
        found = _measure(folder, _find_device(find_block_device(mount)), wanted, campaign.site.limits.bytes)
    finally:
        clear(folder)
    return replace(campaign, ceilings={**found, "memory_rate": measure_memory()})


def needs_ceilings(campaign: Campaign) -> bool:
    """Return whether a campaign has not begun, and runs on this machine alone: one of several nodes bounds nothing."""
    site = campaign.site
    is_here = site.clients.launcher == "local" and not site.clients.launchers and not site.model
    has_begun = campaign.environment is None or (campaign.folder / "campaign.json").is_file()
    return site.measures_ceilings and is_here and not has_begun


def _find_device(number: str | None) -> Path | None:
    """Return the file of a block device; None where there is none."""
    path = Path("/dev") / Path(f"/sys/dev/block/{number}").resolve().name
    return path if number and path.is_block_device() else None


def _measure(folder: Path, device: Path | None, wanted: list[str], most: int) -> Mapping[str, MeasuredCeiling]:
    """Return the ceilings that are wanted and can be measured, with a file of at most so many bytes."""
    found = {}
    file = folder / "file"
    if wanted:
        # Also reads of the file need its bytes.
        written = _transfer(file, os.O_WRONLY | os.O_CREAT, _count_bytes(folder, most), os.pwritev)
        if written and "write_rate" in wanted:
            found["write_rate"] = written
    if "read_rate" in wanted:
        read = _read_device(device) if device else None
        if read is None and file.exists():
            read = _transfer(file, os.O_RDONLY, file.stat().st_size, os.preadv)
        if read:
            found["read_rate"] = read
    return found


def _read_device(device: Path) -> MeasuredCeiling | None:
    """Return how fast a block device is read; None where that needs root."""
    try:
        with device.open("rb") as opened:
            # A seek states the size of a device.
            size = opened.seek(0, os.SEEK_END)
    except OSError:
        return None
    return _transfer(device, os.O_RDONLY, size, os.preadv)


def _count_bytes(folder: Path, most: int) -> int:
    status = os.statvfs(folder)
    return min(most, _MOST_BYTES, status.f_bavail * status.f_frsize // 4)


def _transfer(path: Path, flags: int, size: int, call: Callable[..., int]) -> MeasuredCeiling | None:
    """Return how fast a file or device is read or written past the page cache; None where it cannot be."""
    chunks = size // _CHUNK
    try:
        descriptor = os.open(path, flags | os.O_DIRECT, 0o600)
    except OSError:
        return None
    if not chunks:
        os.close(descriptor)
        return None
    # From the beginning on, so that a file has no holes.
    places = count()

    def run(_: int) -> list[float]:
        buffer, ends = mmap.mmap(-1, _CHUNK), []
        buffer.write(os.urandom(_CHUNK))
        while time.perf_counter() < begin + _SECONDS and call(descriptor, [buffer], next(places) % chunks * _CHUNK):
            ends.append(time.perf_counter())
        return ends

    try:
        begin = time.perf_counter()
        with ThreadPoolExecutor(_THREADS) as pool:
            ends = sorted(end - begin for part in pool.map(run, range(_THREADS)) for end in part)
        if flags & os.O_WRONLY:
            os.fsync(descriptor)
    except OSError:
        return None
    finally:
        os.close(descriptor)
    rate = fastest_window(ends, _CHUNK)
    way = "written" if flags & os.O_WRONLY else "read"
    name = f"the device {path}" if path.is_block_device() else "a file on the target"
    how = f"{name}, {way} by direct I/O in 1 MiB by {_THREADS} threads for {_SECONDS:g} s, its fastest {_WINDOW:g} s"
    return MeasuredCeiling(rate, how) if rate else None


def fastest_window(ends: list[float], size: int) -> float:
    """Return the highest rate in any window of a quarter of a second, in B/s.

    Parameters
    ----------
    ends : list of float
        When each transfer ended, ascending, in s from the first start.
    size : int
        Bytes of a transfer.
    """
    first, most = 0, 0
    for last, end in enumerate(ends):
        while end - ends[first] > _WINDOW:
            first += 1
        # The transfer that ends as the window begins was carried before it.
        most = max(most, last - first)
    return most * size / _WINDOW


def measure_memory() -> MeasuredCeiling:
    """Return how fast all processors together copy memory."""
    threads = len(os.sched_getaffinity(0))
    barrier = Barrier(threads)

    def run(_: int) -> float:
        source, copy = (ctypes.create_string_buffer(_COPIED) for _ in range(2))
        # The first copy maps the pages.
        ctypes.memmove(copy, source, _COPIED)
        barrier.wait()
        begin, least = time.perf_counter(), float("inf")
        while (began := time.perf_counter()) < begin + _COPY_SECONDS:
            ctypes.memmove(copy, source, _COPIED)
            least = min(least, time.perf_counter() - began)
        return _COPIED / least

    with ThreadPoolExecutor(threads) as pool:
        rate = sum(pool.map(run, range(threads)))
    how = f"memory copied in {_COPIED // 2**20} MiB by {threads} threads for {_COPY_SECONDS:g} s, the fastest of each"
    return MeasuredCeiling(rate, how)
