"""The figures that a benchmark suite measures, and how it prints them."""

import json
import signal
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Measurement(NamedTuple):
    """The value of a figure, with its goal and floor.

    Attributes
    ----------
    value : float
        In the figure's unit.
    floor : float or None
        The same, measured of the floor in the same run, in turns.
    low, high : float or None
        The 95 % interval, where several values make the figure.
    peers : mapping of str to float
        The same, measured of other programs in the same run, in turns.
    """

    value: float
    floor: float | None = None
    low: float | None = None
    high: float | None = None
    peers: Mapping[str, float] = {}

    def ratio(self) -> float | None:
        """Return the value over its floor; None without a floor."""
        return self.value / self.floor if self.floor else None


def tell(found: Iterable[tuple[str, Measurement]]) -> None:
    """Print figures as they are measured, one JSON array each, as `run.py` reads them."""
    # A suite that is ended removes its files first.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for name, measured in found:
        print(json.dumps([name, measured._asdict()]), flush=True)
