"""The folder under test: refused unless safe, marked, locked, and cleared only of what was created in it."""

import fcntl
import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from coldcache.core.errors import DesignError, TargetError
from coldcache.core.units import show_bytes
from coldcache.core.yaml_mistakes import name_place
from coldcache.design.cases import Case
from coldcache.design.site import SITES, Site, read_site
from coldcache.measure.fresh_files import is_aside
from coldcache.measure.host.mounts import count_free_inodes
from coldcache.measure.host.processes import holders_of_lock, started_at
from coldcache.measure.model.storage import refuse_storage
from coldcache.measure.target_identity import refuse_other

#: The sub-folder of a target that all trials use, and the file that marks it as created by this program.
WORK = "coldcache"
MARKER = ".made-by-coldcache"
LOCK = ".lock"

#: What an empty file system, or an earlier campaign, contains.
_NOT_FOREIGN = {"lost+found", WORK}

#: Folders of the system: nothing is measured directly in them.
_SYSTEM = ("/bin", "/boot", "/dev", "/etc", "/lib", "/lib64", "/proc", "/root", "/run", "/sbin", "/sys", "/usr", "/var")

#: Length of the description of the owner in the lock, in B.
_OWNER = 512

#: Bytes of folders that are kept aside, by what distinguishes them.
_BYTES_ASIDE: dict[tuple[str, int, int, int], int] = {}

#: How many processes remove what trials have left.
_REMOVERS = 4

#: How long killed processes may take to end, in s.
_SECONDS_TO_END = 10

#: Space that must stay free on a target during the largest trial, in B.
_RESERVE = 64 * 2**20


def check_target(site: Site, cases: list[Case]) -> Path:
    """Return the target's folder if the plan can run there. Writes nothing.

    Parameters
    ----------
    site : Site
        The site, whose target is checked.
    cases : list of Case
        The cases to run there; the largest decides how much space is needed. Without cases space is not checked.

    Returns
    -------
    Path
        The folder, absolute.

    Raises
    ------
    TargetError
        If the folder does not exist, is not a folder, belongs to the system, is not writable, contains other files,
        is on another file system than the site names, or has too little space; if a model that the site needs cannot
        be started here. The message names the line of the site's file, or the argument that replaces it.
    """
    given = Path(site.target.path)
    folder = given.absolute()
    if site.model and not folder.parent.is_mount():
        # It is started before anything is measured.
        refuse_storage(site)
        return folder
    with _name_target(site):
        to_be_made = site.target.make and not os.path.lexists(folder) and folder.parent.is_dir()
        _refuse_system(folder)
        if to_be_made:
            _refuse_unwritable(folder.parent)
        else:
            _refuse_unusable(folder, given)
        refuse_other(site.target, folder)
        _refuse_too_small(folder.parent if to_be_made else folder, given, cases)
    return folder


@contextmanager
def _name_target(site: Site) -> Iterator[None]:
    """Let an error begin with what names the target: its line in the site's file, or the argument that replaces it."""
    try:
        yield
    except (OSError, TargetError) as error:
        cause = str(error)
        if isinstance(error, OSError):
            cause = f"{site.target.path}: {error.strerror}; name another folder"
        file = SITES / f"{site.site}.yaml"
        try:
            is_replaced = read_site(SITES, site.site).target.path != site.target.path
        except DesignError:
            is_replaced = False
        place = f"target: {cause}" if is_replaced else name_place(file, f"targets.{site.target_name}.path: {cause}")
        raise TargetError(place) from error


