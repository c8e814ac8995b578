r"""Read the output of a guest: the tool's own log, then the negotiated mount and two snapshots of mountstats.

Specimen::

    {"fio version": "fio-3.33", ...}
    == negotiated mount
    10.0.0.254:/run/export /run/data nfs rw,relatime,vers=3,rsize=65536,wsize=65536,...
    == mountstats before
    device 10.0.0.254:/run/export mounted on /run/data with fstype nfs statvers=1.1
    ...
    == mountstats after
    ...
    == transports
    1
    == most in flight
    128
    == devices before
    disk 2510848 8785920
    == devices after
    disk 2512896 25613312

The devices are layers of the guest's disk, the lowest one first, with the bytes that each has read and written. Logs of
earlier versions end with the transports.
"""

import re
from collections.abc import Iterator

from coldcache.core.errors import LogError
from coldcache.core.outcome import Counters
from coldcache.core.records import UNIT_OF_METRIC, Record
from coldcache.tools import mountstats
from coldcache.tools.fio import parse as fio_read
from coldcache.tools.iozone import parse as iozone_read
from coldcache.tools.lines import match_lines
from coldcache.tools.protocols import LogReader

#: Name of the tool in campaigns that import its logs.
TOOL = "nfs_guest"

__all__ = ["TOOL", "WORDS", "count_bytes", "list_inner_readers", "read", "recognise", "split"]

#: Words of which every log of this kind holds one.
WORDS = (b"== negotiated mount\n",)

_HEAD = re.compile(rb"^== ([a-z ]+)\n", re.MULTILINE)
_BYTES = re.compile(rb"^\tbytes:\t((?: ?[0-9]+){8})", re.MULTILINE)
_CALLS = re.compile(rb"^\s*[A-Z][A-Z0-9_]+: ([0-9]+) ", re.MULTILINE)
_DEVICE = re.compile(rb"^([a-z0-9]+) ([0-9]+) ([0-9]+)$", re.MULTILINE)
_NEEDED = ("negotiated mount", "mountstats before", "mountstats after", "transports")

#: What the guest counts of a mount's connections, by the name of its section.
_COUNTED = {
    "transports": "connections of the mount, lines xprt of mountstats after the run",
    "most in flight": "the most requests in flight of each connection, max slots of mountstats, summed over them",
}


def recognise(log: bytes) -> bool:
    """Return whether a log comes from a guest, by its sections."""
    return WORDS[0] in log and next(match_lines(_HEAD, (b"== ",), log), None) is not None


def read(log: bytes) -> list[Record]:
    """Return the tool's records, then the calls that the mounts sent during the run.

    Raises
    ------
    LogError
        If a section is missing, or as the tool's reader and `mountstats.difference`.
    """
    sections = _find(log)
    missing = [name for name in _NEEDED if name not in sections]
    if missing:
        raise LogError(f"the guest's log has no section {missing[0]!r}: the guest ended before the tool did")
    inner = list_inner_readers(log)
    for name, span in sections.items():
        own = {"tool": inner[0], "mountstats before": mountstats, "mountstats after": mountstats}.get(name)
        if any(other is not own and other.recognise(log[slice(*span)]) for other in inner):
            raise LogError("holds a guest's log and another one: put each into a file of its own")
    before, after = sections["mountstats before"], sections["mountstats after"]
    # The last snapshot ends with the log, so only the section after it proves that it is complete.
    counted = mountstats.difference(log[slice(*before)], log[slice(*after)])
    moved = [record._replace(offset=record.offset + after[0]) for record in counted]
    stated = inner[0].read(log[: sections["tool"][1]])
    return sorted([*stated, *moved, *_count(log, sections)], key=lambda record: record.offset)


def list_inner_readers(log: bytes) -> list[LogReader]:
    """Return the readers of what the guest's sections hold, that of the tool first."""
    printed = log[slice(*_find(log)["tool"])]
    return [*([iozone_read] if iozone_read.recognise(printed) else []), fio_read, mountstats]


def _count(log: bytes, sections: dict[str, tuple[int, int]]) -> Iterator[Record]:
    """Yield what the guest counted of its connections; raises `LogError` if it is no number."""
    for name, definition in _COUNTED.items():
        if name not in sections:
            continue
        start, end = sections[name]
        number = re.fullmatch(rb"([0-9]{1,9})\n", log[start:end])
        if number is None:
            raise LogError(f"the guest's log states no number of {name}")
        if int(number[1]):
            yield Record(
                "mountstats", None, name.replace(" ", "-"), "count", "value", float(number[1]),
                UNIT_OF_METRIC["count"], None, definition, start, len(number[1]), number[1].decode(),
            )  # fmt: skip


def split(log: bytes) -> dict[str, bytes]:
    """Return the sections of a guest's log by name; ``tool`` is what the tool itself printed."""
    return {name: log[slice(*span)] for name, span in _find(log).items()}


def _find(log: bytes) -> dict[str, tuple[int, int]]:
    heads = list(match_lines(_HEAD, (b"== ",), log))
    starts = [head.start() for head in heads]
    spans = {"tool": (0, starts[0] if starts else len(log))}
    for head, end in zip(heads, [*starts[1:], len(log)], strict=False):
        spans[head[1].decode()] = (head.end(), end)
    return spans


def count_bytes(sections: dict[str, bytes]) -> Counters | None:
    """Return what crossed the wire, or the disk if there is no NFS; None if the log does not say.

    Returns
    -------
    Counters or None
        ``read_bytes``, ``written_bytes`` and ``calls`` of all mounts; and the bytes of each layer of the disk, as
        ``disk.written_bytes``.
    """
    devices = [_list_devices(sections.get(f"devices {when}", b"")) for when in ("before", "after")]
    mounts = [_sum_mounts(sections.get(f"mountstats {when}", b"")) for when in ("before", "after")]
    if all(mounts):
        return Counters({**mounts[0], **devices[0]}, {**mounts[1], **devices[1]}, of="nfs", crossing="wire")
    if not all(devices):
        return None
    # The file system lies on the last layer.
    tops = [{f"{way}_bytes": list(found.values())[place] for place, way in ((-2, "read"), (-1, "written"))}
            for found in devices]  # fmt: skip
    return Counters({**tops[0], **devices[0]}, {**tops[1], **devices[1]})


def _sum_mounts(snapshot: bytes) -> dict[str, int]:
    """Return the bytes of READ and WRITE, and all calls, of the NFS mounts of a snapshot; empty without one."""
    stated = [[int(number) for number in found[1].split()] for found in _BYTES.finditer(snapshot)]
    if not stated:
        return {}
    # Reads and writes: normal, direct, and from or to the server (fs/nfs/super.c, nfs_show_stats).
    read, written = (sum(numbers[place] for numbers in stated) for place in (4, 5))
    calls = sum(int(number) for number in _CALLS.findall(snapshot.partition(b"per-op statistics")[2]))
    return {"read_bytes": read, "written_bytes": written, "calls": calls}


def _list_devices(section: bytes) -> dict[str, int]:
    """Return the bytes that each device has read and written, in the section's order."""
    return {
        f"{found[1].decode()}.{way}_bytes": int(found[place])
        for found in _DEVICE.finditer(section)
        for place, way in ((2, "read"), (3, "written"))
    }
