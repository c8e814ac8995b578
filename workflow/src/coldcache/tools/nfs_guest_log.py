r"""Read the output of a guest: the tool's own log, then the negotiated mount and two snapshots of mountstats.

Specimen::

    {"fio version": "fio-3.33", ...}
    == negotiated mount
    127.0.0.1:/run/export /mnt/t nfs rw,relatime,vers=3,rsize=65536,wsize=65536,...
    == mountstats before
    device 127.0.0.1:/run/export mounted on /mnt/t with fstype nfs statvers=1.1
    ...
    == mountstats after
    ...
    == transports
    1
"""

import re

from coldcache.core.errors import LogError
from coldcache.core.records import UNIT_OF_METRIC, Record
from coldcache.tools import mountstats
from coldcache.tools.fio import parse as fio_read

#: Name of the tool in campaigns that import its logs.
TOOL = "nfs_guest"

__all__ = ["TOOL", "count_bytes", "read", "recognise", "split"]

_HEAD = re.compile(rb"^== ([a-z ]+)\n", re.MULTILINE)
_BYTES = re.compile(rb"^\tbytes:\t((?: ?[0-9]+){8})", re.MULTILINE)
_CALLS = re.compile(rb"^\s*[A-Z][A-Z0-9_]+: ([0-9]+) ", re.MULTILINE)
_NEEDED = ("negotiated mount", "mountstats before", "mountstats after", "transports")


def recognise(log: bytes) -> bool:
    """Return whether a log comes from a guest, by its sections."""
    return b"== negotiated mount\n" in log and _HEAD.search(log) is not None


def read(log: bytes) -> list[Record]:
    """Return fio's records, then the calls that the mount sent during the run.

    Raises
    ------
    LogError
        If a section is missing, or as `fio_read.read` and `mountstats.difference`.
    """
    sections = _find(log)
    missing = [name for name in _NEEDED if name not in sections]
    if missing:
        raise LogError(f"the guest's log has no section {missing[0]!r}: the guest ended before the tool did")
    before, after = sections["mountstats before"], sections["mountstats after"]
    # The last snapshot ends with the log, so only the section after it proves that it is complete.
    counted = mountstats.difference(log[slice(*before)], log[slice(*after)])
    moved = [record._replace(offset=record.offset + after[0]) for record in counted]
    found = [*fio_read.read(log[: sections["tool"][1]]), *moved, _count_transports(log, sections["transports"])]
    return sorted(found, key=lambda record: record.offset)


def _count_transports(log: bytes, span: tuple[int, int]) -> Record:
    number = re.fullmatch(rb"([0-9]{1,9})\n", log[slice(*span)])
    if number is None:
        raise LogError("the guest's log states no number of transports")
    return Record(
        "mountstats", None, "transports", "count", "value", float(number[1]), UNIT_OF_METRIC["count"], None,
        "connections of the mount, lines xprt of mountstats after the run", span[0], len(number[1]), number[1].decode(),
    )  # fmt: skip


def split(log: bytes) -> dict[str, bytes]:
    """Return the sections of a guest's log by name; ``tool`` is what the tool itself printed."""
    return {name: log[slice(*span)] for name, span in _find(log).items()}


def _find(log: bytes) -> dict[str, tuple[int, int]]:
    heads = list(_HEAD.finditer(log))
    starts = [head.start() for head in heads]
    spans = {"tool": (0, starts[0] if starts else len(log))}
    for head, end in zip(heads, [*starts[1:], len(log)], strict=False):
        spans[head[1].decode()] = (head.end(), end)
    return spans


def count_bytes(sections: dict[str, bytes]) -> dict[str, dict[str, int]] | None:
    """Return the bytes of READ and WRITE calls before each snapshot, and all calls; None if a snapshot does not say.

    Returns
    -------
    dict or None
        ``before`` and ``after``, each with ``read_bytes``, ``written_bytes`` and ``calls``.
    """
    counters = {}
    for when in ("before", "after"):
        snapshot = sections.get(f"mountstats {when}", b"")
        stated = _BYTES.search(snapshot)
        if stated is None:
            return None
        # Reads and writes: normal, direct, and from or to the server (fs/nfs/super.c, nfs_show_stats).
        numbers = [int(number) for number in stated[1].split()]
        counters[when] = {"read_bytes": numbers[4], "written_bytes": numbers[5], "calls": _count_calls(snapshot)}
    return counters


def _count_calls(snapshot: bytes) -> int:
    """Return the operations of all kinds that the mount had sent."""
    return sum(int(calls) for calls in _CALLS.findall(snapshot.partition(b"per-op statistics")[2]))
