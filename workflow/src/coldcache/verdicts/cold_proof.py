"""Decide where the bytes of a read came from: the device, memory, or both."""

from typing import NamedTuple

from coldcache.verdicts.evidence import find_evidence
from coldcache.verdicts.observation import Observation

#: Only reads of data can be cold; writes and metadata operations cannot.
READS = ("read", "random-read")


class ColdProof(NamedTuple):
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
    operation : str
        The read.
    """

    verdict: str
    why: str = ""
    method: str = ""
    file_bytes: int | None = None
    resident_bytes: int | None = None
    moved_bytes: float | None = None
    crossed_bytes: int | None = None
    operation: str = ""


#: The verdict on a read by where its bytes came from.
_VERDICT = {"storage": "cold", "memory": "warm"}

#: The verdict on a trial of several reads is that of the worst.
_WORST_FIRST = ("warm", "mixed", "unproved", "cold")


def judge_cold(trial: Observation) -> ColdProof:
    """Return whether the bytes of a trial's reads came from the device, or over the wire from a server.

    Returns
    -------
    ColdProof
        That of the read which is worst; ``not applicable`` for a trial without reads.
    """
    found = [judge_read(trial, operation) for operation in trial.outcome.operations if operation in READS]
    return min(found, key=lambda one: _WORST_FIRST.index(one.verdict), default=ColdProof("not applicable"))


def judge_read(trial: Observation, operation: str) -> ColdProof:
    """Return whether the bytes of one read came from the device, or over the wire from a server.

    Returns
    -------
    ColdProof
        ``cold`` if at least the site's share of the bytes crossed the device; ``warm`` if at most the rest did, or
        the file system is in memory; ``mixed`` in between. ``unproved`` where nothing counts the bytes, where the page
        cache held much of the files or much more crossed than was read, so that the device must have served other
        traffic, and where the device is itself a file in memory.
    """
    evidence = find_evidence(trial, operation)
    verdict = _VERDICT.get(evidence.reached, "mixed" if evidence.is_part else "unproved")
    found = ColdProof(
        verdict, evidence.why, moved_bytes=evidence.moved_bytes, crossed_bytes=evidence.crossed_bytes,
        operation=operation,
    )  # fmt: skip
    if state := trial.outcome.cold:
        return found._replace(method=state.method, file_bytes=state.bytes, resident_bytes=state.resident_bytes)
    return found
