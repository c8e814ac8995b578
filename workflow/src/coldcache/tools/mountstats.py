r"""Read snapshots of `/proc/self/mountstats`: the calls that a Linux NFS client has sent for each mount so far.

Specimen (Linux 6.1, iostats 1.1)::

    device 127.0.0.1:/mnt/srv mounted on /mnt/a with fstype nfs statvers=1.1
    \topts:\trw,vers=3,rsize=65536,wsize=65536,...,proto=tcp,nconnect=4,...
    \tage:\t4
    \tper-op statistics
    \t       WRITE: 256 256 0 16805888 34816 1015 6870 8045 0

The columns of an operation are: operations, transmissions, major timeouts, bytes sent, bytes received, and milliseconds
of waiting, of the round trip and of the whole, summed over all operations; then errors (iostats 1.1, since Linux 5.3).
Bytes make no records: the client's counters of them include the headers. Source: the kernel's
``net/sunrpc/stats.c``, ``_print_rpc_iostats``, and ``fs/nfs/super.c``, ``nfs_show_stats``.
"""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

from coldcache.core.errors import LogError
from coldcache.core.records import UNIT_OF_METRIC, Record
from coldcache.tools.lines import match_lines, name_line

#: Name of the tool in campaigns that import its logs.
TOOL = "mountstats"

_LINE = rb"^[>| \t]*+"

#: Words of which every log of this kind holds one.
WORDS = (b" with fstype ",)

_DEVICE = re.compile(
    _LINE + rb"device (\S+) mounted on (\S+) with fstype (\S+)(?: statvers=([0-9.]+))?[ \t\r]*$", re.MULTILINE
)
_FACT = re.compile(_LINE + rb"(opts|age|RPC iostats version):[ \t]*([^\n]*?)[ \t\r]*$", re.MULTILINE)
_HEAD = re.compile(_LINE + rb"per-op statistics[ \t\r]*$", re.MULTILINE)
_OPERATION = re.compile(_LINE + rb"([A-Z][A-Z0-9_]{1,30}|[0-9]{1,3}):((?: [0-9]{1,20})+)[ \t\r]*$", re.MULTILINE)
_ANY_OPERATION = re.compile(_LINE + rb"(?:[A-Z][A-Z0-9_]{1,30}|[0-9]{1,3}):[^\n]*$", re.MULTILINE)
_BLANK = re.compile(rb"[>| \t\r]*\n[>| \t\r]*\n")
_OCTAL = re.compile(rb"\\([0-3][0-7]{2})")
_SIZE = re.compile(r"[0-9]{1,18}")
_SECONDS = re.compile(rb"[0-9]{1,18}")

#: Columns by iostats version: metric and definition; None for bytes.
_COLUMNS: tuple[tuple[str, str] | None, ...] = (
    ("count", "operations"),
    ("count", "transmissions, of which some repeat others"),
    ("count", "major timeouts"),
    None,
    None,
    ("elapsed", "waiting to be sent, summed over the operations"),
    ("elapsed", "round trips, summed over the operations"),
    ("elapsed", "from the request to the end, summed over the operations"),
    ("count", "operations that ended with an error"),
)
_COLUMNS_OF_VERSION = {b"1.0": 8, b"1.1": 9}
#: Operations that a client sends when it mounts, and to keep its session: that they rest says nothing.
_OF_MOUNTING = (
    "NULL", "FSINFO", "PATHCONF", "FSSTAT", "STATFS", "SERVER_CAPS", "LOOKUP_ROOT", "EXCHANGE_ID", "CREATE_SESSION",
    "DESTROY_SESSION", "SEQUENCE", "GET_LEASE_TIME", "RECLAIM_COMPLETE", "SECINFO_NO_NAME", "SETCLIENTID",
    "SETCLIENTID_CONFIRM", "RENEW", "BIND_CONN_TO_SESSION", "DESTROY_CLIENTID",
)  # fmt: skip

DIFFERENCE = "{}, between two snapshots"


