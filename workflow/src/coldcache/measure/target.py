"""The folder under test: refused unless safe to use, marked, locked, and cleared of nothing but what was made in it."""

import fcntl
import json
import os
import pwd
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from coldcache.core.errors import TargetError
from coldcache.core.units import show_bytes
from coldcache.design.cases import Case
from coldcache.design.site import Site
from coldcache.measure.host.processes import holders_of_lock, started_at
from coldcache.measure.target_identity import refuse_other

#: The sub-folder inside a target in which every trial stays, and the file that marks it as made by this program.
WORK = "coldcache"
MARKER = ".made-by-coldcache"
LOCK = ".lock"

#: What an empty file system holds without anybody's doing.
_NOT_FOREIGN = {"lost+found", WORK}

#: Folders of the system: nothing is measured directly in them.
_SYSTEM = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/root", "/run", "/sbin", "/sys", "/usr", "/var")

#: Bytes that the lock holds of its owner.
_OWNER = 512

#: How long processes that were killed may take to end.
_SECONDS_TO_END = 10

#: Space that a target keeps free beside the largest trial.
_RESERVE = 64 * 2**20


def check_target(site: Site, cases: list[Case]) -> Path:
    """Return the target's folder once it is known that the plan can run there. Writes nothing.

    Parameters
    ----------
    site : Site
        Its target is checked.
    cases : list of Case
        What is to run there; the largest decides how much space is needed. Without any, space is not asked for.

    Returns
    -------
    Path
        The folder, absolute.

    Raises
    ------
    TargetError
        If the folder does not exist, is no folder, belongs to the system, is not writable, holds foreign files, lies
        on another file system than the site names, or has too little space. The message names the site's file and key.
    """
    where = f"config/sites/{site.site}.yaml, targets.{site.target_name}"
    given = Path(site.target.path)
    folder = given.absolute()
    try:
        to_be_made = site.target.make and not os.path.lexists(folder) and folder.parent.is_dir()
        _refuse_system(where, folder)
        if to_be_made:
            _refuse_unwritable(where, folder.parent)
        else:
            _refuse_unusable(where, folder, given)
        refuse_other(where, site.target, folder)
        _refuse_too_small(where, folder.parent if to_be_made else folder, given, cases)
    except OSError as error:
        raise TargetError(f"{where}: {given}: {error.strerror}; name another folder") from error
    return folder


def _refuse_unusable(where: str, folder: Path, given: Path) -> None:
    if not folder.exists():
        raise TargetError(f"{where}: {given} does not exist; make it, or name another folder")
    if not folder.is_dir():
        raise TargetError(f"{where}: {given} is not a folder; name an empty folder on the file system to measure")
    _refuse_unwritable(where, given)
    foreign = sorted(entry.name for entry in folder.iterdir() if entry.name not in _NOT_FOREIGN)
    if foreign:
        raise TargetError(f'{where}: {given} holds foreign files such as "{foreign[0]}"; name an empty folder')
    work = folder / WORK
    if not os.path.lexists(work):
        return
    made = not work.is_symlink() and work.is_dir() and ((work / MARKER).is_file() or not any(work.iterdir()))
    if not made:
        raise TargetError(f"{where}: {work} was not made by this program; move it away, or name another folder")
    if not os.access(work, os.W_OK | os.X_OK):
        raise TargetError(f"{where}: {work} is {_name_owner(work)}'s, who measured here; name another folder")


def _name_owner(path: Path) -> str:
    try:
        return path.owner()
    except KeyError:
        return f"user {path.stat().st_uid}"


def _refuse_unwritable(where: str, folder: Path) -> None:
    if not os.access(folder, os.W_OK | os.X_OK) or _is_read_only(folder):
        raise TargetError(f"{where}: {folder} is not writable; name a folder that you may write to")


def _refuse_system(where: str, folder: Path) -> None:
    real = folder.resolve()
    if str(real) in ("/", str(Path.home().resolve()), "/home", "/tmp", *_SYSTEM) or any(
        real.is_relative_to(system) for system in _SYSTEM if system not in ("/dev", "/run", "/var", "/root")
    ):
        raise TargetError(f"{where}: {real} belongs to the system; name an empty folder of its own")
    if real.is_dir() and real == _home_of(real.stat().st_uid):
        raise TargetError(f"{where}: {real} is the home folder of {real.owner()}; name an empty folder of its own")


def _home_of(user: int) -> Path | None:
    try:
        return Path(pwd.getpwuid(user).pw_dir).resolve()
    except KeyError:
        return None


