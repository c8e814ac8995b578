"""When and where a log says that its run took place."""

from datetime import datetime
from typing import NamedTuple


class Stamp(NamedTuple):
    """The clock and host that a log states.

    Attributes
    ----------
    begin, end : datetime or None
        First and last moment that the log states, to the second. With a zone where the log states seconds since 1970,
        without one where the tool prints local time.
    host : str or None
        The machine that the log names.
    """

    begin: datetime | None = None
    end: datetime | None = None
    host: str | None = None
