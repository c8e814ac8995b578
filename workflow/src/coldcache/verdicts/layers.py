"""Layers below the target that answer from memory or from a cache, unseen by its counters.

Loop devices and their files, devices in memory, cache devices of device-mapper and bcache, and a hypervisor's host.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from coldcache.verdicts.observation import Observation

#: File systems that keep their files in memory.
_IN_MEMORY = ("tmpfs", "ramfs", "hugetlbfs", "devtmpfs")

#: Targets of device-mapper that put a faster device in front of a slower one (Documentation/admin-guide/device-mapper).
_CACHES = ("cache", "writecache")


def name_memory(trial: Observation) -> str | None:
    """Return which part of the target is in memory, as a sentence; None if none is known to be."""
    if (filesystem := trial.outcome.filesystem) in _IN_MEMORY:
        return f"{filesystem} is in memory, where nothing can be cold"
    for kind, layer in _list_layers(trial):
        if kind == "memory":
            return f"{layer['name']} is a device in memory, where nothing can be cold"
        if kind == "loop" and (filesystem := layer.get("filesystem")) in _IN_MEMORY:
            return f"{layer['name']} is a file of {filesystem}, in memory, where nothing can be cold"
    return None


def name_cache_device(trial: Observation) -> str | None:
    """Return which device below the target is a faster one in front of a slower one; None if none is known.

    What crosses it may have been read from, or written to, either of the two.
    """
    for kind, layer in _list_layers(trial):
        # A segment of a table: its start, its length, its target, and more.
        targets = [words[2] for part in layer.get("table", "").split(";") if len(words := part.split()) > 2]
        if found := [name for name in targets if name in _CACHES]:
            return f"{layer['name']} is a dm-{found[0]}, a faster device in front of a slower one"
        if kind == "bcache":
            return f"{layer['name']} is a bcache, a faster device in front of a slower one"
    return None


def _list_layers(trial: Observation) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the kind and the description of each device below the target; several of a kind have numbers."""
    for kind, layer in (trial.outcome.target or {}).get("layers", {}).items():
        yield kind.rstrip("0123456789 "), layer


def name_cache_below(trial: Observation) -> str | None:
    """Return the layer below the target's device that may answer from memory; None if none is known.

    A loop device without direct I/O reads its backing file through the page cache of the same machine: what crosses
    the loop device need not cross any disk.
    """
    for kind, layer in _list_layers(trial):
        if kind == "loop" and not layer.get("direct_io"):
            return f"{layer['name']} is a loop device without direct I/O, which reads and writes a file in memory"
    return None


def name_unseen_cache(trial: Observation) -> str | None:
    """Return which cache may have served a cold read unseen, as the end of a sentence.

    It is that of the server, or of the host of a virtual machine; None if the device is this machine's own.
    """
    counters = trial.outcome.counters
    if counters and counters.crossing == "wire":
        return "; how much the server held in memory is unknown"
    if (trial.outcome.system or {}).get("hypervisor"):
        return " of this guest; how much its host held in memory is unknown"
    return None
