"""The clock of a fio log.

fio 2.2 and later print ``"timestamp" : 1795250563`` at the head of each JSON document, in s since 1970, when the
document is written: at the end of the run, and before it where ``--status-interval`` asks for more (fio's ``stat.c``).
"""

import re
from datetime import UTC, datetime

from coldcache.core.stamp import Stamp

_TIMESTAMP = re.compile(rb'^[ \t]*"timestamp"[ \t]*:[ \t]*(\d{9,10})[ \t]*,', re.MULTILINE)


def read_stamp(log: bytes) -> Stamp:
    """Return when a fio log was written; empty where it states no time, as fio 2.1 does."""
    moments = [datetime.fromtimestamp(int(found[1]), UTC) for found in _TIMESTAMP.finditer(log)]
    return Stamp(end=max(moments)) if moments else Stamp()