def _is_read_only(folder: Path) -> bool:
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def _refuse_too_small(where: str, folder: Path, given: Path, cases: list[Case]) -> None:
    status = os.statvfs(folder)
    free, inodes = status.f_bavail * status.f_frsize, status.f_favail
    if not cases:
        return
    largest = max(cases, key=lambda case: case.bytes)
    files = max(case.run.files * case.run.threads for case in cases)
    if free < largest.bytes + _RESERVE or inodes < files:
        # What a killed runner left is cleared before anything is written.
        left = [path.lstat() for path in (folder / WORK).rglob("*")]
        free, inodes = free + sum(status.st_blocks * 512 for status in left), inodes + len(left)
    if free < largest.bytes + _RESERVE:
        raise TargetError(
            f"{where}: {given} has {show_bytes(free)} free, study {largest.study} needs "
            f"{show_bytes(largest.bytes + _RESERVE)} (sweep {largest.sweep}): free space, or lower its file_size"
        )
    if status.f_files and inodes < files:
        raise TargetError(f"{where}: {given} has {inodes:,} inodes free, the plan needs {files:,}: name fewer files")


def check_space(site: Site, case: Case) -> None:
    """Raise `TargetError` if the target has no room for a trial of a case."""
    where = f"config/sites/{site.site}.yaml, targets.{site.target_name}"
    given = Path(site.target.path)
    _refuse_too_small(where, given.absolute(), given, [case])


def takes_direct_io(folder: Path) -> bool:
    """Return whether the file system of `folder` takes O_DIRECT, tried on a file without a name."""
    while not os.path.lexists(folder):
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


def bytes_elsewhere(work: Path, folder: Path) -> int:
    """Return what the files of a work folder outside a sweep's own folder hold on its file system, in B."""
    device, held = folder.stat().st_dev, 0
    for place, folders, names in os.walk(work):
        folders[:] = [name for name in folders if Path(place, name) != folder]
        for name in names:
            with suppress(FileNotFoundError):
                status = Path(place, name).lstat()
                held += status.st_blocks * 512 if status.st_dev == device else 0
    return held


def clear(folder: Path) -> None:
    """Remove a sweep's folder inside a marked work folder, without following links.

    Raises
    ------
    TargetError
        If the folder does not lie in a folder that this program marked.
    """
    if not any((parent / MARKER).is_file() for parent in folder.resolve().parents):
        raise TargetError(f"{folder} was not made by this program; nothing is removed")
    if folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder)


@contextmanager
def locked(work: Path) -> Iterator[int]:
    """Hold a target alone; yield the descriptor of its lock.

    The descriptor is passed on to every process that is started, so that what a killed runner leaves running keeps
    the target locked and is found, and ended, by the next start.

    Raises
    ------
    TargetError
        If another campaign measures the target now. The message names its process and host.
    """
    descriptor = os.open(work / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not _take(descriptor):
            owner = _owner(descriptor)
            raise TargetError(
                f"{work.parent} is being measured by process {owner.get('pid')} on {owner.get('host')}; "
                "wait for it, or name another target"
            )
        owner = {"pid": os.getpid(), "host": socket.gethostname(), "started": started_at(os.getpid())}
        # One write of one length, so that nobody reads half of it.
        os.pwrite(descriptor, json.dumps(owner).ljust(_OWNER).encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def released(work: Path, descriptor: int) -> Iterator[None]:
    """Let go of a target for a moment, as unmounting it needs, and hold it again under the same descriptor.

    Raises
    ------
    TargetError
        If the file system that comes back is another one, or is held by somebody else.
    """
    before = os.fstat(descriptor)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, descriptor, inheritable=False)
    os.close(nothing)
    try:
        yield
    finally:
        try:
            again = os.open(work / LOCK, os.O_RDWR)
        except OSError as error:
            raise TargetError(f"{work} is gone after mounting it anew: {error.strerror}; mount it by hand") from error
        os.dup2(again, descriptor, inheritable=False)
        os.close(again)
        if os.fstat(descriptor).st_ino != before.st_ino or not _take(descriptor):
            raise TargetError(f"{work.parent} was taken by {_owner(descriptor).get('pid')} while it was mounted anew")


def _take(descriptor: int) -> bool:
    """Take the lock, from the processes of a killed runner if they hold it; return whether it is taken."""
    end = time.monotonic() + _SECONDS_TO_END
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            owner = _owner(descriptor)
            if _is_alive(owner) or time.monotonic() > end:
                return False
        orphans = holders_of_lock(descriptor)
        # Another start that took the lock meanwhile holds it rightly.
        if _owner(descriptor) == owner:
            for process in orphans:
                with suppress(ProcessLookupError, PermissionError):
                    os.kill(process, signal.SIGKILL)
        time.sleep(0.05)


def _owner(descriptor: int) -> dict:
    try:
        return json.loads(os.pread(descriptor, _OWNER, 0))
    except ValueError:
        return {}


def _is_alive(owner: dict) -> bool:
    """Return whether the runner that wrote itself into the lock may still run; one on another host may."""
    if owner.get("host") != socket.gethostname():
        return True
    return owner["started"] is None or started_at(owner["pid"]) == owner["started"]
