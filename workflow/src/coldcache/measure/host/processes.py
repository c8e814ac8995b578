"""Identify and list processes. A process number alone may have been reused."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from coldcache.measure.host.kernel_files import read_bytes

#: A killed process ends at once, unless it waits for storage that does not answer.
_SECONDS_TO_DIE = 5.0

#: Processes that belong to no tool, as they were seen last.
_OTHERS: set[str] = set()


def started_at(process: int) -> int | None:
    """Return when a process started, in clock ticks since boot; None once it has ended.

    Number and start together identify a process.
    """
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def holders_of_lock(descriptor: int) -> set[int]:
    """Return the processes that hold a lock of flock(2), from their open files in /proc (proc(5))."""
    locked = os.fstat(descriptor)
    found = set()
    for entry in Path("/proc").glob("[0-9]*/fdinfo/*"):
        with suppress(OSError):
            text = entry.read_text()
            # Files of two file systems may have the same number, and the lock names no device that stat(2) knows.
            if "FLOCK" not in text or f":{locked.st_ino} " not in text:
                continue
            if os.path.samestat(Path("/proc", entry.parts[2], "fd", entry.name).stat(), locked):
                found.add(int(entry.parts[2]))
    return found


def list_processes() -> set[str]:
    """Return the numbers of all processes, as text."""
    with os.scandir("/proc") as entries:
        return {entry.name for entry in entries if entry.name.isdigit()}


def kill_with_below(leader: int) -> None:
    """Kill the leader of a session and all below it, also those that lead sessions of their own.

    Parameters
    ----------
    leader : int
        The process that began the session. It may not have been waited for, so that its number is still its own.
    """
    sessions, end = {str(leader)}, time.monotonic() + _SECONDS_TO_DIE
    killed: dict[int, int | None] = {}
    while time.monotonic() < end:
        found = _find_below(sessions)
        # One that begins a session of its own before it ends has left those that are known.
        if not found and all(started is None or started_at(process) != started for process, started in killed.items()):
            break
        # Children that now lose their parent to others are in sessions that are known.
        # The leader first: it may otherwise end by itself once a child has died, with a status of its own.
        for process in sorted(map(int, found), key=lambda one: one != leader):
            killed.setdefault(process, started_at(process))
            with suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.01)


def _find_below(sessions: set[str]) -> set[str]:
    """Return the processes of some sessions and those below them that have not ended; add the sessions of these."""
    running = {}
    for process in list_processes():
        with suppress(OSError):
            state, parent, _, session = _read_status(process)
            if state not in "ZX":
                running[process] = (parent, session)
    found: set[str] = set()
    while more := {
        process
        for process, (parent, session) in running.items()
        if process not in found and (session in sessions or parent in found)
    }:
        found |= more
        sessions |= {running[process][1] for process in more}
    return found


class Below:
    """The processes below the leader of a session: those of the session, and those that they started.

    Parameters
    ----------
    leader : int
        The process that began the session.
    """

    def __init__(self, leader: int):
        self._leader = str(leader)
        self._others: set[str] | None = None
        self._own: set[str] = set()

    @staticmethod
    def note_others() -> None:
        """List the processes that run before the first tool starts; later ones are noted while tools run."""
        if not _OTHERS:
            _OTHERS.update(list_processes())

    def find_stopped(self) -> set[str]:
        """Return those that are stopped by a signal now."""
        there = list_processes()
        if self._others is None:
            # Numbers ascend: one above the leader's is of a process that started after it, whoever had it before.
            self._others = {process for process in _OTHERS if int(process) <= int(self._leader)} | {self._leader}
        self._others &= there
        self._own &= there
        stopped = set()
        # A parent has the lower number, unless the numbers wrapped around.
        for process in sorted(there - self._others, key=int):
            with suppress(OSError):
                state, parent, _, session = _read_status(process)
                if session == self._leader or parent == self._leader or parent in self._own:
                    self._own.add(process)
                if process in self._own and state == "T":
                    stopped.add(process)
        self._others |= there - self._own
        _OTHERS.clear()
        _OTHERS.update(self._others)
        return stopped


def _read_status(process: str) -> list[str]:
    """Return the state of a process, and the numbers of its parent, group and session (proc(5), stat)."""
    return read_bytes(f"/proc/{process}/stat").rpartition(b")")[2].decode().split()[:4]
