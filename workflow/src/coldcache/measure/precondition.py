"""Precondition a target before the first trial of a campaign: fill it, then write at random until it is steady."""

import errno
import os
import shutil
import socket
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.preconditioned import (
    FOLDER,
    ROUNDS,
    STEADY,
    TIME,
    PreconditionLog,
    PreconditionStep,
    read_preconditioned,
    write_preconditioned,
)
from coldcache.campaign.seal import is_sealed
from coldcache.core.errors import LogError, TargetError
from coldcache.core.trial_figure import choose_record
from coldcache.core.units import show_bytes, show_rate
from coldcache.design.precondition import Precondition
from coldcache.design.site import Site
from coldcache.measure.host.counters import CounterSource, choose_counters, pair_counters, read_counters
from coldcache.measure.host.mounts import find_mount
from coldcache.measure.supervise import supervise
from coldcache.measure.target import WORK, clear, takes_direct_io
from coldcache.tools import read_by
from coldcache.tools.fio import command as fio
from coldcache.tools.run import Run
from coldcache.verdicts.steady_state import ends_steady

#: Space that stays free, as a share and at least in B: file systems need some for themselves.
_RESERVE, _LEAST_RESERVE = 0.02, 64 * 2**20

#: The least that a fill writes, in B.
_LEAST = 16 * 2**20

_CHUNK, _BLOCK = 2**20, 4096

#: Transfers in flight where the page cache can be bypassed.
_DEPTH = 32

#: How long fio may take beyond its own time, to start and to sync, in s.
_SECONDS_AROUND = 120.0


def is_due(campaign: Campaign) -> bool:
    """Return whether the target of a campaign is to be preconditioned, and was not yet as its site asks."""
    asked = campaign.site.precondition
    if asked is None or is_sealed(campaign.folder):
        return False
    found = read_preconditioned(campaign.folder)
    return found is None or found.stated != asked.model_dump(mode="json")


def bytes_per_pass(site: Site) -> int:
    """Return how many bytes a pass of a site's precondition writes.

    Raises
    ------
    TargetError
        If the target has not that space, takes no file of that size, or discards what is removed, so that it would be
        fresh again.
    """
    asked, folder = site.precondition, Path(site.target.path).absolute()
    assert asked is not None
    where = f"config/sites/{site.site}.yaml, precondition"
    while not folder.exists():
        folder = folder.parent
    try:
        mount, status = find_mount(folder), os.statvfs(folder)
    except OSError as error:
        raise TargetError(f"{where}: {folder}: {error.strerror}; name another target") from error
    options = {option.partition("=")[0] for option in mount.options.split(",")}
    if "discard" in options:
        raise TargetError(
            f"{where}: {mount.point} is mounted with discard, so the device would be fresh again once the fill is "
            f"removed: mount -o remount,nodiscard {mount.point}"
        )
    # What a killed runner left of it is removed first.
    left = [path.lstat().st_blocks * 512 for path in (folder / WORK / FOLDER).glob("*")]
    free = status.f_bavail * status.f_frsize + sum(left)
    most = free - int(max(_LEAST_RESERVE, _RESERVE * free))
    wanted = most if asked.fill == 1 else int(asked.fill * status.f_blocks * status.f_frsize)
    if not _LEAST <= wanted <= most:
        raise TargetError(
            f"{where}: a fill of {show_bytes(max(wanted, _LEAST))} does not fit into the {show_bytes(free)} free on "
            f"{site.target.path}: free space, or lower precondition.fill"
        )
    if _is_too_large(folder, wanted):
        raise TargetError(
            f"{where}: a fill of {show_bytes(wanted)} is one file, and {mount.filesystem} on {mount.point} takes none "
            "of that size: lower precondition.fill"
        )
    return wanted // _CHUNK * _CHUNK


def _is_too_large(folder: Path, size: int) -> bool:
    """Return whether a file system takes no file of a size, tried on one without a name and content."""
    try:
        descriptor = os.open(folder, os.O_TMPFILE | os.O_WRONLY, 0o600)
    except OSError:
        return False
    try:
        os.ftruncate(descriptor, size)
    except OSError as error:
        return error.errno == errno.EFBIG
    finally:
        os.close(descriptor)
    return False