def _refuse_unusable(folder: Path, given: Path) -> None:
    try:
        # A link that leads back to itself is there, and no folder can be made in its place.
        folder.stat()
    except (FileNotFoundError, NotADirectoryError):
        raise TargetError(f"{given} does not exist; make it, or name another folder") from None
    if not folder.is_dir():
        raise TargetError(f"{given} is not a folder; name an empty folder on the file system to measure")
    _refuse_unwritable(given)
    foreign = sorted(entry.name for entry in folder.iterdir() if entry.name not in _NOT_FOREIGN)
    if foreign:
        raise TargetError(f'{given} holds foreign files such as "{foreign[0]}"; name an empty folder')
    work = folder / WORK
    if not os.path.lexists(work):
        return
    made = not work.is_symlink() and work.is_dir() and ((work / MARKER).is_file() or not any(work.iterdir()))
    if not made:
        raise TargetError(f"{work} was not made by this program; move it away, or name another folder")
    if not os.access(work, os.W_OK | os.X_OK):
        raise TargetError(f"{work} is {_name_owner(work)}'s, who measured here; name another folder")


def _name_owner(path: Path) -> str:
    try:
        return path.owner()
    except KeyError:
        return f"user {path.stat().st_uid}"


def _refuse_unwritable(folder: Path) -> None:
    if not os.access(folder, os.W_OK | os.X_OK) or _is_read_only(folder):
        raise TargetError(f"{folder} is not writable; name a folder that you may write to")


def _refuse_system(folder: Path) -> None:
    real = Path(os.path.realpath(folder))
    if (
        real == _own_home()
        or str(real) in ("/", "/home", "/tmp", *_SYSTEM)
        or any(real.is_relative_to(system) for system in _SYSTEM if system not in ("/dev", "/run", "/var", "/root"))
    ):
        raise TargetError(f"{real} belongs to the system; name an empty folder of its own")
    if real.is_dir() and real == _home_of(real.stat().st_uid):
        raise TargetError(f"{real} is the home folder of {real.owner()}; name an empty folder of its own")


def _own_home() -> Path | None:
    try:
        return Path.home().resolve()
    except RuntimeError:
        # A user whom the system does not know has none, unless HOME states it.
        return None


def _home_of(user: int) -> Path | None:
    try:
        return Path(pwd.getpwuid(user).pw_dir).resolve()
    except KeyError:
        return None


def _is_read_only(folder: Path) -> bool:
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


def _refuse_too_small(folder: Path, given: Path, cases: list[Case]) -> None:
    status = os.statvfs(folder)
    free, inodes = status.f_bavail * status.f_frsize, count_free_inodes(status)
    # A guest keeps its files in memory.
    cases = [case for case in cases if not case.guest]
    if not cases:
        return
    inodes = sys.maxsize if inodes is None else inodes
    largest = max(cases, key=lambda case: case.bytes)
    files = max(case.run.files * case.run.threads for case in cases)
    if free < largest.bytes + _RESERVE or inodes < files:
        # Files that a killed runner left are removed before anything is written.
        left = [path.lstat() for path in (folder / WORK).rglob("*")]
        free, inodes = free + sum(status.st_blocks * 512 for status in left), inodes + len(left)
    if free < largest.bytes + _RESERVE:
        raise TargetError(
            f"{given} has {show_bytes(free)} free, study {largest.study} needs "
            f"{show_bytes(largest.bytes + _RESERVE)} (sweep {largest.sweep}): free space, or lower its file_size"
        )
    if inodes < files:
        raise TargetError(f"{given} has {inodes:,} inodes free, the plan needs {files:,}: name fewer files")


def check_space(site: Site, case: Case) -> None:
    """Raise `TargetError` if the target has no room for a trial of a case."""
    given = Path(site.target.path)
    with _name_target(site):
        _refuse_too_small(given, given, [case])


def takes_direct_io(folder: Path) -> bool:
    """Return whether the file system of `folder` supports O_DIRECT, tried on a file without a name."""
    while not os.path.lexists(folder):
        folder = folder.parent
    try:
        os.close(os.open(folder, os.O_TMPFILE | os.O_DIRECT | os.O_RDWR, 0o600))
    except OSError:
        # If no file can be created at all, `check_target` says why.
        return False
    return True


def make_work_folder(folder: Path) -> Path:
    """Create and mark the sub-folder that trials use, and return it."""
    work = folder / WORK
    work.mkdir(parents=True, exist_ok=True)
    (work / MARKER).touch()
    return work


