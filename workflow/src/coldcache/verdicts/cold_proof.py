"""Decide where the bytes of a read came from: the device, memory, or both."""

from typing import NamedTuple

from coldcache.core.units import show_bytes
from coldcache.verdicts.observation import Observation, crossed_bytes, crossing, moved_bytes

#: Only reads of data can be cold; writes and metadata operations cannot.
READS = ("read", "random-read")

#: File systems that keep their files in memory.
_IN_MEMORY = ("tmpfs", "ramfs", "hugetlbfs", "devtmpfs")


class Coldness(NamedTuple):
    """Whether a read was cold, and the figures that show it.

    Attributes
    ----------
    verdict : str
        ``cold``, ``warm``, ``mixed``, ``unproved``, or ``not applicable`` for all but reads.
    why : str
        The reason, with figures.
    method : str
        The method that was to make it cold.
    file_bytes, resident_bytes : int or None
        Size of the files, and how much of them the page cache held after the method, in B.
    moved_bytes, crossed_bytes : float or None
        Bytes that the tool read, and bytes that the device delivered meanwhile.
    """

    verdict: str
    why: str = ""
    method: str = ""
    file_bytes: int | None = None
    resident_bytes: int | None = None
    moved_bytes: float | None = None
    crossed_bytes: int | None = None


def judge_cold(trial: Observation) -> Coldness:
    """Return whether the bytes of a read came from the device, or over the wire from a server.

    Returns
    -------
    Coldness
        ``cold`` if at least the site's share of the bytes crossed the device; ``warm`` if at most the rest did, or
        the file system is in memory; ``mixed`` in between. ``unproved`` where nothing counts the bytes, or where the
        page cache held so much of the files that the device must have served other traffic.
    """
    outcome = trial.outcome
    if not outcome.operations or outcome.operations[0] not in READS:
        return Coldness("not applicable")
    moved, crossed = moved_bytes(trial, outcome.operations[0]), crossed_bytes(trial, "read_bytes")
    found = Coldness("unproved", moved_bytes=moved, crossed_bytes=crossed)
    if outcome.cold:
        state = outcome.cold
        found = found._replace(method=state.method, file_bytes=state.bytes, resident_bytes=state.resident_bytes)
    filesystem = outcome.filesystem
    if filesystem in _IN_MEMORY and trial.records:
        return found._replace(verdict="warm", why=f"{filesystem} is in memory, where nothing can be cold")
    if found.crossed_bytes is None:
        return found._replace(why=outcome.uncounted or "nothing counts the bytes that cross the device")
    nodes = outcome.factors.get("nodes", 1)
    if crossing(trial) == "wire" and nodes > 1:
        return found._replace(why=f"the bytes were counted on one of {nodes} nodes")
    if not found.moved_bytes:
        return found._replace(why="the log does not state how many bytes were read")
    verdict, why = _compare_bytes(trial, found, found.crossed_bytes / found.moved_bytes)
    return found._replace(verdict=verdict, why=why)


def _compare_bytes(trial: Observation, found: Coldness, share: float) -> tuple[str, str]:
    """Return the verdict and its reason for the share of the bytes that crossed the device."""
    least = trial.thresholds.cold_share
    why = (
        f"{show_bytes(found.crossed_bytes or 0)} of {show_bytes(found.moved_bytes or 0)} crossed the {crossing(trial)}"
    )
    if share <= 1 - least:
        return "warm", why
    if share < least:
        return "mixed", why
    # Direct I/O bypasses the page cache.
    if found.resident_bytes and found.file_bytes and not trial.outcome.factors.get("direct_io"):
        resident = found.resident_bytes / found.file_bytes
        if resident > 1 - least:
            held = f"{show_bytes(found.resident_bytes)} of {show_bytes(found.file_bytes)}"
            return "unproved", f"{why}, but {held} were in memory before"
    if crossing(trial) == "wire":
        return "cold", f"{why}; how much the server held in memory is unknown"
    return "cold", why