def precondition(campaign: Campaign, work: Path, lock: int, tell: Callable[[str], None]) -> PreconditionLog:
    """Fill a campaign's target, write at random until it is steady or a limit is reached, and remove the fill.

    The notes and logs are in the campaign's folder once all of it is done.

    Parameters
    ----------
    campaign : Campaign
        One whose precondition is due.
    work : Path
        The marked work folder of the target.
    lock : int
        Descriptor of the target's lock.
    tell : callable
        Is told what runs now, in a line.

    Raises
    ------
    TargetError
        If the target has not the space, or fio fails on it.
    """
    asked = campaign.site.precondition
    assert asked is not None
    place, home = work.absolute() / FOLDER, campaign.folder / FOLDER
    clear(place)
    partial = home.with_name(f".{home.name}.partial")
    for left in (partial, home):
        shutil.rmtree(left, ignore_errors=True)
    size = bytes_per_pass(campaign.site)
    place.mkdir()
    partial.mkdir(parents=True)
    source = choose_counters(find_mount(place), campaign.site.target.network)
    before = read_counters(source)
    try:
        fill = _Fill(campaign.site, asked, size, place, partial, lock, tell)
        ended_by = fill.run()
        filled = (place / "t0").stat().st_blocks * 512
        counters = count_growth(source, before, before and read_counters(source))
        found = PreconditionLog(
            asked.model_dump(mode="json"), campaign.site.target.path, size, filled, ended_by, socket.gethostname(),
            fio.version(), counters, tuple(fill.parts),
        )  # fmt: skip
        write_preconditioned(partial, found)
        partial.rename(home)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        clear(place)
    return found


def count_growth(
    source: CounterSource, before: Mapping[str, int] | None, after: Mapping[str, int] | None
) -> dict[str, int]:
    """Return how much each counter of a target grew; empty where nothing counts.

    Parameters
    ----------
    source : CounterSource
        Where they were read.
    before, after : mapping of str to int, or None
        As `read_counters` returns them.
    """
    found = pair_counters(source, before, after)
    if isinstance(found, str):
        return {}
    grown = {name: found.difference(name) for name in found.after}
    return {name: count for name, count in grown.items() if count is not None}


class _Fill:
    """A fill that is being written; `parts` holds what was done so far."""

    def __init__(
        self, site: Site, asked: Precondition, size: int, place: Path, logs: Path, lock: int,
        tell: Callable[[str], None],
    ):  # fmt: skip
        self._site, self._asked, self._size, self._place, self._logs = site, asked, size, place, logs
        self._lock, self._tell = lock, tell
        stated = site.target.direct_io
        self._direct_io = takes_direct_io(place) if stated is None else stated
        self._end = time.monotonic() + asked.seconds
        self.parts: list[PreconditionStep] = []

    def run(self) -> str:
        """Write it, and return why that ended."""
        for number in range(1, self._asked.passes + 1):
            if (left := self._end - time.monotonic()) <= 0:
                return TIME
            self._write(f"sequential-{number}", "write", left, f"pass {number} of {self._asked.passes}")
        rates: list[float] = []
        for number in range(1, self._asked.rounds + 1):
            if self._end - time.monotonic() < self._asked.round:
                return TIME
            last = f", the last one at {show_rate(rates[-1], 'B/s')}" if rates else ""
            name = f"random-{number:02d}"
            said = f"round {number} of at most {self._asked.rounds}{last}"
            rates.append(self._write(name, "random-write", self._asked.round, said))
            if ends_steady(rates, self._site.thresholds):
                return STEADY
        return ROUNDS

    def _write(self, name: str, operation: str, seconds: float, said: str) -> float:
        """Run fio once over the fill, and return its rate in B/s."""
        self._tell(f"fills the target: {operation}, {said}")
        is_pass = operation == "write"
        run = Run(
            (operation,), str(self._place), threads=1, transfer_size=_CHUNK if is_pass else _BLOCK,
            file_size=self._size, direct_io=self._direct_io, queue_depth=_DEPTH if self._direct_io else 1,
            # A pass ends with its last byte.
            seconds=seconds, options=("--time_based=0",) if is_pass else (),
        )  # fmt: skip
        argv, folder = fio.argv(run), self._logs / name
        folder.mkdir()
        ran = supervise(argv, seconds + _SECONDS_AROUND, folder, self._lock, dict(os.environ))
        if ran.exit_status:
            last = (folder / "stderr.txt").read_text(errors="replace").strip().splitlines()[-1:]
            why = "it hung" if ran.timed_out else f"exit status {ran.exit_status}"
            raise TargetError(f"{self._site.target.path} could not be filled: fio, {': '.join([why, *last])}")
        try:
            record = choose_record(operation, read_by(fio, (folder / "stdout.txt").read_bytes()), "throughput")
        except LogError as error:
            raise TargetError(f"{self._site.target.path} could not be filled: fio's log: {error}") from error
        self.parts.append(PreconditionStep(name, operation, tuple(argv), ran.start, ran.end, ran.seconds))
        return record.value if record else 0.0
