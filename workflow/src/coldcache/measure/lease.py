"""Keep other hosts off a target by a lease: a file on the target that names its owner and how long it is valid.

Two hosts may not see each other's locks, because flock stays on its host over some network file systems, but they see
the same folder. A lease is taken by link(2) and replaced by rename(2), which are atomic even on NFS. Whether it has
expired is decided by the clock of the file system, not by those of the two hosts, which may differ.
"""

import json
import os
import pwd
import socket
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from coldcache.core.errors import TargetError
from coldcache.core.units import show_seconds
from coldcache.measure.host.processes import started_at

LEASE = ".lease.json"

#: For how long a renewed lease is as good as new, in s. To write it before each trial would disturb short trials.
_FRESH = 60.0

#: By how much the clocks of hosts and file systems differ at most, in s.
_CLOCKS = 60.0


class Lease:
    """The right to use a target alone.

    Parameters
    ----------
    work : Path
        The marked work folder of the target.
    seconds : float
        How long it is valid after each renewal, in s.
    """

    def __init__(self, work: Path, seconds: float):
        self._path, self._seconds = work / LEASE, seconds
        self._token = uuid.uuid4().hex
        self._owner = _identify()
        self._renewed = float("-inf")

    def keep(self) -> None:
        """Make the lease valid for nearly `seconds` from now on: one that is fresh is not written again.

        Raises
        ------
        TargetError
            As `renew`.
        """
        if time.monotonic() - self._renewed > min(_FRESH, self._seconds / 10):
            self.renew()

    def renew(self) -> None:
        """Make the lease valid for `seconds` from now on.

        Raises
        ------
        TargetError
            If the lease had expired and another runner has taken it.
        """
        reason = self.why_lost()
        if reason:
            raise TargetError(reason)
        self._write().replace(self._path)
        self._renewed = time.monotonic()

    def why_lost(self) -> str | None:
        """Return why the target is no longer held, and who holds it instead; None while it is."""
        stated = _read(self._path)
        if stated.get("token") == self._token:
            return None
        holder = _name_owner(stated) if stated else "nobody"
        return f"{self._path.parent.parent} is held by {holder}: the lease of this runner expired and was taken"

    def take(self) -> None:
        """Take the lease; one that has expired, or whose owner has ended on this host, is replaced.

        Raises
        ------
        TargetError
            If another runner holds it. The message names the owner and how long the lease is valid.
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
        """Remove the lease, unless it was lost."""
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
        # Of all runners that saw this lease expire, only the one that creates this name may replace it.
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
        """Write the lease under a temporary name, and return that; raises `TargetError` if it cannot be written."""
        partial = self._path.with_name(f"{LEASE}.{self._token}")
        stated = {"token": self._token, "seconds": self._seconds, **self._owner}
        try:
            with partial.open("w") as file:
                json.dump(stated, file)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise TargetError(
                f"{self._path.parent.parent} takes no lease ({error.strerror}); fix it and start again: the missing "
                "trials are measured then"
            ) from error
        return partial


@contextmanager
def leased(work: Path, seconds: float) -> Iterator[Lease]:
    """Keep other hosts off a target; each renewal is valid for `seconds`.

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
    """Return who holds a target by its lease; None where nobody does, its owner has ended here, or it has run out."""
    path = work / LEASE
    stated = _read(path)
    if not stated or _has_ended_here(stated):
        return None
    with suppress(OSError):
        # Whoever takes it asks the file system for the time; a clock of this host may differ from that by some seconds.
        if time.time() - path.stat().st_mtime > float(stated.get("seconds", 60.0)) + _CLOCKS:
            return None
    return _name_owner(stated)


def _identify() -> dict[str, Any]:
    """Return what identifies this process on all hosts, and the user and job to ask about it."""
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
    """Return whether the owner of a lease ran on this host since its last boot, in this PID namespace, and ended."""
    here = _identify()
    if any(stated.get(key) != here[key] for key in ("host", "boot", "processes")):
        return False
    return stated.get("started") is not None and started_at(stated["pid"]) != stated["started"]


def _seconds_left(path: Path, stated: dict[str, Any], own: Path) -> float:
    """Return how long a lease is still valid, in s, by the clock of the file system that has just stamped `own`."""
    try:
        age = own.stat().st_mtime - path.stat().st_mtime
    except FileNotFoundError:
        return 0.0
    # A lease that cannot be read was half written; give it a minute.
    return float(stated.get("seconds", 60.0)) - age


def _name_owner(stated: dict[str, Any]) -> str:
    return f"process {stated.get('pid')} of {stated.get('user')} on {stated.get('host')}"


def _read(path: Path) -> dict[str, Any]:
    try:
        stated = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return stated if isinstance(stated, dict) else {}
