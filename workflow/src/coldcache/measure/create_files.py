"""Create files in some of many directories: a script that `coldcache.measure.input_files` runs several times at once.

Threads of one process create no faster than one. The script imports nothing else of the program, so it starts at once.
"""

import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any

#: The files that a directory gets between two looks at the clock.
_GROUP = 64


def create(folder: str, names: Sequence[Sequence[str]], size: int, end: float) -> dict[str, Any]:
    """Create the missing ones of the named files, as many in each list as time allows.

    Parameters
    ----------
    folder : str
        The folder that the names are relative to.
    names : sequence of sequences of str
        Lists of the same length.
    size : int
        Size of each file, in B.
    end : float
        The time by `time.monotonic` after which nothing is created.

    Returns
    -------
    dict of str
        ``count``, how many of each list there are, at least one group; or ``errno`` of the system's refusal.
    """
    parent, body, count = os.getppid(), os.urandom(size), 0
    try:
        directory = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        while count < len(names[0]):
            for name in (name for own in names for name in own[count : count + _GROUP]):
                descriptor = os.open(name, os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=directory)
                if body:
                    os.write(descriptor, body)
                os.close(descriptor)
            count = min(count + _GROUP, len(names[0]))
            if time.monotonic() > end or os.getppid() != parent:
                break
    except OSError as error:
        return {"errno": error.errno}
    return {"count": count}


if __name__ == "__main__":
    print(json.dumps(create(**json.load(sys.stdin))))
