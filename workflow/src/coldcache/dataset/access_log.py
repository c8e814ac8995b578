"""Append-only access log, shared with child processes through an environment variable."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


def note(variable: str, line: str) -> None:
    """Append a line to the log whose path is in an environment variable; do nothing if the variable is not set.

    Parameters
    ----------
    variable : str
        Name of the environment variable.
    line : str
        Text without a line break.
    """
    if log := os.environ.get(variable):
        with Path(log).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


@contextmanager
def watch(variable: str) -> Iterator[Path]:
    """Yield the path of an empty log to which this process and its children append inside the ``with`` block.

    Parameters
    ----------
    variable : str
        Name of the environment variable; it is set to the log's path and removed at the end.
    """
    with TemporaryDirectory(prefix="coldcache-") as folder:
        log = Path(folder, "accesses")
        log.touch()
        os.environ[variable] = str(log)
        try:
            yield log
        finally:
            del os.environ[variable]
