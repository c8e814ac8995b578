"""Calls of an NFS client: how many it sends, how many are in flight at once, and the rate that this allows.

Source: the document anf-nfs (sections on nconnect, sync and async, rsize and wsize). Its 262,144 "calls and replies" of
1 GiB in 8 KiB writes with sync are 131,072 calls and as many replies, while its 16,384 for async are calls alone.
"""

import math
from collections.abc import Mapping
from typing import Any

from coldcache.core.errors import DesignError

#: Requests of one TCP connection that the server holds before it throttles.
REQUESTS_PER_CONNECTION = 128

#: The most transports that the Linux client opens per mount (nfs(5)).
LARGEST_NCONNECT = 16

#: Recommended tcp_max_slot_table_entries by nconnect; above the last row nothing is to be changed.
_SLOT_TABLE = ((range(0, 2), 128), (range(2, 5), 256), (range(6, 9), 512))

#: Calls that one file waits for, by operation and version: version 4 opens and closes what it makes.
_CALLS_OF_NAME = {
    ("file-create", "3"): 1, ("file-create", "4.1"): 2, ("file-create", "4.2"): 2,
    ("file-remove", "3"): 1, ("file-remove", "4.1"): 1, ("file-remove", "4.2"): 1,
}  # fmt: skip

#: Calls that one small file waits for that is opened and read: GETATTR unless the client keeps attributes, and READ.
_CALLS_OF_READ = {"defaults": 2, "nocto-actimeo-600": 1}

#: Bytes under way on one connection: the send buffer for writes, half of the receive buffer for reads (tcp(7), Linux
#: 6.1 with at least 1 GiB; the parameters that the document recommends).
_BUFFERS = {
    ("write", "defaults"): 4 * 2**20, ("read", "defaults"): 3 * 2**20, ("write", "recommended"): 16 * 2**20,
    ("read", "recommended"): 8 * 2**20,
}  # fmt: skip


def write_calls(size: int, wsize: int, transfer_size: int = 0) -> int:
    """Return the number of WRITE calls for a file.

    Parameters
    ----------
    size : int
        Bytes of the file.
    wsize : int
        The mount option, in B: what one call carries at most.
    transfer_size : int
        Bytes of one write of the application if the mount is sync: each write is then one call or several; 0 if it is
        async: the client then gathers writes up to `wsize`.

    Raises
    ------
    DesignError
        If a size is not positive, or `wsize` is no multiple of 1,024 up to 1 MiB.
    """
    if size < 0 or transfer_size < 0:
        raise DesignError("sizes are not negative")
    if not 1024 <= wsize <= 2**20 or wsize % 1024:
        raise DesignError(f"wsize {wsize:,} is no multiple of 1,024 between 1,024 and 1,048,576")
    if not transfer_size:
        return -(-size // wsize)
    whole, rest = divmod(size, transfer_size)
    return whole * -(-transfer_size // wsize) + -(-rest // wsize)


def most_in_flight(nconnect: int, slots: int = REQUESTS_PER_CONNECTION, calls: float = math.inf) -> int:
    """Return the most requests of one mount that are under way at once.

    Parameters
    ----------
    nconnect : int
        Its connections.
    slots : int
        The most requests of each connection.
    calls : float
        All requests that there are.

    Raises
    ------
    DesignError
        As `check_nconnect`.
    """
    return int(min(slots * check_nconnect(nconnect), calls))


def check_nconnect(nconnect: int) -> int:
    """Return `nconnect`; raises `DesignError` unless it is 1 to 16."""
    if not 1 <= nconnect <= LARGEST_NCONNECT:
        raise DesignError(f"nconnect {nconnect} is not between 1 and {LARGEST_NCONNECT}")
    return nconnect


def slot_table_entries(nconnect: int) -> int | None:
    """Return the recommended ``sunrpc.tcp_max_slot_table_entries``; None if the document changes nothing.

    Raises
    ------
    DesignError
        If `nconnect` is impossible, or is 5, for which the document's table has no row.
    """
    for row, entries in _SLOT_TABLE:
        if nconnect in row:
            return entries
    check_nconnect(nconnect)
    if nconnect < 8:
        raise DesignError(f"the document's table has no row for nconnect {nconnect}; it has 0-1, 2-4, 6-8 and above 8")
    return None


def bound_rate(operation: str, levels: Mapping[str, Any]) -> float | None:
    """Return the upper limit of the network: bytes in flight over the round trip, or the speed of the link.

    Parameters
    ----------
    operation : str
        What is measured.
    levels : mapping
        The level of each factor in stored units.

    Returns
    -------
    float or None
        In B/s, or files per second for operations on files themselves; None where the network bounds nothing.
    """
    rate = float(levels.get("server_rate", math.inf))
    if round_trip := 2 * float(levels.get("network_delay", 0)):
        rate = min(rate, _under_way(operation, levels) / round_trip)
    return rate if rate < math.inf else None


def _under_way(operation: str, levels: Mapping[str, Any]) -> float:
    """Return the bytes, or the files, that are under way at once at most; infinite where nothing bounds them."""
    threads = int(levels.get("threads", 1))
    if calls := _CALLS_OF_NAME.get((operation, str(levels.get("nfs_version")))):
        return threads / calls
    if "sysctl" in levels:
        return _BUFFERS.get((operation, str(levels["sysctl"])), math.inf)
    if operation == "write" and "slot_table_entries" in levels:
        slots = int(levels.get("nodes", 1)) * most_in_flight(int(levels["nconnect"]), int(levels["slot_table_entries"]))
        return min(slots * float(levels["io_size"]), threads * float(levels["file_size"]))
    calls = (
        _CALLS_OF_READ.get(str(levels.get("mount_option"))) if operation == "read" and levels.get("direct_io") else 0
    )
    if calls or (operation == "write" and levels.get("write_mode") == "sync"):
        return threads * float(levels["transfer_size"]) / (calls or 1)
    return math.inf
