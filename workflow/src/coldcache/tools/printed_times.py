"""Local times that tools print."""

import re
from datetime import datetime


def find_moments(log: bytes, pattern: re.Pattern[bytes], form: str) -> list[datetime]:
    """Return the local times in a log, in its order; other text is skipped.

    Parameters
    ----------
    log : bytes
        The whole log.
    pattern : Pattern
        Its first group is the printed time.
    form : str
        How the tool prints it, as `strptime` takes it; names of days and months are those of the C locale.
    """
    moments = []
    for found in pattern.finditer(log):
        try:
            moments.append(datetime.strptime(" ".join(found[1].decode("ascii").split()), form))
        except ValueError:
            continue
    return moments
