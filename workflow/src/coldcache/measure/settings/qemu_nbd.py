"""Serve a disk image of the target by qemu-nbd, with a cache mode, during a trial."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coldcache.core.errors import SettingError
from coldcache.design.case_run import SOCKET
from coldcache.design.cases import Trial
from coldcache.measure.input_files import lay_out
from coldcache.tools.programs import QEMU_NBD
from coldcache.tools.run import Inputs

#: The image that qemu-nbd serves, inside the folder of the trial's sweep.
_IMAGE = "image"

_SECONDS_TO_START = 10

#: How long qemu-nbd may take to end, in s; it ignores a request that comes before it serves.
_SECONDS_TO_END = 2

#: The first bytes that an NBD server sends (doc/proto.md of the NBD project).
_GREETING = b"NBDMAGIC"


@contextmanager
def served(level: str, trial: Trial, folder: Path, lock: int) -> Iterator[str]:
    """Serve an image by qemu-nbd with the cache mode `level`; yield the mode of the running server.

    Raises
    ------
    SettingError
        If qemu-nbd does not start, or its cache mode cannot be read.
    """
    lay_out(folder, Inputs(((_IMAGE,),), trial.case.run.file_size * trial.case.run.threads))
    address, image = folder / SOCKET, folder / _IMAGE
    # Otherwise data that a caching mode left in memory would be written back during this trial.
    with image.open("rb") as file:
        os.fsync(file.fileno())
    address.unlink(missing_ok=True)
    # qemu-nbd needs absolute paths, and a socket's path has at most 107 bytes: deep folders need /proc/self/cwd. In a
    # relative path a word before a colon would name a protocol.
    command = [QEMU_NBD.require(), "--persistent", f"--socket={Path('/proc/self/cwd') / address}", "--format=raw"]
    command += [f"--cache={level}", "--shared=0", str(image.absolute())]
    server = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        pass_fds=(lock,), start_new_session=True,
    )  # fmt: skip
    try:
        end = time.monotonic() + _SECONDS_TO_START
        while not _is_serving(address):
            if server.poll() is not None:
                cause = (server.stderr.read() if server.stderr else "").strip().splitlines()
                raise SettingError(f"qemu-nbd --cache={level} ends at once: {cause[-1] if cause else 'no message'}")
            if time.monotonic() > end:
                raise SettingError(f"qemu-nbd --cache={level} serves nothing within {_SECONDS_TO_START} s")
            time.sleep(0.005)
        yield _cache_mode(server.pid)
    finally:
        server.terminate()
        try:
            server.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        if server.stderr:
            server.stderr.close()
        address.unlink(missing_ok=True)


def _is_serving(address: Path) -> bool:
    """Return whether an NBD server greets at a socket; the socket exists before the image is served."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(1)
            client.connect(str(address))
            return client.recv(len(_GREETING)) == _GREETING
    except OSError:
        return False


def _cache_mode(process: int) -> str:
    """Return the cache mode in the command line of a running qemu-nbd."""
    words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    for word in words:
        if word.startswith(b"--cache="):
            return os.fsdecode(word.removeprefix(b"--cache="))
    raise SettingError(f"process {process} is no qemu-nbd with a cache mode")
