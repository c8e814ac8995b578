"""Probe a target for some seconds before a campaign begins, so that its sizes and counts make trials last."""

import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from coldcache.campaign.campaign import Campaign
from coldcache.design.levels import Share
from coldcache.measure.fresh_files import SINGLY, find_inode_readahead, forget_earlier_files, spread_over_groups
from coldcache.measure.host.mounts import count_free_inodes
from coldcache.measure.host.page_cache import evict
from coldcache.measure.settings.block import BlockSettings
from coldcache.measure.target import clear

#: How long each part of the probe lasts, in s, and the most that its writes may leave on the target, in B.
_SECONDS, _MOST_BYTES = 0.5, 2**30

#: Of the free space and of the free inodes it takes at most one part in so many.
_SHARE = 4

#: Processes of the probe: one alone is slower than a curve over threads.
_PROCESSES = 4

_CHUNK = 2**20

#: Files are created in groups of this many, between two looks at the clock.
_GROUP = 64

#: How many times files are created and removed. Other programs only slow it, and too few files would end too soon, so
#: the fastest time counts. Transfers are probed once: their fastest may be the burst of a throttle.
_ATTEMPTS = 3


def needs_probe(campaign: Campaign) -> bool:
    """Return whether a size or a count of a campaign that has not begun follows from a probe."""
    environment = campaign.environment
    if environment is None or environment.paces or (campaign.folder / "campaign.json").is_file():
        return False
    sweeps = (sweep for study in campaign.planned for sweep in study.sweeps.values())
    levels = (level for sweep in sweeps for level in sweep.factors.values())
    return any(isinstance(level, Share) and level.lasts is not None for level in levels)


def with_paces(campaign: Campaign, work: Path, settings: BlockSettings) -> Campaign:
    """Return a campaign whose sizes follow from a probe of its target.

    Parameters
    ----------
    campaign : Campaign
        One that has not begun.
    work : Path
        The marked work folder of the target, which is locked.
    settings : BlockSettings
        Those of this host, where the probe sets what trials set.

    Raises
    ------
    OSError
        If the target is full or not writable.
    SettingError
        If the kernel refuses a value that the file system needs.
    """
    assert campaign.environment is not None
    file = find_inode_readahead(work) if campaign.site.clients.launcher == "local" else None
    with settings.held(file, SINGLY) if file else nullcontext():
        paces = probe(work / "probe", campaign.site.limits.bytes)
    return replace(campaign, environment=campaign.environment._replace(paces=paces))


def probe(folder: Path, most: int = _MOST_BYTES) -> dict[str, float]:
    """Return what the target does per second with several processes, by operation: bytes, or files.

    It takes no more than a quarter of the space and of the inodes that are free.

    Parameters
    ----------
    folder : Path
        A folder within a marked work folder; it is made and removed.
    most : int
        The most bytes that it writes.

    Raises
    ------
    OSError
        If the target is full or not writable.
    """
    # A runner that was killed may have left it.
    clear(folder)
    folder.mkdir()
    # What the probe removes must not lie where trials create files.
    spread_over_groups(folder)
    try:
        write, create = _bound(folder, most)
        files = [folder / str(number) for number in range(_PROCESSES)]
        # New processes rather than forks: this one may have threads.
        with ProcessPoolExecutor(_PROCESSES, multiprocessing.get_context("spawn")) as pool:
            paces = {"write": _run(pool, write, files)}
            evict(files)
            paces["read"] = _run(pool, _read, files)
            paces["file-create"] = paces["file-remove"] = 0.0
            for attempt in range(_ATTEMPTS):
                folders = [folder / f"d{attempt}-{number}" for number in range(_PROCESSES)]
                forget_earlier_files(folder)
                paces["file-create"] = max(paces["file-create"], _run(pool, create, folders))
                paces["file-remove"] = max(paces["file-remove"], _run(pool, _remove, folders))
        return paces
    finally:
        clear(folder)


def _bound(folder: Path, most: int) -> tuple[Callable[[Path], int], Callable[[Path], int]]:
    """Return how each process writes and creates, so that all together leave most of the target free."""
    status = os.statvfs(folder)
    size = min(_MOST_BYTES, most, status.f_bavail * status.f_frsize // _SHARE)
    inodes = count_free_inodes(status)
    files = sys.maxsize if inodes is None else inodes // _SHARE
    return partial(_write, most=size // _PROCESSES), partial(_create, most=files // _PROCESSES)


def _run(pool: Executor, part: Callable[[Path], int], places: list[Path]) -> float:
    """Run a part of the probe in each place at the same time; return the sum of its counts per second."""
    parts = list(pool.map(_time, [part] * len(places), places))
    began, ended = min(began for _, began, _ in parts), max(ended for *_, ended in parts)
    return sum(count for count, *_ in parts) / (ended - began)


def _time(part: Callable[[Path], int], place: Path) -> tuple[int, float, float]:
    """Return the count of a part, and when it began and ended by the clock that all processes share."""
    began = time.monotonic()
    return part(place), began, time.monotonic()


def _write(path: Path, most: int) -> int:
    chunk = memoryview(os.urandom(_CHUNK))
    end, written = time.monotonic() + _SECONDS, 0
    with path.open("wb", buffering=0) as file:
        while written < most and time.monotonic() < end:
            written += file.write(chunk[: most - written])
        os.fsync(file.fileno())
    return written


def _read(path: Path) -> int:
    end, read = time.monotonic() + _SECONDS, 0
    with path.open("rb", buffering=0) as file:
        while time.monotonic() < end and (chunk := file.read(_CHUNK)):
            read += len(chunk)
    return read


def _create(folder: Path, most: int) -> int:
    folder.mkdir()
    end, count = time.monotonic() + _SECONDS, 0
    while count < most and time.monotonic() < end:
        group = range(count, min(count + _GROUP, most))
        for number in group:
            # By its whole path, as tools do.
            os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY, 0o644))
        count = group.stop
    return count


def _remove(folder: Path) -> int:
    count = 0
    with suppress(FileNotFoundError):
        while True:
            Path(f"{folder}/{count}").unlink()
            count += 1
    return count
