"""A process that imports the libraries once; each step of the workflow then runs in a fork of it.

Importing the scientific stack takes longer than most notebooks compute. Snakemake starts the server, which ends with
it. Without a server, or if the server belongs to another user, a step imports the libraries itself.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import pkgutil
import select
import signal
import socket
import struct
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from threading import Thread
from typing import Any

from coldcache.core.forks import SERVER_VARIABLE, start_server

#: Libraries that the steps after measuring use, beside the package `analysis` and the modules of the steps.
_LIBRARIES = (
    "matplotlib.backends.backend_svg", "matplotlib.pyplot", "papermill", "scipy.stats", "seaborn",
    "coldcache.claims.judge", "coldcache.dataset.collect", "coldcache.report.site.render",
    "coldcache.workflow.execute_notebook", "myst_nb.sphinx_ext", "pydata_sphinx_theme",
)  # fmt: skip

#: What every kernel imports while it starts. Not matplotlib_inline's backend: its import sets up the kernel around it.
_OF_KERNELS = (
    "ipykernel.debugger", "ipykernel.kernelapp", "IPython.core.completerlib", "IPython.core.oinspect",
    "IPython.core.pylabtools", "IPython.extensions.storemagic", "tornado.platform.asyncio", "xarray.computation.nanops",
)  # fmt: skip

#: The first step of a campaign, which needs a third of these libraries, and the module of it that imports them.
_FIRST_STEP, _OF_FIRST_STEP = "collect", "coldcache.dataset.collect"

#: What a client sends with its outputs: whether it asks for the first step.
_FIRST, _LATER = b"1", b"2"

_OUTPUTS = (1, 2)

#: Servers that end with this process.
_started: list[subprocess.Popen[bytes]] = []


def start(at_once: bool = False) -> None:
    """Start a server that ends with this process, however it ends, and name it to this process's children.

    Parameters
    ----------
    at_once : bool
        Whether it imports the libraries at once. Else it does when the first step is asked for: nothing runs while
        storage is measured.
    """
    if any(server.poll() is None for server in _started):
        return
    server, named = start_server(os.environ, *(["--at-once"] if at_once else []))
    _started.append(server)
    os.environ.update(named)


def run(arguments: Sequence[str]) -> int | None:
    """Run a subcommand in a fork of the server, with the folder, environment and outputs of this process.

    Parameters
    ----------
    arguments : sequence of str
        As of `python -m coldcache`.

    Returns
    -------
    int or None
        The exit status; None where there is no server: run it here.
    """
    name = os.environ.get(SERVER_VARIABLE)
    if not name:
        return None
    with socket.socket(socket.AF_UNIX) as server:
        try:
            server.connect(f"\0{name}")
        except OSError:
            return None
        if _user_of(server) != os.getuid():
            return None
        environment = {key: value for key, value in os.environ.items() if key != SERVER_VARIABLE}
        request = json.dumps({"arguments": list(arguments), "folder": str(Path.cwd()), "environment": environment})
        sys.stdout.flush()
        try:
            socket.send_fds(server, [_FIRST if arguments[0] == _FIRST_STEP else _LATER], list(_OUTPUTS))
            server.sendall(f"{request}\n".encode())
            status = server.makefile().readline()
        except OSError:
            status = ""
    if status:
        return int(status)
    print(f"coldcache: {arguments[0]} ended early, perhaps for lack of memory; run it again", file=sys.stderr)
    return 1


def serve(name: str, run_command: Callable[[list[str]], int], at_once: bool = False, end: int = 0) -> None:
    """Answer requests, each in a fork, until the file descriptor `end` closes.

    Parameters
    ----------
    name : str
        Of the socket.
    run_command : callable
        Runs a subcommand, given its arguments, and returns its exit status.
    at_once : bool
        As for `start`.
    end : int
        A file descriptor whose other end is held by the process that needs the server.
    """
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(f"\0{name}")
        listener.listen()
        print("ready", flush=True)
        # The processor time of forks that are waited for counts as the server's.
        signal.signal(signal.SIGCHLD, _wait_for_forks)
        imports, is_importing = _import_one_by_one(), at_once
        waiting: list[Any] = [listener, end]
        while True:
            ready = select.select(waiting, [], [], 0 if is_importing else None)[0]
            if not ready:
                is_importing = next(imports, False)
                continue
            if listener not in ready:
                break
            client, _ = listener.accept()
            with client:
                if _user_of(client) != os.getuid():
                    continue
                if _wants_first_step(client):
                    importlib.import_module(_OF_FIRST_STEP)
                else:
                    for _ in imports:
                        pass
                if os.fork() == 0:
                    listener.close()
                    _answer(client, run_command)
            # While the first step runs.
            is_importing = True


def _wants_first_step(client: socket.socket) -> bool:
    """Return whether a client asks for the first step; one that has ended asks for nothing."""
    with contextlib.suppress(OSError):
        return client.recv(1, socket.MSG_PEEK) == _FIRST
    return False


def _wait_for_forks(*_: object) -> None:
    """Wait for the forks that have ended."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _user_of(connection: socket.socket) -> int:
    """Return the user id of the process at the other end."""
    return struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[1]


def import_libraries() -> None:
    """Import what the steps use, as the set-up does to compile it."""
    for _ in _import_one_by_one():
        pass


def _import_one_by_one() -> Iterator[bool]:
    """Import what the steps use, first what the first of them needs; yield true after each library."""
    importlib.import_module(_OF_FIRST_STEP)
    yield True
    analysis = importlib.import_module("coldcache.analysis")
    modules = [module.name for module in pkgutil.walk_packages(analysis.__path__, "coldcache.analysis.")]
    for library in (*modules, *_LIBRARIES, *_OF_KERNELS):
        importlib.import_module(library)
        yield True
    _fill_caches()
    # The collector then leaves these objects alone, so that forks share their memory.
    gc.freeze()


def _fill_caches() -> None:
    """Do once what each notebook would do first: find a font, compile the schema of notebooks, format parameters."""
    from matplotlib.figure import Figure
    from nbformat import validate
    from nbformat.v4 import new_notebook
    from papermill.translators import translate_parameters

    figure = Figure()
    axes = figure.subplots()
    axes.set(xscale="log", title="A title")
    axes.plot([1, 2], label="a label")
    axes.legend()
    for form in ("png", "svg"):
        figure.savefig(io.BytesIO(), format=form)
    validate(new_notebook())
    translate_parameters("python3", "python", {"study": "a"}, "a comment")


def _answer(client: socket.socket, run_command: Callable[[list[str]], int]) -> None:
    """Run what a client asks for, in a process group of its own, send the exit status, and end this process."""
    status = 1
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _, outputs, _, _ = socket.recv_fds(client, 1, len(_OUTPUTS))
        request = json.loads(client.makefile().readline())
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        for output, given in zip(_OUTPUTS, outputs, strict=True):
            os.dup2(given, output)
            os.close(given)
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        Thread(target=_end_with, args=(client,), daemon=True).start()
        status = run_command(request["arguments"])
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    except BaseException:
        # A defect of the program: without this line the process would end in silence.
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
            client.sendall(f"{status}\n".encode())
        os._exit(status)


def _end_with(client: socket.socket) -> None:
    """End this process and its children when the client ends before it has its answer."""
    with contextlib.suppress(OSError):
        client.recv(1)
    os.killpg(0, signal.SIGTERM)
