"""A program of the standard library alone that asks a Ceph cluster: a request and an answer per line, as JSON.

It runs on the network of the model, which its caller is not part of, and ends with its standard input. A request is
``{"command": {...}, "payload": "..."}`` for the monitor (librados, rados_mon_command), ``{"touch": [pool, name]}`` to
wait until the target of an object answers, or ``{"write": [pool, name]}`` to make an object of one byte. An answer is
``{"status": 0, "output": "...", "message": "..."}``.
"""

import base64
import ctypes
import ctypes.util
import json
import sys
from collections.abc import Callable
from typing import Any


class Cluster:
    """A connection to a cluster, by the C functions of librados.

    Raises
    ------
    OSError
        If the library is missing, or no monitor answers in 30 s.
    """

    def __init__(self, configuration: str):
        self._library = ctypes.CDLL(ctypes.util.find_library("rados") or "librados.so.2")
        self._cluster = ctypes.c_void_p()
        self._check("rados_create", self._library.rados_create(ctypes.byref(self._cluster), None))
        self._check("configuration", self._library.rados_conf_read_file(self._cluster, configuration.encode()))
        timeouts = {"client_mount_timeout": "30", "rados_mon_op_timeout": "60", "rados_osd_op_timeout": "30"}
        for key, value in timeouts.items():
            self._library.rados_conf_set(self._cluster, key.encode(), value.encode())
        self._check("rados_connect", self._library.rados_connect(self._cluster))

    @staticmethod
    def _check(what: str, status: int) -> None:
        if status:
            raise OSError(-status, what)

    def command(self, request: dict[str, Any], payload: bytes) -> dict[str, Any]:
        """Return what the monitor answers."""
        words = (ctypes.c_char_p * 1)(json.dumps(request).encode())
        output, message = ctypes.POINTER(ctypes.c_char)(), ctypes.POINTER(ctypes.c_char)()
        output_size, message_size = ctypes.c_size_t(), ctypes.c_size_t()
        status = self._library.rados_mon_command(
            self._cluster,
            words,
            ctypes.c_size_t(1),
            payload,
            ctypes.c_size_t(len(payload)),
            ctypes.byref(output),
            ctypes.byref(output_size),
            ctypes.byref(message),
            ctypes.byref(message_size),
        )
        told = ctypes.string_at(output, output_size.value) if output_size.value else b""
        reason = ctypes.string_at(message, message_size.value) if message_size.value else b""
        for text in (output, message):
            self._library.rados_buffer_free(text)
        return {"status": status, "output": told.decode(errors="replace"), "message": reason.decode(errors="replace")}

    def touch(self, pool: str, name: str) -> dict[str, Any]:
        """Return once the target of an object answers whether the object is there."""
        size, time = ctypes.c_uint64(), ctypes.c_long()
        call = self._library.rados_stat
        status = self._within(
            pool, lambda context: call(context, name.encode(), ctypes.byref(size), ctypes.byref(time))
        )
        # -2: the target answers that it has no such object.
        return {"status": 0 if status == -2 else status, "output": "", "message": f"{pool}/{name}"}

    def write(self, pool: str, name: str) -> dict[str, Any]:
        """Return once an object of one byte is on its target."""
        call = self._library.rados_write_full
        status = self._within(pool, lambda context: call(context, name.encode(), b"0", ctypes.c_size_t(1)))
        return {"status": status, "output": "", "message": f"{pool}/{name}"}

    def _within(self, pool: str, call: Callable[[ctypes.c_void_p], int]) -> int:
        context = ctypes.c_void_p()
        status: int = self._library.rados_ioctx_create(self._cluster, pool.encode(), ctypes.byref(context))
        if status == 0:
            status = call(context)
            self._library.rados_ioctx_destroy(context)
        return status


def main() -> None:
    """Answer every line of the standard input."""
    cluster = Cluster(sys.argv[1])
    for line in sys.stdin:
        request = json.loads(line)
        if "touch" in request:
            answer = cluster.touch(*request["touch"])
        elif "write" in request:
            answer = cluster.write(*request["write"])
        else:
            answer = cluster.command(request["command"], base64.b64decode(request.get("payload", "")))
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
