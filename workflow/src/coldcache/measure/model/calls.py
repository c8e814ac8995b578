"""Programs that are called, with a time limit each, and what they say when they fail."""

import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from coldcache.measure.model.errors import ModelError


def call(*command: str | Path, seconds: float = 60, text: str | None = None, log: Path | None = None) -> str:
    """Return what a program writes to its standard output.

    Parameters
    ----------
    command : str or Path
        The program and its arguments.
    seconds : float
        The time after which the program is ended, in s.
    text : str, optional
        Its standard input.
    log : Path, optional
        The file that takes its output and errors instead, for a program that leaves a process behind: a pipe would not
        end before that process.

    Returns
    -------
    str
        The output; empty with `log`.

    Raises
    ------
    ModelError
        If the program is missing, fails, or takes longer; the message has its last line.
    """
    words = [str(word) for word in command]
    try:
        if log is None:
            done = subprocess.run(words, input=text or "", capture_output=True, text=True, timeout=seconds)
            output, told = done.stdout, done.stderr or done.stdout
        else:
            with log.open("w+") as kept:
                # What stays behind gets no signal of this terminal's: Ctrl-C ends the campaign, which ends the model.
                done = subprocess.run(
                    words, stdin=subprocess.DEVNULL, stdout=kept, stderr=subprocess.STDOUT, text=True, timeout=seconds,
                    start_new_session=True,
                )  # fmt: skip
                kept.seek(0)
                output, told = "", kept.read()
    except FileNotFoundError as error:
        raise ModelError(f"{words[0]} is missing: python -m coldcache.measure.model check names the package") from error
    except subprocess.TimeoutExpired as error:
        raise ModelError(f"{' '.join(words[:6])}: no end after {seconds:g} s") from error
    if done.returncode:
        last = told.strip().splitlines()[-1] if told.strip() else f"status {done.returncode}"
        raise ModelError(f"{' '.join(words[:6])}: {last}")
    return output


def wait_for(what: str, ready: Callable[[], bool], seconds: float = 60, pause: float = 0.1) -> None:
    """Wait until something is there.

    Raises
    ------
    ModelError
        If it is not there in time; the message has `what`.
    """
    end = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > end:
            raise ModelError(f"{what}: not so after {seconds:g} s")
        time.sleep(pause)


def join_values(values: Sequence[object]) -> str:
    """Return values as one line, for a message."""
    return ", ".join(str(value) for value in values)
