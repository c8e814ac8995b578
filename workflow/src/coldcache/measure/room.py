"""Whether there is room for raw logs: a log that is cut short by a full disk must not pass for a failed trial."""

import os
from pathlib import Path

from coldcache.core.errors import CampaignError
from coldcache.core.units import show_bytes

#: Bytes and files for which there must be room; the log of a trial has some ten KiB.
_BYTES, _FILES = 4 * 2**20, 16


def refuse_full(folder: Path) -> None:
    """Raise `CampaignError` if the disk that holds a folder of raw logs is full, or nearly so."""
    status = os.statvfs(folder)
    free = status.f_bavail * status.f_frsize
    advice = "free some and start again: what is missing is measured then"
    if free < _BYTES:
        raise CampaignError(f"{folder}: {show_bytes(free)} are left for logs; {advice}")
    if status.f_files and status.f_favail < _FILES:
        raise CampaignError(f"{folder}: {status.f_favail} inodes are left for logs; {advice}")
