"""The clock and host of an IOR log.

Specimen (IOR 3.3.0 and 4.0.0; the JSON output has the same keys)::

    Began               : Fri Nov 20 10:25:31 2026
    Machine             : Linux vm
    Finished            : Fri Nov 20 10:25:32 2026
"""

import re

from coldcache.core.stamp import Stamp
from coldcache.tools.printed_times import find_moments

_MOMENT = re.compile(rb'^[ \t]*"?(?:Began|Finished)"?[ \t]*: "?(\w{3} \w{3} [ \d]\d [\d:]{8} \d{4})', re.MULTILINE)
_MACHINE = re.compile(rb'^[ \t]*"?Machine"?[ \t]*: "?\w+ ([\w.-]+)', re.MULTILINE)


def read_stamp(log: bytes) -> Stamp:
    """Return when and where an IOR log was written, in the local time of rank 0; empty where it does not say."""
    moments = find_moments(log, _MOMENT, "%a %b %d %H:%M:%S %Y")
    machine = _MACHINE.search(log)
    host = machine[1].decode() if machine else None
    return Stamp(min(moments), max(moments), host) if moments else Stamp(host=host)
