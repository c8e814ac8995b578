"""What a suite of the bench measures of a figure, and how it tells it."""

import json
import signal
from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Measured(NamedTuple):
    """The value of a figure, with what it is held against.

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
        """Return how many times the floor it is; None where there is none."""
        return self.value / self.floor if self.floor else None


def tell(found: Iterable[tuple[str, Measured]]) -> None:
    """Print figures as they are measured, one JSON array each, as `run.py` reads them."""
    # Whoever ends a suite lets it remove what it has laid out.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for name, measured in found:
        print(json.dumps([name, measured._asdict()]), flush=True)
