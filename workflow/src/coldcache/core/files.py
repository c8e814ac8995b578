"""Atomic writes: a file is complete or absent, whatever ends the program."""

import fcntl
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO


def write_whole(path: Path, text: str) -> None:
    """Write a text under a temporary name beside the file, sync it to stable storage, and rename it.

    Processes that write the same file take turns. The next one overwrites a temporary file that a killed one left.

    Parameters
    ----------
    path : Path
        The file; missing folders are created.
    text : str
        Its new content, written as UTF-8.

    Raises
    ------
    OSError
        If it cannot be written; an existing file stays as it was.
    """
    write_parts(path, [text])


def write_parts(path: Path, texts: Iterable[str]) -> None:
    """Write texts one after the other into a file, as `write_whole` writes one; each is made when it is written.

    Raises
    ------
    OSError
        If it cannot be written; an existing file stays as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.partial")
    with _open_alone(unfinished) as file:
        file.truncate(0)
        for text in texts:
            file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())
        unfinished.rename(path)


def _open_alone(path: Path) -> BinaryIO:
    """Open a file under an exclusive lock; try again if another process has renamed it meanwhile."""
    while True:
        file = path.open("ab")
        # Some file systems, such as Lustre by default, have no locks: two processes could then disturb each other.
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        file.close()
