"""The clock of an mdtest log: ``-- started at 11/20/2026 10:23:01 --`` and ``-- finished at …`` (1.9.3 to 4.0)."""

import re

from coldcache.core.stamp import Stamp
from coldcache.tools.printed_times import find_moments

_MOMENT = re.compile(rb"^[ \t]*-- (?:started|finished) at (\d\d/\d\d/\d{4} [\d:]{8}) --", re.MULTILINE)


def read_stamp(log: bytes) -> Stamp:
    """Return when an mdtest run took place, in the local time of rank 0; empty where the log does not say."""
    moments = find_moments(log, _MOMENT, "%m/%d/%Y %H:%M:%S")
    return Stamp(min(moments), max(moments)) if moments else Stamp()
