"""Run commands that need root: directly as root, otherwise through ``sudo -n``."""

import os
import subprocess
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

from coldcache.core.errors import SettingError

_SECONDS = 60.0

#: How a plain user runs a command as root; the time limit follows, in s.
_SUDO = ("sudo", "-n", "timeout", "--signal=KILL")

#: How much longer than that this process waits, in s, and the exit status where timeout(1) has killed the command.
_LONGER, _KILLED = 5.0, (137, -9)

DROP_CACHES = Path("/proc/sys/vm/drop_caches")


class CommandResult(NamedTuple):
    """The command line and the output of a command that ended with status 0."""

    argv: list[str]
    output: str


@cache
def why_no_root() -> str | None:
    """Return why commands cannot be run as root; None where they can."""
    if os.geteuid() == 0:
        return None
    try:
        answer = subprocess.run(
            ["sudo", "-n", "true"], capture_output=True, text=True, timeout=10, check=False, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError:
        return "it needs root, and there is no sudo"
    except subprocess.TimeoutExpired:
        return "it needs root, and sudo -n does not answer within 10 s"
    if answer.returncode == 0:
        return None
    said = answer.stderr.strip().splitlines()
    return f"it needs root, and sudo -n is refused: {said[-1] if said else 'no message'}"


def run_command(
    argv: list[str], *, root: bool = False, given: str = "", seconds: float = _SECONDS, lock: int | None = None
) -> CommandResult:
    """Run a command that changes or reads the system, and return its output.

    Parameters
    ----------
    argv : list of str
        The command, word by word.
    root : bool
        Whether it needs root.
    given : str
        Its standard input.
    seconds : float
        Time limit; the command is killed then.
    lock : int, optional
        Descriptor of the target's lock, which it inherits.

    Raises
    ------
    SettingError
        If it is missing, needs root and cannot have it, takes too long, or does not end with status 0.
    """
    if root and (reason := why_no_root()):
        raise SettingError(f"{argv[0]}: {reason}")
    through_sudo = root and os.geteuid() != 0
    # Only root may end what root runs: there timeout(1) keeps the limit, and this process waits a little longer.
    words = [*_SUDO, f"{seconds:g}", *argv] if through_sudo else argv
    try:
        status, output, error_output = _run(words, given, seconds + _LONGER if through_sudo else seconds, lock)
    except subprocess.TimeoutExpired as error:
        raise SettingError(f"{' '.join(argv)}: does not end within {seconds:g} s") from error
    except OSError as error:
        raise SettingError(f"{argv[0]}: {error.strerror}") from error
    if through_sudo and status in _KILLED:
        raise SettingError(f"{' '.join(argv)}: does not end within {seconds:g} s")
    if status:
        said = (error_output.strip() or output.strip()).splitlines()
        raise SettingError(f"{' '.join(argv)}: exit status {status}: {said[-1] if said else 'no message'}")
    return CommandResult(words, output)


def _run(words: list[str], given: str, seconds: float, lock: int | None) -> tuple[int, str, str]:
    """Return the exit status of a command and what it printed on both outputs."""
    # A session of its own: an interrupt from the terminal must not stop a change or a restore half-way.
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        env={**os.environ, "LC_ALL": "C"}, start_new_session=True, pass_fds=() if lock is None else (lock,),
    ) as process:  # fmt: skip
        try:
            output, error_output = process.communicate(given, timeout=seconds)
        except BaseException:
            # What root runs cannot be killed: leaving waits until timeout(1) has ended it.
            with suppress(PermissionError):
                process.kill()
            raise
    return process.returncode, output, error_output


def write_value(path: Path, value: str) -> None:
    """Write a value into a file of sysfs or procfs, through ``sudo -n tee`` where the user may not.

    Raises
    ------
    SettingError
        If the kernel refuses the value, the file is missing, or it needs root and cannot have it.
    """
    if path.exists() and not os.access(path, os.W_OK):
        run_command(["tee", str(path)], root=True, given=value)
        return
    try:
        path.write_text(value)
    except OSError as error:
        raise SettingError(f"{path}: cannot take {value!r}: {error.strerror}") from error


def why_not_writable(path: Path) -> str | None:
    """Return why a value cannot be written into a file of sysfs or procfs; None where it can."""
    if not path.exists():
        return f"{path} does not exist"
    if os.access(path, os.W_OK):
        return None
    reason = why_no_root()
    return f"{path}: {reason}" if reason else None


def drop_caches() -> None:
    """Write back dirty pages and drop all caches of the kernel; raises as `write_value`."""
    os.sync()
    write_value(DROP_CACHES, "3")
