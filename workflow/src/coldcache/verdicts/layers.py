"""Caches below the target that its counters do not see: those of a loop device's file, and of a hypervisor's host."""

from coldcache.verdicts.observation import Observation


def name_cache_below(trial: Observation) -> str:
    """Return the layer below the target's device that may answer from memory; empty where none is known.

    A loop device without direct I/O reads its backing file through the page cache of the same machine: what crosses
    the loop device need not cross any disk.
    """
    for kind, layer in (trial.outcome.target or {}).get("layers", {}).items():
        if kind.startswith("loop") and not layer.get("direct_io"):
            return f"{layer['name']} is a loop device without direct I/O, which reads and writes a file in memory"
    return ""


def name_place(trial: Observation) -> str:
    """Return what is not known of a cold read, as the end of a sentence; empty where the device is the machine's own.

    Returns
    -------
    str
        That the server, or the host of a virtual machine, may have held the bytes in memory.
    """
    counters = trial.outcome.counters
    if counters and counters.crossing == "wire":
        return "; how much the server held in memory is unknown"
    if (trial.outcome.system or {}).get("hypervisor"):
        return " of this guest; how much its host held in memory is unknown"
    return ""