class _Mount(NamedTuple):
    """One NFS mount of one snapshot.

    Attributes
    ----------
    key : tuple of str
        Server and path, and the mount point.
    version : str
        The version of the statistics.
    age : int
        Seconds since it was mounted.
    factors : dict
        Mount point and mount options.
    operations : dict of str to Match
        The line of each operation.
    """

    key: tuple[str, str]
    version: str
    age: int
    factors: dict[str, Any]
    operations: dict[str, re.Match[bytes]]


def recognise(log: bytes) -> bool:
    """Return whether the log looks like mountstats, by its line for a device."""
    return next(match_lines(_DEVICE, WORDS, log), None) is not None


def read(log: bytes) -> list[Record]:
    """Return the counters of each NFS mount at the snapshot, operation by operation.

    Parameters
    ----------
    log : bytes
        One or more snapshots.

    Returns
    -------
    list of Record
        Operations are called ``rpc-write``, ``rpc-getattr`` and so on: ``count`` of operations, transmissions, timeouts
        and errors, ``elapsed`` (s) summed over the operations. Zeros give no record. ``mount`` and the mount options
        are factors; snapshots of one mount differ in ``repetition``.

    Raises
    ------
    LogError
        If there is no NFS mount, its statistics have an unknown version, a line is broken, or the end is missing.
    """
    mounts = list(_find_mounts(log))
    times = Counter(mount.key for mount in mounts)
    seen: Counter[tuple[str, str]] = Counter()
    found: list[Record] = []
    for mount in mounts:
        repetition = seen[mount.key] if times[mount.key] > 1 else None
        seen[mount.key] += 1
        for operation, line in mount.operations.items():
            found += _records(mount, operation, line, repetition, None)
    if not found:
        raise LogError("no NFS mount is there, or none has sent anything")
    return sorted(found, key=lambda record: record.offset)


def difference(before: bytes, after: bytes) -> list[Record]:
    """Return the difference of each NFS mount's counters between two snapshots.

    Parameters
    ----------
    before, after : bytes
        One snapshot each; a mount that only the later one has counts from zero.

    Returns
    -------
    list of Record
        As for `read`, pointing into `after`, with the caveat ``difference``. An operation on files that was sent
        before, but not between the snapshots, has a ``count`` of 0; other unchanged counters give no record.

    Raises
    ------
    LogError
        As `read`; and if a snapshot holds a mount twice, or a mount was remounted, which resets its counters.
    """
    known: dict[tuple[str, str], _Mount] = {}
    for mount in _find_mounts(before):
        if mount.key in known:
            raise LogError(f"{mount.key[1]} appears twice in the first snapshot: give one snapshot at a time")
        known[mount.key] = mount
    found: list[Record] = []
    seen = set()
    for mount in _find_mounts(after):
        if mount.key in seen:
            raise LogError(f"{mount.key[1]} appears twice in the second snapshot: give one snapshot at a time")
        seen.add(mount.key)
        earlier = known.get(mount.key)
        if earlier and earlier.age > mount.age:
            raise LogError(
                f"{mount.key[1]} was remounted between the snapshots ({earlier.age} s old, then {mount.age} s)"
            )
        for operation, line in mount.operations.items():
            begun = earlier.operations.get(operation) if earlier else None
            found += _records(mount, operation, line, None, [0] * 9 if begun is None else _columns(begun))
    return found


def _find_mounts(log: bytes) -> Iterator[_Mount]:
    """Yield every NFS mount of every snapshot; raise `LogError` for a block that is broken or cut short."""
    devices = list(match_lines(_DEVICE, WORDS, log))
    for device, following in zip(devices, [*devices[1:], None], strict=False):
        if device[3] not in (b"nfs", b"nfs4"):
            continue
        end = following.start() if following else len(log)
        facts = {fact[1]: fact[2] for fact in _FACT.finditer(log, device.end(), end)}
        head = _HEAD.search(log, device.end(), end)
        version = facts.get(b"RPC iostats version", b"").split(b" ")[0]
        if head is None or not _SECONDS.fullmatch(facts.get(b"age", b"")) or b"opts" not in facts:
            where = f"{name_line(log, device.start())}: {_decode(device[2])}"
            raise LogError(f"{where}: the statistics of this mount are not all there: the log is cut short")
        if version not in _COLUMNS_OF_VERSION:
            where = f"{name_line(log, device.start())}: {_decode(device[2])}"
            raise LogError(f"{where}: iostats version {version.decode('latin-1')!r} is not known: 1.0 and 1.1 are read")
        columns = _COLUMNS_OF_VERSION[version]
        last = b"COMMIT" if device[3] == b"nfs" else b""
        operations = dict(_find_operations(log, head.end(), end, columns, following is not None, last))
        factors = {"mount": _decode(device[2]), **_read_options(facts[b"opts"])}
        yield _Mount(
            (_decode(device[1]), _decode(device[2])), version.decode(), int(facts[b"age"]), factors, operations
        )


