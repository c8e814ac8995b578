"""Run a tool within its time limit, and record what disturbed it."""

import os
import resource
import select
import signal
import subprocess
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from coldcache.measure.host.kernel_files import read_bytes
from coldcache.measure.host.processes import Below, kill_with_below

#: The share of one core that checking for stopped processes may use, and the least seconds between two checks.
_SHARE, _PAUSE = 0.002, 0.1

#: How long srun or mpirun may take to end the processes of other nodes, in s.
_SECONDS_TO_END = 10

#: Tools must print English with decimal points; Open MPI refuses to run as root, as in a container, without these.
_ENVIRONMENT = {"LC_ALL": "C", "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


class ToolRun(NamedTuple):
    """How a run of a tool went.

    Attributes
    ----------
    start, end : str
        ISO 8601 in UTC, to the millisecond.
    seconds : float
        From start to end by the steady clock, in s.
    exit_status : int
        The tool's; negative for the signal that killed it.
    timed_out : bool
        Whether it was ended at its time limit.
    stops : int
        How often a process of it was stopped by a signal.
    suspended : float
        How long the machine slept meanwhile, in s.
    own_cpu, busy_cpu : float
        Processor time of the tool, and of everything that ran on this machine meanwhile, in s.
    utc_offset : float
        Local time minus UTC, in s.
    """

    start: str
    end: str
    seconds: float
    exit_status: int
    timed_out: bool
    stops: int
    suspended: float
    own_cpu: float
    busy_cpu: float
    utc_offset: float


def supervise(
    argv: list[str], limit: float, folder: Path, lock: int, environment: Mapping[str, str], place: Path | None = None,
    joined: bool = False, spreads: bool = False,
) -> "ToolRun":  # fmt: skip
    """Run a tool and return how it went. Its output goes to two files.

    Parameters
    ----------
    argv : list of str
        The command line.
    limit : float
        Seconds after which it is killed, with all processes that it started.
    folder : Path
        Where ``stdout.txt`` and ``stderr.txt`` are written.
    lock : int
        Descriptor of the target's lock, which the tool inherits.
    environment : mapping of str to str
        Its environment; locale and Open MPI variables are added.
    place : Path, optional
        The folder in which it starts; by default this process's.
    joined : bool
        Whether ``stdout.txt`` gets standard error, too.
    spreads : bool
        Whether it starts processes on other nodes: it may then end them itself, for ten seconds, before it is killed.

    Raises
    ------
    OSError
        If the tool cannot be started or its output not be written.
    """
    with (folder / "stdout.txt").open("wb") as stdout, (folder / "stderr.txt").open("wb") as stderr:
        Below.note_others()
        own, busy, asleep = _own_cpu(), _busy_cpu(), _asleep()
        # Side by side, so that both clocks give the tool the same time.
        start, began = datetime.now(UTC), time.monotonic()
        process = subprocess.Popen(
            argv, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stdout if joined else stderr, cwd=place,
            env=_encode(tuple(environment.items())), start_new_session=True, pass_fds=(lock,),
        )  # fmt: skip
        stops, timed_out = Stops(process.pid), True
        try:
            with stops:
                timed_out = not _ends_within(process, limit, stops)
        finally:
            # A tool that hangs, is interrupted or ends before its children must leave nothing running.
            if timed_out and spreads:
                _ask_to_end(process)
            if timed_out:
                kill_with_below(process.pid)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        end, ended = datetime.now(UTC), time.monotonic()
        return ToolRun(
            timed_out=timed_out, seconds=round(ended - began, 6), start=start.isoformat(timespec="milliseconds"),
            end=end.isoformat(timespec="milliseconds"), exit_status=process.returncode,
            stops=stops.count, suspended=max(0.0, round(_asleep() - asleep, 3)),
            own_cpu=round(_own_cpu() - own, 3), busy_cpu=round(_busy_cpu() - busy, 3),
            utc_offset=_utc_offset(),
        )  # fmt: skip


# Trials share their environment.
@lru_cache(maxsize=1)
def _encode(environment: tuple[tuple[str, str], ...]) -> dict[bytes, bytes]:
    """Return the environment of a tool as the kernel takes it."""
    return {os.fsencode(name): os.fsencode(value) for name, value in (*environment, *_ENVIRONMENT.items())}


def _utc_offset() -> float:
    """Return local time minus UTC, in s."""
    offset = datetime.now().astimezone().utcoffset()
    return offset.total_seconds() if offset else 0.0


class Stops:
    """Counter of how often a child, or a process below it, is stopped by a signal.

    The kernel reports stops of the child by SIGCHLD. Stops of processes below it are reported only to their parents,
    so these are checked from time to time, which finds a stop that lasts until the next check.

    Parameters
    ----------
    process : int
        The child, which leads a session.
    """

    def __init__(self, process: int):
        self.count = 0
        self._process = process
        self._below = Below(process)
        self._stopped: set[str] = set()
        self._before: Any = None

    def __enter__(self) -> "Stops":
        with suppress(ValueError):
            # A handler can be set only in the main thread; elsewhere stops of the child go unseen.
            self._before = signal.signal(signal.SIGCHLD, self._look)
        # The kernel keeps events since the fork, which came before the handler.
        self._look()
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGCHLD, self._before)

    def look_below(self) -> float:
        """Count processes below the child that were stopped since the last check; return the seconds until the next."""
        began = time.thread_time()
        stopped = self._below.find_stopped()
        self.count += len(stopped - self._stopped)
        self._stopped = stopped
        return max(_PAUSE, (time.thread_time() - began) / _SHARE)

    def _look(self, *_: object) -> None:
        with suppress(ChildProcessError):
            found = os.waitid(os.P_PID, self._process, os.WSTOPPED | os.WCONTINUED | os.WNOHANG)
            # If a stop and its end both came before this check, the kernel may report only one of them.
            if found is not None and found.si_code in (os.CLD_STOPPED, os.CLD_CONTINUED):
                self.count += found.si_code == os.CLD_STOPPED or self.count == 0


def _ends_within(process: subprocess.Popen, seconds: float, stops: Stops) -> bool:
    """Wait for a process; meanwhile check those below it, rarely enough not to load the machine under test."""
    end, pause = time.monotonic() + seconds, _PAUSE
    descriptor = os.pidfd_open(process.pid)
    try:
        waiting = select.poll()
        waiting.register(descriptor, select.POLLIN)
        while not waiting.poll(1000 * max(0.0, min(pause, end - time.monotonic()))):
            if time.monotonic() >= end:
                return False
            pause = stops.look_below()
        return True
    finally:
        os.close(descriptor)


def _ask_to_end(process: subprocess.Popen) -> None:
    """Let a launcher end what it started elsewhere, which no signal of this machine reaches; it is not waited for."""
    end = time.monotonic() + _SECONDS_TO_END
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGTERM)
    ended = os.WEXITED | os.WNOHANG | os.WNOWAIT
    while time.monotonic() < end and os.waitid(os.P_PID, process.pid, ended) is None:
        time.sleep(0.05)


def _own_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _busy_cpu() -> float:
    """Return the processor time since boot that was not idle, waiting or stolen by a host, in s (proc(5), stat)."""
    fields = [int(field) for field in read_bytes("/proc/stat").partition(b"\n")[0].split()[1:]]
    user, nice, system, _, _, interrupts, soft_interrupts = fields[:7]
    return (user + nice + system + interrupts + soft_interrupts) / os.sysconf("SC_CLK_TCK")


def _asleep() -> float:
    """Return how long the machine has slept since boot, in s: only one of the two clocks runs meanwhile."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)
