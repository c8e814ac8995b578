"""Read the small files in which the kernel states the properties of devices, links and control groups."""

import os
from pathlib import Path


def read_bytes(file: str) -> bytes:
    """Return the first 4 KiB of a file of the kernel in half the time of a file object; raises `OSError`."""
    descriptor = os.open(file, os.O_RDONLY)
    try:
        return os.read(descriptor, 4096)
    finally:
        os.close(descriptor)


def read_property(file: Path) -> str | None:
    """Return what a file of the kernel states, without space around it; None if it cannot be read."""
    try:
        return file.read_text().strip()
    except OSError:
        return None


def read_properties(file: Path) -> list[str]:
    """Return the lines of a file of the kernel; an empty list if it cannot be read."""
    return (read_property(file) or "").splitlines()
