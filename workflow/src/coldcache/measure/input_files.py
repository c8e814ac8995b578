"""Lay out the files that a trial needs before it starts: complete, without holes, and reused if they fit."""

import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from io import FileIO
from pathlib import Path

from coldcache.tools.run import Inputs

_CHUNK = 2**20

#: IOzone 3.489 verifies the first word of every page that it reads, so every page starts with it.
_PAGE, _WORD = 4096, b"_" * 8

#: How many directories are filled at the same time, and the files that each gets between two looks at the clock.
_WORKERS, _GROUP = 4, 64


def lay_out(folder: Path, inputs: Inputs) -> None:
    """Fill `folder` with exactly the inputs, each of its size, without holes, on stable storage.

    Files of the right size are kept; all other files in the folder are removed.

    Raises
    ------
    OSError
        If the target is full or not writable.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {name for names in inputs.names for name in names}
    for entry in list(os.scandir(folder)):
        if entry.name not in wanted and not entry.is_dir(follow_symlinks=False):
            Path(entry.path).unlink()
    for name in sorted(wanted):
        _fill(folder / name, inputs.size)


def lay_out_within(folder: Path, inputs: Inputs, seconds: float) -> int:
    """Create files in `folder`, as many per thread as `seconds` allow; return that number.

    Parameters
    ----------
    folder : Path
        The folder; other files in it are removed.
    inputs : Inputs
        Names per thread; every thread gets the same number. A file has few bytes or none.
    seconds : float
        How long it may take.

    Returns
    -------
    int
        Files per thread, at least 1.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {name for names in inputs.names for name in names}
    present = set()
    for entry in list(os.scandir(folder)):
        if entry.name in wanted and entry.is_file(follow_symlinks=False) and entry.stat().st_size == inputs.size:
            present.add(entry.name)
        elif not entry.is_dir(follow_symlinks=False):
            Path(entry.path).unlink()
    directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    body = os.urandom(inputs.size)

    def create(names: Sequence[str]) -> None:
        for name in names:
            if name not in present:
                descriptor = os.open(name, os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=directory)
                if body:
                    os.write(descriptor, body)
                os.close(descriptor)

    each = len(inputs.names[0])
    end, count = time.monotonic() + seconds, 0
    try:
        with ThreadPoolExecutor(min(len(inputs.names), _WORKERS)) as pool:
            while count < each:
                last = min(count + _GROUP, each)
                list(pool.map(create, [names[count:last] for names in inputs.names]))
                count = last
                if time.monotonic() > end:
                    break
    finally:
        os.close(directory)
    for names in inputs.names:
        for name in names[count:]:
            if name in present:
                (folder / name).unlink()
    return count


def _fill(path: Path, size: int) -> None:
    """Write `size` bytes that neither compress nor repeat within a chunk, unless the file has them already."""
    if path.exists():
        status = path.stat()
        if status.st_size == size and status.st_blocks * 512 >= size:
            return
        path.unlink()
    with path.open("wb", buffering=0) as file:
        write_marked_pages(file, size)


def write_marked_pages(file: FileIO, size: int) -> None:
    """Write `size` bytes that neither compress nor repeat within a chunk, their pages marked, to stable storage.

    Raises
    ------
    OSError
        If they cannot be written.
    """
    chunk = bytearray(os.urandom(_CHUNK))
    for page in range(0, _CHUNK, _PAGE):
        chunk[page : page + len(_WORD)] = _WORD
    left = size
    while left > 0:
        # Each chunk differs, so that a target cannot deduplicate them.
        chunk[len(_WORD) : _PAGE] = os.urandom(_PAGE - len(_WORD))
        left -= file.write(memoryview(chunk)[: min(left, _CHUNK)])
    os.fsync(file.fileno())
