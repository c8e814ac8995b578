"""The clock of an IOzone log: ``Run began: Fri Nov 20 10:21:26 2026`` (IOzone 3.489)."""

import re

from coldcache.core.stamp import Stamp
from coldcache.tools.printed_times import find_moments

_MOMENT = re.compile(rb"^[ \t]*Run began: (\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})", re.MULTILINE)


def read_stamp(log: bytes) -> Stamp:
    """Return when an IOzone run began, in local time; empty where the log does not say."""
    moments = find_moments(log, _MOMENT, "%a %b %d %H:%M:%S %Y")
    return Stamp(begin=min(moments)) if moments else Stamp()
