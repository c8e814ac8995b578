"""What one node says of itself, as one line of JSON: ``python -m coldcache.cluster.node MARK [PROGRAM...]``."""

import json
import os
import platform
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from coldcache.cold import evict, measure_residency
from coldcache.provenance import find_mount

#: Takes the place of MARK: the files named on standard input are dropped from this node's memory.
EVICT = "--evict"


def describe_node(mark: Path, programs: list[str]) -> dict[str, Any]:
    """Return what this node has.

    Parameters
    ----------
    mark : Path
        A file of the target that the runner wrote; its text tells whether this node sees the same target.
    programs : list of str
        Looked for on PATH.
    """
    folder = mark.parent
    try:
        mount = find_mount(folder)
        seen = f"{mount.filesystem} on {mount.source}"
    except OSError as error:
        seen = str(error)
    text = ""
    with suppress(OSError):
        text = mark.read_text().strip()
    return {
        "host": platform.node(), "kernel": platform.release(), "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"), "time": time.time(),
        "mount": seen, "mark": text, "writable": os.access(folder, os.W_OK | os.X_OK),
        "programs": {program: shutil.which(program) or "" for program in programs}, "links": _links(),
    }  # fmt: skip


def _links() -> dict[str, int]:
    """Return the speed of each network link that is up, in Mbit/s, as far as its driver tells it."""
    found = {}
    for link in sorted(Path("/sys/class/net").glob("*")):
        with suppress(OSError, ValueError):
            if (link / "operstate").read_text().strip() == "up":
                found[link.name] = int((link / "speed").read_text())
    for port in sorted(Path("/sys/class/infiniband").glob("*/ports/*")):
        with suppress(OSError, ValueError, IndexError):
            if "ACTIVE" in (port / "state").read_text():
                found[port.parts[-3]] = round(float((port / "rate").read_text().split()[0]) * 1000)
    return found


def evict_here(names: list[str]) -> dict[str, Any]:
    """Drop files from this node's memory, and return how many bytes of them it holds then."""
    paths = [Path(name) for name in names]
    evict(paths)
    return {"host": platform.node(), "resident_bytes": measure_residency(paths).resident}


def main(arguments: list[str]) -> None:
    """Print what this node says."""
    if arguments[0] == EVICT:
        told = evict_here(Path(arguments[1]).read_text().splitlines())
    else:
        told = describe_node(Path(arguments[0]), arguments[1:])
    # One write, so that the lines of many nodes do not mix.
    os.write(sys.stdout.fileno(), f"{json.dumps(told)}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1:])
