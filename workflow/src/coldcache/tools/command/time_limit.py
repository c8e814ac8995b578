"""A limit of computing time, for expressions of a study that would search for ever."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from coldcache.core.errors import LogError


@contextmanager
def limited(seconds: float, what: str) -> Iterator[None]:
    """End what takes too long.

    Parameters
    ----------
    seconds : float
        Computing time of this process, so that waiting does not count.
    what : str
        What the message says took too long.

    Raises
    ------
    LogError
        If the time is over. In a thread other than the main one, which no signal reaches, there is no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_signal: int, _frame: FrameType | None) -> None:
        raise LogError(f"{what} takes more than {seconds:g} s of computing time")

    before = signal.signal(signal.SIGVTALRM, end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
