"""Questions and orders to the model's monitor, and to each server by its socket."""

import base64
import json
import os
import select
import socket
import struct
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from coldcache.measure.model import rados_session
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.place import Place

#: The monitor answers within 60 s or not at all.
_SECONDS = 90.0


class Monitor:
    """A connection to the monitor, through a process on the model's network, as long as the ``with`` lasts."""

    def __init__(self, place: Place):
        self._place = place
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        command = ["nsenter", f"--net=/run/netns/{self._place.namespace('hub')}", sys.executable, "-I"]
        with self._place.log("session").open("a") as errors:
            self._process = subprocess.Popen(
                [*command, rados_session.__file__, self._place.configuration],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.communicate()

    def order(self, prefix: str, payload: bytes = b"", **arguments: object) -> Any:
        """Return what the monitor answers to a command, such as ``osd pool create``.

        Raises
        ------
        ModelError
            If it refuses the command, or does not answer.
        """
        answer = self._send(
            {
                "command": {"prefix": prefix, "format": "json", **arguments},
                "payload": base64.b64encode(payload).decode(),
            }
        )
        if answer["status"]:
            raise ModelError(f"monitor: {prefix}: {answer['message'] or os.strerror(-answer['status'])}")
        return json.loads(answer["output"]) if answer["output"].strip() else None

    def touch(self, pool: str, name: str) -> None:
        """Wait until the target of an object answers.

        Raises
        ------
        ModelError
            If it does not within 30 s.
        """
        self._ask_target("touch", pool, name)

    def write(self, pool: str, name: str) -> None:
        """Make an object of one byte, and wait until it is on its target.

        Raises
        ------
        ModelError
            If its target does not answer within 30 s.
        """
        self._ask_target("write", pool, name)

    def _ask_target(self, what: str, pool: str, name: str) -> None:
        answer = self._send({what: [pool, name]})
        if answer["status"]:
            raise ModelError(f"{pool}/{name}: its target does not answer: {os.strerror(-answer['status'])}")

    def _send(self, request: dict[str, object]) -> dict[str, Any]:
        assert self._process is not None and self._process.stdin and self._process.stdout
        try:
            self._process.stdin.write(json.dumps(request) + "\n")
            self._process.stdin.flush()
            ready, _, _ = select.select([self._process.stdout], [], [], _SECONDS)
            line = self._process.stdout.readline() if ready else ""
        except BrokenPipeError:
            line = ""
        if not line:
            raise ModelError(f"the monitor does not answer; see {self._place.log('session')}")
        answer: dict[str, Any] = json.loads(line)
        return answer


def ask_server(path: Path, prefix: str, seconds: float = 30, **arguments: object) -> Any:
    """Return what a server or client answers at its socket (Ceph, admin socket: a length, then JSON).

    Raises
    ------
    ModelError
        If it does not answer in time.
    """
    request = json.dumps({"prefix": prefix, "format": "json", **arguments}).encode() + b"\0"
    try:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(seconds)
            line.connect(str(path))
            line.sendall(request)
            # A long answer comes in several pieces.
            answer = line.makefile("rb")
            (length,) = struct.unpack("!I", answer.read(4))
            return json.loads(answer.read(length) or b"null")
    except (OSError, struct.error, json.JSONDecodeError) as error:
        raise ModelError(f"{path.stem} does not answer at {path}: {error}") from error