def bytes_elsewhere(work: Path, folder: Path) -> int:
    """Return the size of a work folder's files outside a sweep's folder, on the same file system, in B.

    What is kept aside is walked once: it may be millions of files, and nothing changes them any more.
    """
    return _count_bytes(os.fspath(work), folder.stat().st_dev, os.fspath(folder))


def _count_bytes(place: str, device: int, left_out: str = "") -> int:
    held = 0
    with suppress(FileNotFoundError), os.scandir(place) as entries:
        for entry in entries:
            with suppress(FileNotFoundError):
                if not entry.is_dir(follow_symlinks=False):
                    status = entry.stat(follow_symlinks=False)
                    held += status.st_blocks * 512 if status.st_dev == device else 0
                elif is_aside(entry.path):
                    held += _count_bytes_aside(entry, device)
                elif entry.path != left_out:
                    held += _count_bytes(entry.path, device, left_out)
    return held


def _count_bytes_aside(entry: os.DirEntry[str], device: int) -> int:
    status = entry.stat(follow_symlinks=False)
    # Another folder of this name and inode was made later.
    known = (entry.path, status.st_ino, status.st_ctime_ns, device)
    if known not in _BYTES_ASIDE:
        _BYTES_ASIDE[known] = _count_bytes(entry.path, device)
    return _BYTES_ASIDE[known]


def clear(folder: Path) -> None:
    """Remove a sweep's folder inside a marked work folder, without following links.

    Raises
    ------
    TargetError
        If the folder is not inside a folder that this program marked.
    """
    if not any((parent / MARKER).is_file() for parent in folder.resolve().parents):
        raise TargetError(f"{folder} was not made by this program; nothing is removed")
    if folder.is_dir() and not folder.is_symlink():
        _remove_folders(folder)
        shutil.rmtree(folder)


def _remove_folders(parent: Path) -> None:
    """Remove the folders in a folder by several processes: trials of metadata leave millions of files."""
    with os.scandir(parent) as entries:
        names = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    shares = [names[first::_REMOVERS] for first in range(min(_REMOVERS, len(names)))]
    running = [
        subprocess.Popen(["rm", "-rf", "--", *share], cwd=parent, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for share in shares
    ]
    try:
        for process in running:
            process.wait()
    finally:
        for process in running:
            process.kill()
            process.wait()


@contextmanager
def locked(work: Path) -> Iterator[int]:
    """Lock a target and yield the descriptor of the lock.

    Every process that is started inherits the descriptor. Processes that a killed runner leaves behind therefore keep
    the target locked, and the next start finds and kills them.

    Raises
    ------
    TargetError
        If another campaign is using the target. The message names its process and host.
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
        # One write of fixed length, so that nobody reads half of it.
        os.pwrite(descriptor, json.dumps(owner).ljust(_OWNER).encode(), 0)
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def released(work: Path, descriptor: int) -> Iterator[None]:
    """Release a target for a moment, so that it can be unmounted, and lock it again under the same descriptor.

    Raises
    ------
    TargetError
        If another file system is mounted afterwards, or another process holds the lock.
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
            raise TargetError(f"{work} is gone after remounting it: {error.strerror}; mount it by hand") from error
        os.dup2(again, descriptor, inheritable=False)
        os.close(again)
        if os.fstat(descriptor).st_ino != before.st_ino or not _take(descriptor):
            raise TargetError(f"{work.parent} was taken by {_owner(descriptor).get('pid')} while it was remounted")


def _take(descriptor: int) -> bool:
    """Take the lock and return whether that succeeded; processes of a killed runner that hold it are killed."""
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
        # Another start may have taken the lock meanwhile.
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
    """Return whether the runner named in the lock may still run; a runner on another host always may."""
    if owner.get("host") != socket.gethostname():
        return True
    return owner["started"] is None or started_at(owner["pid"]) == owner["started"]
