"""A Jupyter kernel that is a fork of this process: it has the libraries that this process has imported."""

import asyncio
import os
import signal
import sys
import time
from contextlib import suppress
from queue import Empty
from tempfile import TemporaryDirectory, gettempdir
from typing import Any, NoReturn

from ipykernel.kernelapp import IPKernelApp
from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.manager import AsyncKernelManager

#: A socket's path has at most 107 bytes (unix(7)), of which `/coldcache-kernel-12345678/kernel-ipc-5` takes 38.
_LONGEST = 69

_BACKEND = "module://matplotlib_inline.backend_inline"


class ForkedKernelManager(AsyncKernelManager):
    """Starts the kernel as a fork; for the argument `kernel_manager_class` of papermill and nbclient.

    They talk over sockets in a folder of their own: two kernels that start at once may choose the same TCP port.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.client_factory = _Client
        folder = next(folder for folder in (gettempdir(), "/tmp") if len(folder) <= _LONGEST or folder == "/tmp")
        self._folder = TemporaryDirectory(prefix="coldcache-kernel-", dir=folder)
        self.transport = "ipc"
        self.connection_file = f"{self._folder.name}/kernel.json"

    async def _async_cleanup_resources(self, restart: bool = False) -> None:
        await super()._async_cleanup_resources(restart)
        if not restart:
            self._folder.cleanup()

    async def _async_wait(self, pollinterval: float = 0.01) -> None:
        # A killed kernel ends long before the 0.1 s after which it is asked by default.
        await super()._async_wait(pollinterval)

    async def _async_launch_kernel(self, kernel_cmd: list[str], **options: Any) -> None:
        provisioner: Any = self.provisioner
        arguments = kernel_cmd[kernel_cmd.index("-f") :]
        process = _Fork([*arguments, f"--IPKernelApp.parent_handle={os.getpid()}"], options["env"], options.get("cwd"))
        provisioner.process = process
        provisioner.pid = process.pid
        provisioner.pgid = process.pid
        self._reconcile_connection_info(provisioner.connection_info)


class _Client(AsyncKernelClient):
    """A client that does not wait for a new kernel to be silent for 0.2 s: nbclient skips what it did not ask for."""

    async def wait_for_ready(self, timeout: float | None = None) -> None:
        """Return when the kernel answers; raise RuntimeError if it ends before, or takes more than so many seconds."""
        deadline = time.monotonic() + timeout if timeout is not None else float("inf")
        while time.monotonic() < deadline:
            self.kernel_info()
            with suppress(Empty):
                reply = await self.get_shell_msg(timeout=1)
                # It may answer before what it shows arrives here.
                await self.get_iopub_msg(timeout=0.2)
                self._handle_kernel_info_reply(reply)
                return
            if not await self.is_alive():
                raise RuntimeError("before it was ready")
        raise RuntimeError(f"it was not ready after {timeout:g} s")


class _Fork:
    """A forked kernel, with the part of `subprocess.Popen` that jupyter_client uses."""

    stdin = stdout = stderr = None

    def __init__(self, arguments: list[str], environment: dict[str, str], folder: str | None) -> None:
        self.returncode: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            _run_kernel(arguments, environment, folder)

    def poll(self) -> int | None:
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            if ended:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int | None:
        deadline = time.monotonic() + timeout if timeout is not None else float("inf")
        while self.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


def _run_kernel(arguments: list[str], environment: dict[str, str], folder: str | None) -> NoReturn:
    """Turn this fork into a kernel: a process group, signals and an event loop of its own."""
    status = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)
        asyncio.set_event_loop(None)
        if folder:
            os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        if "matplotlib" in sys.modules:
            # A new kernel would import matplotlib after ipykernel has set this in the environment.
            sys.modules["matplotlib"].rcParams["backend"] = environment.get("MPLBACKEND", _BACKEND)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        IPKernelApp.launch_instance(arguments)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    finally:
        os._exit(status)
