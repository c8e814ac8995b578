"""Describe one node as JSON: ``python -m coldcache.measure.cluster.node_agent MARK [PROGRAM...]``."""

import json
import os
import platform
import shutil
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from coldcache.measure.host.inventory import describe_machine
from coldcache.measure.host.mounts import find_mount
from coldcache.measure.host.page_cache import evict, measure_residency
from coldcache.measure.host.sudo import drop_caches

#: Options instead of MARK: drop the files that a file lists from this node's memory; describe this node in a folder.
#: The description goes to a file because Slurm would cut such a long line and mix the parts with those of other nodes.
COOL, DESCRIBE = "--cool", "--describe"


def describe_node(mark: Path, programs: list[str]) -> dict[str, Any]:
    """Return the description of this node.

    Parameters
    ----------
    mark : Path
        A file on the target that the runner wrote; a node that reads its text sees the same target.
    programs : list of str
        Programs to look for on PATH.
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
    """Return the speed of each network link that is up, in Mbit/s, if its driver states it."""
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


def cool_here(names: list[str], method: str) -> dict[str, Any]:
    """Drop files from this node's memory, or all caches, and return how many bytes of the files it still holds."""
    paths = [Path(name) for name in names]
    if method == "drop-caches":
        drop_caches()
    elif method in ("eviction", "remount"):
        # A mount that other nodes use is not remounted; only the cached pages of the files are dropped.
        evict(paths)
    return {"host": platform.node(), "resident_bytes": measure_residency(paths).resident}


def describe_here(folder: Path) -> dict[str, Any]:
    """Write this node's description for `hosts.json` into a folder of the target, and return its name."""
    described = describe_machine(folder)
    (folder / f"{platform.node()}.json").write_text(json.dumps(described))
    return {"host": platform.node()}


def main(arguments: list[str]) -> None:
    """Print the answer of this node."""
    if arguments[0] == COOL:
        told = cool_here(Path(arguments[1]).read_text().splitlines(), arguments[2])
    elif arguments[0] == DESCRIBE:
        told = describe_here(Path(arguments[1]))
    else:
        told = describe_node(Path(arguments[0]), arguments[1:])
    # One write, so that the lines of many nodes do not mix.
    os.write(sys.stdout.fileno(), f"{json.dumps(told)}\n".encode())


if __name__ == "__main__":
    main(sys.argv[1:])
