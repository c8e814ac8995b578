"""Decompress gzip and Zstandard files, recognised by their first bytes."""

import gzip
import io
import os
import shutil
import subprocess
import zlib

from coldcache.core.errors import LogError

#: The most that a compressed file may hold, in B.
LARGEST = 2**30

_GZIP, _ZSTANDARD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"

#: Ends of the names of compressed files.
SUFFIXES = (".gz", ".zst")


def decompress(content: bytes) -> bytes:
    """Return bytes decompressed if they are compressed, else unchanged.

    Raises
    ------
    LogError
        If they are damaged or cut, hold more than `LARGEST`, or need the program zstd where there is none.
    """
    if content.startswith(_GZIP):
        return _gunzip(content)
    return _unzstd(content) if content.startswith(_ZSTANDARD) else content


def strip_suffix(name: str) -> str:
    """Return the name of a file without the suffix of its compression."""
    return next((name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix)), name)


def _gunzip(content: bytes) -> bytes:
    try:
        with gzip.open(io.BytesIO(content)) as opened:
            held = opened.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise LogError("the gzip file is damaged or cut short") from error
    return _refuse_large(held)


def _unzstd(content: bytes) -> bytes:
    program = shutil.which("zstd")
    if program is None:
        raise LogError("compressed by zstd, which is not on PATH; install it (apt-get install zstd), or decompress it")
    with os.fdopen(os.memfd_create("log"), "w+b") as source:
        source.write(content)
        source.flush()
        source.seek(0)
        with subprocess.Popen(
            [program, "--decompress", "--stdout", "--quiet"], stdin=source, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:  # fmt: skip
            assert process.stdout is not None
            held = process.stdout.read(LARGEST + 1)
            if len(held) > LARGEST:
                process.kill()
    if process.returncode and len(held) <= LARGEST:
        raise LogError("the Zstandard file is damaged or cut short")
    return _refuse_large(held)


def _refuse_large(held: bytes) -> bytes:
    if len(held) > LARGEST:
        raise LogError(f"holds more than {LARGEST:,} bytes: no log is that large")
    return held
