"""Files that are whole or not there, whatever ends the program while it writes them."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO


def write_whole(path: Path, text: str) -> None:
    """Write a text under a temporary name beside its own, bring it to stable storage, and rename it.

    Several processes that write one file take turns. What a killed one leaves under the temporary name, the next
    one writes over.

    Parameters
    ----------
    path : Path
        The file; folders that lack are made.
    text : str
        What it holds then, as UTF-8.

    Raises
    ------
    OSError
        If it cannot be written; a file that stood there before stays.
    """
    content = text.encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.partial")
    with _open_alone(unfinished) as file:
        file.truncate(0)
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
        unfinished.rename(path)


def _open_alone(path: Path) -> BinaryIO:
    """Open a file that nobody else writes now; what another process has renamed meanwhile is not it any more."""
    while True:
        file = path.open("ab")
        # Some file systems, as Lustre by default, know no locks: there two starts at once may disturb each other.
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        file.close()
