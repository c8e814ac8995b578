"""A time limit for all that a trial does on the model: calls that no server answers would wait for ever."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from coldcache.measure.model.clients import cut_client
from coldcache.measure.model.errors import ModelError
from coldcache.measure.model.place import Place, read_specification


@contextmanager
def guarded(place: Place | None, seconds: float) -> Iterator[None]:
    """Cut the clients of a model off after a time; calls on their mounts fail then, and the target is lost.

    Parameters
    ----------
    place : Place or None
        The model's; without one nothing is cut off.
    seconds : float
        After which it is done, unless the context has ended.
    """
    if place is None:
        yield
        return
    timer = threading.Timer(seconds, _cut_off, [place])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _cut_off(place: Place) -> None:
    for client in range(1, read_specification(place).clients + 1):
        with suppress(ModelError):
            cut_client(place, client)
