"""Start the server in whose forks steps run; the variable that names it to them."""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

#: The environment variable with the name of the server's socket, in Linux's abstract namespace: it leaves no file.
SERVER_VARIABLE = "COLDCACHE_FORK_SERVER"

#: Threads of the first two do not survive a fork, which may then wait for them without end. The third would print that
#: it sees no sources of Python's own modules.
_QUIET = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}


def start_server(environment: Mapping[str, str], *options: str) -> tuple[subprocess.Popen[bytes], dict[str, str]]:
    """Start a server that ends when its standard input is closed, or with this process, however it ends.

    Parameters
    ----------
    environment : mapping of str to str
        The server's.
    *options : str
        Of the command ``fork-server``.

    Returns
    -------
    server : Popen
        The process.
    named : dict of str to str
        The variable that names it to steps; empty if it did not start.
    """
    name = f"coldcache-{os.getpid()}-{secrets.token_hex(8)}"
    # The kernel closes the other end of the server's standard input for a killed process, too.
    server = subprocess.Popen(
        [sys.executable, "-m", "coldcache", "fork-server", name, *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        env={**environment, **_QUIET},
    )
    assert server.stdout
    return server, {SERVER_VARIABLE: name} if server.stdout.readline() else {}


@contextmanager
def serve_forks(environment: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Run a server during a block, and yield the environment with which steps run in its forks."""
    server, named = start_server(environment)
    with server:
        yield {**environment, **named}
