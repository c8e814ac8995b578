"""Call functions in forked processes while this one goes on."""

import ctypes
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import Any

#: The number of the request for a signal at the parent's end (prctl(2)).
_SIGNAL_AT_END_OF_PARENT = 1

#: What a forked process calls: that need not be sent to it.
_functions: tuple[Callable[[], Any], ...]


@contextmanager
def computing_beside(*functions: Callable[[], Any]) -> Iterator[list[Future[Any]]]:
    """Call each function in a fork of this process while the block runs.

    The forks end with this process, however that ends.

    Parameters
    ----------
    *functions : callable
        Without arguments, since a fork has what this process has. What they return is pickled.

    Yields
    ------
    list of Future
        What each returns.

    Raises
    ------
    Exception
        After the block, the first that a function raised.
    """
    shared = (functions, os.getpid())
    with ProcessPoolExecutor(len(functions), get_context("fork"), initializer=_share, initargs=shared) as pool:
        results = [pool.submit(_call_shared, place) for place in range(len(functions))]
        yield results
        for result in results:
            result.result()


def _share(functions: tuple[Callable[[], Any], ...], parent: int) -> None:
    global _functions
    _functions = functions
    ctypes.CDLL(None).prctl(_SIGNAL_AT_END_OF_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def _call_shared(place: int) -> Any:
    return _functions[place]()
