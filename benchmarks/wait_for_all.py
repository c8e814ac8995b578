"""Run a command, then wait for every process that it left behind, so that their processor time counts."""

import ctypes
import os
import subprocess
import sys

_PR_SET_CHILD_SUBREAPER = 36

if __name__ == "__main__":
    # What loses its parent becomes a child of this process.
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        sys.exit(f"bench: {os.strerror(ctypes.get_errno())}")
    status = subprocess.call(sys.argv[1:])
    try:
        while True:
            os.wait()
    except ChildProcessError:
        sys.exit(status)
