"""The folder under test: refused unless safe to use, marked, locked, and cleared of nothing but what was made in it."""

import fcntl
import json
import os
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from coldcache.errors import TargetError
from coldcache.plan import Case
from coldcache.site import Site
from coldcache.units import show_bytes

#: The sub-folder inside a target in which every trial stays, and the file that marks it as made by this program.
WORK = "coldcache"
MARKER = ".made-by-coldcache"
LOCK = ".lock"

#: What an empty file system holds without anybody's doing.
_NOT_FOREIGN = {"lost+found", WORK}

#: Folders of the system: nothing is measured directly in them.
_SYSTEM = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/root", "/run", "/sbin", "/sys", "/usr", "/var")

#: Space that a target keeps free beside the largest trial.
_RESERVE = 64 * 2**20


def check_target(site: Site, cases: list[Case]) -> Path:
    """Return the target's folder once it is known that the plan can run there. Writes nothing.

    Parameters
    ----------
    site : Site
        Its target is checked.
    cases : list of Case
        What is to run there; the largest decides how much space is needed.

    Returns
    -------
    Path
        The folder, absolute.

    Raises
    ------
    TargetError
        If the folder does not exist, is no folder, belongs to the system, is not writable, holds foreign files, or
        has too little space. The message names the site's file and key.
    """
    where = f"config/sites/{site.site}.yaml, targets.{site.target_name}"
    given = Path(site.target.path)
    folder = given.absolute()
    if not folder.exists() and site.target.make and folder.parent.is_dir():
        _refuse_too_small(where, folder.parent, given, cases)
        return folder
    if not folder.exists():
        raise TargetError(f"{where}: {given} does not exist; make it, or name another folder")
    if not folder.is_dir():
        raise TargetError(f"{where}: {given} is not a folder; name an empty folder on the file system to measure")
    _refuse_system(where, folder)
    if not os.access(folder, os.W_OK | os.X_OK) or _is_read_only(folder):
        raise TargetError(f"{where}: {given} is not writable; name a folder that you may write to")
    foreign = sorted(entry.name for entry in folder.iterdir() if entry.name not in _NOT_FOREIGN)
    if foreign:
        raise TargetError(f'{where}: {given} holds foreign files such as "{foreign[0]}"; name an empty folder')
    work = folder / WORK
    if work.is_symlink() or (work.exists() and any(work.iterdir()) and not (work / MARKER).is_file()):
        raise TargetError(f"{where}: {work} was not made by this program; move it away, or name another folder")
    _refuse_too_small(where, folder, given, cases)
    return folder


def _refuse_system(where: str, folder: Path) -> None:
    real = folder.resolve()
    if str(real) in ("/", str(Path.home().resolve()), "/home", "/tmp", *_SYSTEM) or any(
        real.is_relative_to(system) for system in _SYSTEM if system not in ("/dev", "/run", "/var", "/root")
    ):
        raise TargetError(f"{where}: {real} belongs to the system; name an empty folder of its own")


def _is_read_only(folder: Path) -> bool:
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def _refuse_too_small(where: str, folder: Path, given: Path, cases: list[Case]) -> None:
    status = os.statvfs(folder)
    free = status.f_bavail * status.f_frsize
    largest = max(cases, key=lambda case: case.bytes)
    if free < largest.bytes + _RESERVE:
        raise TargetError(
            f"{where}: {given} has {show_bytes(free)} free, study {largest.study} needs "
            f"{show_bytes(largest.bytes + _RESERVE)} (sweep {largest.sweep}): free space, or lower its file_size"
        )
    files = max(case.run.files * case.run.threads for case in cases)
    if status.f_files and status.f_favail < files:
        raise TargetError(f"{where}: {given} has {status.f_favail:,} inodes free, the plan needs {files:,}")


def takes_direct_io(folder: Path) -> bool:
    """Return whether the file system of `folder` takes O_DIRECT, tried on a file without a name."""
    while not folder.exists():
        folder = folder.parent
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_DIRECT | os.O_RDWR, 0o600))
    except OSError:
        # What takes no file at all is refused by `check_target`, which says why.
        return False
    return True


def make_work_folder(folder: Path) -> Path:
    """Make and mark the sub-folder in which trials stay, and return it."""
    work = folder / WORK
    work.mkdir(parents=True, exist_ok=True)
    (work / MARKER).touch()
    return work


def clear(folder: Path) -> None:
    """Remove a sweep's folder inside a marked work folder, without following links.

    Raises
    ------
    TargetError
        If the folder does not lie in a folder that this program marked.
    """
    if not any((parent / MARKER).is_file() for parent in folder.parents):
        raise TargetError(f"{folder} was not made by this program; nothing is removed")
    if folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder)


class TargetLock:
    """The lock of a target. Tools inherit its descriptor, so that what a killed runner leaves keeps the target locked.

    Attributes
    ----------
    descriptor : int
        To be passed on to every process that is started.
    """

    def __init__(self, descriptor: int):
        self.descriptor = descriptor
        self._groups: dict[int, int | None] = {}
        self._write()

    @contextmanager
    def noting(self, process: int) -> Iterator[None]:
        """Keep the process group of a running process in the lock, for a start that finds its runner killed."""
        self._groups[process] = _started(process)
        self._write()
        try:
            yield
        finally:
            del self._groups[process]
            self._write()

    def _write(self) -> None:
        owner = {"pid": os.getpid(), "host": socket.gethostname(), "started": _started(os.getpid())}
        text = json.dumps({**owner, "groups": self._groups}).encode()
        os.pwrite(self.descriptor, text, 0)
        os.ftruncate(self.descriptor, len(text))


@contextmanager
def locked(work: Path) -> Iterator[TargetLock]:
    """Hold a target alone.

    Raises
    ------
    TargetError
        If another campaign measures the target now. The message names its process and host.
    """
    descriptor = os.open(work / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not _take(descriptor, seconds=0) and not (_end_orphans(descriptor) and _take(descriptor, seconds=10)):
            owner = _owner(descriptor)
            raise TargetError(
                f"{work.parent} is being measured by process {owner.get('pid')} on {owner.get('host')}; "
                "wait for it, or name another target"
            )
        yield TargetLock(descriptor)
    finally:
        os.close(descriptor)


def _take(descriptor: int, seconds: float) -> bool:
    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(0.05)


def _owner(descriptor: int) -> dict:
    try:
        return json.loads(os.pread(descriptor, 4096, 0))
    except ValueError:
        return {}


def _started(process: int) -> int | None:
    """Return the start time of a process in clock ticks since boot, which tells it from a later one of its number."""
    try:
        return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[19])
    except (OSError, IndexError):
        return None


def _end_orphans(descriptor: int) -> bool:
    """End what a killed runner left running, and return whether there was anything."""
    owner = _owner(descriptor)
    if owner.get("host") != socket.gethostname() or not owner.get("groups"):
        return False
    if owner["started"] is not None and _started(owner["pid"]) == owner["started"]:
        return False
    ended = False
    for group, started in owner["groups"].items():
        if started is not None and _started(int(group)) in (started, None):
            with suppress(ProcessLookupError):
                os.killpg(int(group), signal.SIGKILL)
                ended = True
    return ended
