"""How many calls an NFS client sends, and how many of them may be in flight at once.

Source: the document anf-nfs (sections on nconnect, sync and async, rsize and wsize). Its 262,144 "calls and replies" of
1 GiB in 8 KiB writes with sync are 131,072 calls and as many replies, while its 16,384 for async are calls alone.
"""

from typing import NamedTuple

from coldcache.core.errors import DesignError

#: Requests of one TCP connection that the server holds before it throttles.
REQUESTS_PER_CONNECTION = 128

#: The most transports that the Linux client opens per mount (nfs(5)).
LARGEST_NCONNECT = 16

#: Recommended tcp_max_slot_table_entries by nconnect; above the last row nothing is to be changed.
_SLOT_TABLE = ((range(0, 2), 128), (range(2, 5), 256), (range(6, 9), 512))


class Mount(NamedTuple):
    """The options of a mount that the document recommends, in its order and spelling."""

    nconnect: int = 16
    attribute_cache: str = "nocto,actimeo=600"
    retry: str = "hard,intr"
    io_size: int = 262_144
    version: str = "3"

    def options(self) -> str:
        """Return the text after ``-o``."""
        parts = ["rw", f"nconnect={self.nconnect}", self.attribute_cache, self.retry]
        parts += [f"rsize={self.io_size}", f"wsize={self.io_size}", f"vers={self.version}", "tcp"]
        return ",".join(part for part in parts if part)


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


def most_in_flight(nconnect: int) -> int:
    """Return the requests of one mount that the server takes at once; raises `DesignError` as `check_nconnect`."""
    return REQUESTS_PER_CONNECTION * check_nconnect(nconnect)


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
