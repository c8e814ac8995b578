"""A target held alone across hosts: a file on the target itself that names its owner and how long it is theirs.

Two hosts may not see each other's locks (flock over some network file systems stays on its host), but they see one
folder. A lease is taken by link(2) and replaced by rename(2), which are atomic on NFS, too; whether it has run out is
told by the clock of the file system that both of them write to, not by two clocks that may differ.
"""

import json
import os
import pwd
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from coldcache.core.errors import TargetError
from coldcache.core.units import show_seconds
from coldcache.measure.host.processes import started_at

LEASE = ".lease.json"


class Lease:
    """What the owner of a target holds.

    Parameters
    ----------
    work : Path
        The marked work folder of the target.
    seconds : float
        How long the target is held after each renewal.
    """

    def __init__(self, work: Path, seconds: float):
        self._path, self._seconds = work / LEASE, seconds
        self._token = uuid.uuid4().hex
        self._owner = _identify()

    def renew(self) -> None:
        """Hold the target for `seconds` from now on.

        Raises
        ------
        TargetError
            If the lease had run out and somebody else has taken it.
        """
        reason = self.why_lost()
        if reason:
            raise TargetError(reason)
        self._write().replace(self._path)

    def why_lost(self) -> str | None:
        """Return why the target is no longer held, and who holds it instead; None while it is."""
        stated = _read(self._path)
        if stated.get("token") == self._token:
            return None
        holder = _name_owner(stated) if stated else "nobody"
        return f"{self._path.parent.parent} is held by {holder}: the lease of this runner ran out and was taken"

    def take(self) -> None:
        """Take the target, over a lease that has run out or whose owner has ended on this host.

        Raises
        ------
        TargetError
            If somebody else holds it. The message names them and when their lease runs out.
        """
        own = self._write()
        try:
            with suppress(FileExistsError):
                os.link(own, self._path)
                return
            self._take_over(own)
        finally:
            own.unlink(missing_ok=True)

    def release(self) -> None:
        """Let the target go, unless it was lost."""
        with suppress(OSError):
            if _read(self._path).get("token") == self._token:
                self._path.unlink()

    def _take_over(self, own: Path) -> None:
        before = _read(self._path)
        left = _seconds_left(self._path, before, own)
        folder = self._path.parent.parent
        if left > 0 and not _has_ended_here(before):
            raise TargetError(
                f"{folder} is held by {_name_owner(before)}, for another {show_seconds(left)} unless renewed; "
                f"wait for it, or name another target"
            )
        # Of all that saw this lease run out, one alone can make a name of its token, and only then replace it.
        claim = self._path.with_name(f"{LEASE}.{before.get('token', 'broken')}.taken")
        try:
            os.link(own, claim)
        except FileExistsError as error:
            raise TargetError(
                f"{folder} is being taken by another runner; start again (if nobody measures it, remove {claim})"
            ) from error
        try:
            if _read(self._path).get("token") == before.get("token"):
                own.replace(self._path)
        finally:
            claim.unlink(missing_ok=True)
        reason = self.why_lost()
        if reason:
            raise TargetError(reason)

    def _write(self) -> Path:
        """Write the lease under a name of its own, and return it; raises `TargetError` if it cannot be."""
        partial = self._path.with_name(f"{LEASE}.{self._token}")
        stated = {"token": self._token, "seconds": self._seconds, **self._owner}
        try:
            with partial.open("w") as file:
                json.dump(stated, file)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise TargetError(
                f"{self._path.parent.parent} takes no lease ({error.strerror}); put it right and start again: what is "
                "missing is measured then"
            ) from error
        return partial


@contextmanager
def leased(work: Path, seconds: float) -> Iterator[Lease]:
    """Hold a target alone across hosts, for `seconds` after each renewal.

    Raises
    ------
    TargetError
        As `Lease.take`.
    """
    lease = Lease(work, seconds)
    lease.take()
    try:
        yield lease
    finally:
        lease.release()


def find_holder(work: Path) -> str | None:
    """Return who holds a target by its lease; None where nobody does, or its owner has ended on this host."""
    stated = _read(work / LEASE)
    return _name_owner(stated) if stated and not _has_ended_here(stated) else None


def _identify() -> dict[str, Any]:
    """Return what tells this process from every other one of all hosts, and who a person must ask."""
    return {
        "host": socket.gethostname(), "boot": Path("/proc/sys/kernel/random/boot_id").read_text().strip(),
        "processes": Path("/proc/self/ns/pid").stat().st_ino, "pid": os.getpid(), "started": started_at(os.getpid()),
        "user": _name_user(), "job": os.environ.get("SLURM_JOB_ID", ""),
    }  # fmt: skip


def _name_user() -> str:
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return str(os.getuid())


def _has_ended_here(stated: dict[str, Any]) -> bool:
    """Return whether the owner of a lease ran on this very kernel, among the same processes, and has ended."""
    here = _identify()
    if any(stated.get(key) != here[key] for key in ("host", "boot", "processes")):
        return False
    return stated.get("started") is not None and started_at(stated["pid"]) != stated["started"]


def _seconds_left(path: Path, stated: dict[str, Any], own: Path) -> float:
    """Return how long a lease still holds, by the clock of the file system, which has just stamped `own`."""
    try:
        age = own.stat().st_mtime - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
    # One that cannot be read was half written; it is given the time that this runner would take.
    return float(stated.get("seconds", 60.0)) - age


def _name_owner(stated: dict[str, Any]) -> str:
    return f"process {stated.get('pid')} of {stated.get('user')} on {stated.get('host')}"


def _read(path: Path) -> dict[str, Any]:
    try:
        stated = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return stated if isinstance(stated, dict) else {}