def _find_operations(
    log: bytes, start: int, end: int, columns: int, is_followed: bool, final: bytes
) -> Iterator[tuple[str, re.Match[bytes]]]:
    """Yield the lines of the operations of one mount."""
    last = None
    for statement in _ANY_OPERATION.finditer(log, start, end):
        line = _OPERATION.fullmatch(log, *statement.span())
        if line is None or len(line[2].split()) != columns:
            said = statement[0].strip()[:60].decode("utf-8", "replace")
            raise LogError(f"{name_line(log, statement.start())}: a line of an operation is broken: {said!r}")
        if line.end() == len(log):
            raise LogError(f"{name_line(log, line.start())}: a line of an operation has no end: the log is cut short")
        last = line
        yield line[1].decode(), line
    # The kernel ends each mount by an empty line; COMMIT is the last operation of version 3.
    if last is None or not (is_followed or last[1] == final or _BLANK.match(log, last.end())):
        raise LogError(
            f"{name_line(log, start)}: the list of operations that starts here has no end: the log is cut short"
        )


def _read_options(options: bytes) -> dict[str, Any]:
    """Return the mount options that studies vary: sizes and connections as numbers, version and protocol as text."""
    told = dict(part.partition("=")[::2] for part in options.decode("utf-8", "replace").split(","))
    numbers = {name: int(told[name]) for name in ("rsize", "wsize", "nconnect") if _SIZE.fullmatch(told.get(name, ""))}
    return {name: told[name] for name in ("vers", "proto") if name in told} | numbers


def _columns(line: re.Match[bytes]) -> list[int]:
    return [int(number) for number in line[2].split()]


def _records(
    mount: _Mount, operation: str, line: re.Match[bytes], repetition: int | None, begun: list[int] | None
) -> Iterator[Record]:
    """Yield the records of one operation; with `begun` the differences since then."""
    numbers = list(re.finditer(rb"[0-9]+", line.string[line.start(2) : line.end(2)]))
    for place, (column, number) in enumerate(zip(_COLUMNS, numbers, strict=False)):
        if column is None:
            continue
        metric, definition = column
        value = int(number[0])
        if begun is not None:
            value -= begun[place] if place < len(begun) else 0
            definition = DIFFERENCE.format(definition)
        if value < 0:
            raise LogError(
                f"{mount.key[1]}: {operation} counted backwards: the snapshots are not of one mount, in order"
            )
        is_time = metric == "elapsed"
        # That an operation in use was not sent once more says as much as any count.
        did_not_move = begun is not None and place == 0 and begun[0] > 0 and operation not in _OF_MOUNTING
        if value or did_not_move:
            yield Record(
                "mountstats", mount.version, f"rpc-{operation.lower().replace('_', '-')}", metric, "value",
                value / 1000 if is_time else float(value), UNIT_OF_METRIC[metric], repetition, definition,
                line.start(2) + number.start(), len(number[0]), number[0].decode() + (" ms" if is_time else ""),
                () if begun is None else ("difference",), mount.factors,
            )  # fmt: skip


def _decode(path: bytes) -> str:
    r"""Return a path with the octal escapes of the kernel, such as ``\040`` for a blank, resolved."""
    return _OCTAL.sub(lambda match: bytes([int(match[1], 8)]), path).decode("utf-8", "replace")
