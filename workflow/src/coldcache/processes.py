"""Processes as the kernel tells them apart: a number alone may be another one's by now."""

import os
from contextlib import suppress
from pathlib import Path


def started_at(process: int) -> int | None:
    """Return when a process started, in clock ticks since boot, which tells it from a later one; None once it ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else int(fields[19])


def holders_of_lock(descriptor: int) -> set[int]:
    """Return the processes that hold a lock of flock(2), as the kernel tells it of their open files (proc(5))."""
    inode = os.fstat(descriptor).st_ino
    found = set()
    for entry in Path("/proc").glob("[0-9]*/fdinfo/*"):
        with suppress(OSError):
            text = entry.read_text()
            if "FLOCK" in text and f":{inode} " in text:
                found.add(int(entry.parts[2]))
    return found
