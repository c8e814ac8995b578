"""Keep the files of earlier trials aside until the campaign's end, so that new ones get inodes not freed lately.

Some file systems, such as ext4 without a journal, leave inodes alone that were just freed, and search past all of them.
"""

import os
import shutil
from pathlib import Path

#: The folder in a study's folder that holds what trials have left.
_ASIDE = ".aside"

#: How many times the files of a trial must be free as inodes; otherwise what lies aside is removed.
_ROOM = 2


def name_aside(folder: Path) -> Path:
    """Return where the files of a sweep's folder are kept aside."""
    return folder.parent / _ASIDE


def renew(folder: Path, files: int) -> None:
    """Let a sweep's folder be empty, and keep its files aside while the target has inodes for them.

    Parameters
    ----------
    folder : Path
        The sweep's folder within the folder of its study.
    files : int
        How many files the next trial makes.
    """
    aside = name_aside(folder)
    if folder.is_dir() and any(folder.iterdir()):
        aside.mkdir(exist_ok=True)
        try:
            folder.rename(aside / str(len(list(aside.iterdir()))))
        except OSError:
            # Something is mounted there.
            for path in list(folder.iterdir()):
                shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink()
    folder.mkdir(exist_ok=True)
    status = os.statvfs(folder)
    if status.f_files and status.f_favail < _ROOM * files:
        shutil.rmtree(aside, ignore_errors=True)
