"""Evict files from the page cache, and measure how much of them it still holds."""

import ctypes
import mmap
import os
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

_libc = ctypes.CDLL(None, use_errno=True)
_libc.mmap.restype = ctypes.c_void_p
_libc.mmap.argtypes = (
    ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long,
)  # fmt: skip
_libc.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
_libc.mincore.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p)
_PROT_NONE, _MAP_SHARED, _MAP_FAILED = 0, 1, ctypes.c_void_p(-1).value


class Residency(NamedTuple):
    """How much of some files is in the page cache.

    Attributes
    ----------
    bytes : int
        Size of the files, in B.
    resident : int
        Bytes of them in the page cache.
    """

    bytes: int
    resident: int


def evict(paths: Iterable[Path]) -> None:
    """Ask the kernel to drop the cached pages of files, after writing back what is dirty."""
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fdatasync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(descriptor)


def measure_residency(paths: Iterable[Path]) -> Residency:
    """Return how much of the files the page cache holds, by mincore(2).

    Raises
    ------
    OSError
        If a file cannot be opened or mapped.
    """
    total = resident = 0
    for path in paths:
        descriptor = os.open(path, os.O_RDONLY)
        try:
            size = os.fstat(descriptor).st_size
            total += size
            if size:
                resident += min(size, _resident_pages(descriptor, size) * mmap.PAGESIZE)
        finally:
            os.close(descriptor)
    return Residency(total, resident)


def _resident_pages(descriptor: int, size: int) -> int:
    pages = -(-size // mmap.PAGESIZE)
    address = _libc.mmap(None, size, _PROT_NONE, _MAP_SHARED, descriptor, 0)
    if address == _MAP_FAILED:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    try:
        vector = ctypes.create_string_buffer(pages)
        if _libc.mincore(address, size, vector) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
        # The low bit of each byte is set for a resident page; kernels leave the others zero.
        return vector.raw[:pages].count(1)
    finally:
        _libc.munmap(address, size)
