"""What processes do of one kind, noted line by line in a file that a variable of the environment names."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


def note(variable: str, line: str) -> None:
    """Add a line to the file that a variable of the environment names; nothing where it names none."""
    if notes := os.environ.get(variable):
        with Path(notes).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")


@contextmanager
def watch(variable: str) -> Iterator[Path]:
    """Yield the file in which this process and those that it starts meanwhile note what they do."""
    with TemporaryDirectory(prefix="coldcache-") as folder:
        notes = Path(folder, "notes")
        notes.touch()
        os.environ[variable] = str(notes)
        try:
            yield notes
        finally:
            del os.environ[variable]
