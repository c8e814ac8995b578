"""Lay out the files that a trial needs before it starts: complete, without holes, and reused if they fit."""

import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from errno import EIO
from io import FileIO
from pathlib import Path
from subprocess import PIPE

from coldcache.measure import create_files
from coldcache.tools.run import Inputs

_CHUNK = 2**20

#: IOzone 3.489 verifies the first word of every page that it reads, so every page starts with it.
_PAGE, _WORD = 4096, b"_" * 8

#: How many files, or directories of them, are filled at the same time.
_WORKERS = 4


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
    if not wanted:
        return
    with ThreadPoolExecutor(_WORKERS) as pool:
        list(pool.map(lambda name: _fill(folder / name, inputs.size), sorted(wanted)))


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

    Raises
    ------
    OSError
        If the target is full or not writable.
    """
    folder.mkdir(parents=True, exist_ok=True)
    wanted = {name for names in inputs.names for name in names}
    for entry in list(os.scandir(folder)):
        fits = entry.name in wanted and entry.is_file(follow_symlinks=False) and entry.stat().st_size == inputs.size
        if not fits and not entry.is_dir(follow_symlinks=False):
            Path(entry.path).unlink()
    counts = _create(folder, inputs, time.monotonic() + seconds)
    for name in (name for names in inputs.names for name in names[min(counts) :]):
        (folder / name).unlink(missing_ok=True)
    return min(counts)


def _create(folder: Path, inputs: Inputs, end: float) -> list[int]:
    """Create files by several processes until a time; return how many per thread each of them has created."""
    threads = [inputs.names[first::_WORKERS] for first in range(min(_WORKERS, len(inputs.names)))]
    command = [sys.executable, "-I", "-S", create_files.__file__]
    running = [subprocess.Popen(command, stdin=PIPE, stdout=PIPE, text=True) for _ in threads]
    try:
        for process, names in zip(running, threads, strict=True):
            assert process.stdin
            with process.stdin as given:
                json.dump({"folder": os.fspath(folder), "names": names, "size": inputs.size, "end": end}, given)
        answers = [process.stdout.read() for process in running if process.stdout]
    finally:
        for process in running:
            process.kill()
            process.wait()
    found = [json.loads(answer or f'{{"errno": {EIO}}}') for answer in answers]
    for one in found:
        if "errno" in one:
            raise OSError(one["errno"], os.strerror(one["errno"]), os.fspath(folder))
    return [one["count"] for one in found]


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
