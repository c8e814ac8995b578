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
from coldcache.measure.host.counters import find_block_device, list_members
from coldcache.measure.host.inventory import describe_below
from coldcache.measure.host.mounts import find_mount
from coldcache.measure.target import clear
from coldcache.verdicts.thresholds import MeasuredCeiling

#: How long each part takes, and the windows of which the fastest counts, in s: a ceiling is the most that is carried.
_SECONDS, _WINDOW = 0.5, 0.25

#: Transfers in flight, one number after the other: few leave fast storage idle, and many slow another.
_THREADS = (2, 8, 32)

#: Files on the target: writers of one would wait for each other.
_FILES = 8

#: Bytes of a transfer, and the most that all files hold.
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
    # A runner that was killed may have left it.
    clear(folder)
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
    """Return the file of a block device; None where there is none, or it is one of several."""
    path = Path("/dev") / Path(f"/sys/dev/block/{number}").resolve().name
    return path if number and path.is_block_device() and len(list_members(number)) == 1 else None


def _measure(folder: Path, device: Path | None, wanted: list[str], most: int) -> Mapping[str, MeasuredCeiling]:
    """Return the ceilings that are wanted and can be measured, with files of at most so many bytes in all."""
    found: dict[str, MeasuredCeiling | None] = {}
    files = _lay_out(folder, most) if wanted else []
    if "write_rate" in wanted:
        found["write_rate"] = _transfer(files, os.O_WRONLY, os.pwritev)
    if "read_rate" in wanted:
        read = _transfer([device], os.O_RDONLY, os.preadv) if device else None
        found["read_rate"] = read or _transfer(files, os.O_RDONLY, os.preadv)
    return {name: ceiling for name, ceiling in found.items() if ceiling}


def _lay_out(folder: Path, most: int) -> list[Path]:
    """Write the files, each with whole transfers: allocating blocks is slower than what the storage carries."""
    status = os.statvfs(folder)
    chunks = min(most, _MOST_BYTES, status.f_bavail * status.f_frsize // 4) // _CHUNK
    files = [folder / str(number) for number in range(min(_FILES, chunks))]
    if files:
        _time(files, os.O_WRONLY | os.O_CREAT, chunks // len(files), os.pwritev, len(files))
    return [file for file in files if file.exists() and file.stat().st_size]


def _transfer(paths: list[Path], flags: int, call: Callable[..., int]) -> MeasuredCeiling | None:
    """Return how fast a device or files are read or rewritten past the page cache; None where they cannot be."""
    try:
        chunks = min(_measure_size(path) for path in paths) // _CHUNK
    except (OSError, ValueError):
        return None
    if not chunks:
        return None
    rates = {fastest_window(_time(paths, flags, chunks, call, threads), _CHUNK): threads for threads in _THREADS}
    rate = max(rates)
    way = "rewritten" if flags & os.O_WRONLY else "read"
    name = f"the device {paths[0]}" if paths[0].is_block_device() else f"{len(paths)} files on the target"
    by = f"{way} by direct I/O in 1 MiB by {rates[rate]} threads"
    return MeasuredCeiling(rate, f"{name}, {by} for {_SECONDS:g} s, the fastest {_WINDOW:g} s") if rate else None


def _measure_size(path: Path) -> int:
    """Return the bytes of a file or, by a seek, of a device, which only root may open."""
    with path.open("rb") as opened:
        return opened.seek(0, os.SEEK_END)


def _time(paths: list[Path], flags: int, chunks: int, call: Callable[..., int], threads: int) -> list[float]:
    """Return when each transfer ended, ascending, in s from the first start; nothing where there can be none.

    The threads share the paths, of which each holds so many transfers.
    """
    content = os.urandom(_CHUNK)
    buffers = [mmap.mmap(-1, _CHUNK) for _ in range(threads)]
    for buffer in buffers:
        buffer.write(content)
    # From the beginning on, so that a file has no holes.
    places = [count() for _ in paths]
    descriptors: list[int] = []

    def run(thread: int) -> list[float]:
        path, ends = thread % len(paths), []
        while time.perf_counter() < begin + _SECONDS and call(
            descriptors[path], [buffers[thread]], next(places[path]) % chunks * _CHUNK
        ):
            ends.append(time.perf_counter() - begin)
        return ends

    try:
        for path in paths:
            descriptors.append(os.open(path, flags | os.O_DIRECT, 0o600))
        begin = time.perf_counter()
        with ThreadPoolExecutor(threads) as pool:
            ends = sorted(end for part in pool.map(run, range(threads)) for end in part)
        for descriptor in descriptors if flags & os.O_WRONLY else ():
            os.fsync(descriptor)
    except OSError:
        return []
    finally:
        for descriptor in descriptors:
            os.close(descriptor)
    return ends


def fastest_window(ends: list[float], size: int) -> float:
    """Return the highest rate in any window of a quarter of a second, or of one transfer more, in B/s.

    Parameters
    ----------
    ends : list of float
        When each transfer ended, ascending, in s from the first start.
    size : int
        Bytes of a transfer.
    """
    first, most = 0, 0.0
    for last, end in enumerate(ends):
        while end - ends[first] > _WINDOW:
            first += 1
        # The transfer that ends as the window begins was carried before it.
        most = max(most, (last - first) / _WINDOW)
        if first:
            # Of slow storage few transfers are whole in the window: it is as long as one more takes.
            most = max(most, (last - first + 1) / (end - ends[first - 1]))
    return most * size


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
