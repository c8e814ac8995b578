"""Keep inodes that were just freed out of the way of files that a trial creates.

ext4 without a journal leaves such inodes alone for minutes and searches past all of them, which makes creating a file
up to a hundred times slower. It knows them by their blocks in the page cache. So the files of earlier trials stay aside
until the campaign ends. Root drops the page cache before files are created; meanwhile ext4 reads no inodes ahead.

The kernel finds names and inodes in hash tables of a fixed size. Two million of them, left by earlier trials, make each
look-up of a later one up to four times slower, so root drops them too.
"""

import fcntl
import os
import shutil
import struct
from contextlib import suppress
from pathlib import Path

from coldcache.measure.host.mounts import count_free_inodes, find_mount
from coldcache.measure.host.sudo import DROP_CACHES, write_value

#: The folder in a study's folder that holds what trials have left.
_ASIDE = ".aside"

#: How many times the files and bytes of a trial must be free; otherwise what lies aside is removed.
_ROOM = 2

#: Requests for the attributes of an inode, and the attribute by which ext2, ext3 and ext4 take a folder for the top of
#: a hierarchy: folders in it go to other groups of inodes (ioctl_iflags(2), FS_TOPDIR_FL).
_GET_FLAGS, _SET_FLAGS, _TOP = 0x80086601, 0x40086602, 0x20000

#: Blocks of inodes that ext4 reads ahead while files are created.
SINGLY = "0"

#: For ``/proc/sys/vm/drop_caches``: drop dentries and inodes, or clean pages as well.
_NAMES, _PAGES_AND_NAMES = "2", "3"


def name_aside(folder: Path) -> Path:
    """Return where the files of a sweep's folder are kept aside."""
    return folder.parent / _ASIDE


def is_aside(folder: str) -> bool:
    """Return whether a folder is one that is kept aside, whole and unchanged."""
    return folder.split("/")[-2:-1] == [_ASIDE]


def renew(folder: Path, files: int, size: int) -> None:
    """Let a sweep's folder be empty, and keep its files aside while the target has inodes and space for them.

    Parameters
    ----------
    folder : Path
        The sweep's folder within the folder of its study.
    files : int
        How many files the next trial makes.
    size : int
        How many bytes it has on the target at most.
    """
    spread_over_groups(folder.parent)
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
    inodes = count_free_inodes(status)
    if (inodes is not None and inodes < _ROOM * files) or status.f_bavail * status.f_frsize < _ROOM * size:
        shutil.rmtree(aside, ignore_errors=True)


def spread_over_groups(folder: Path) -> None:
    """Let new folders in a folder lie in different groups of inodes, where the file system has such groups."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):
            (flags,) = struct.unpack("l", fcntl.ioctl(descriptor, _GET_FLAGS, bytes(8)))
            fcntl.ioctl(descriptor, _SET_FLAGS, struct.pack("l", flags | _TOP))
    finally:
        os.close(descriptor)


def find_inode_readahead(folder: Path) -> Path | None:
    """Return the file that holds how many blocks of inodes the file system of a folder reads ahead.

    Returns
    -------
    Path or None
        Only for ext4 without a journal, which searches past inodes that were just freed, and where the user may write
        it and drop the page cache; None elsewhere.
    """
    device = find_mount(folder).device
    options = Path("/sys/fs/ext4", Path(f"/sys/dev/block/{device}").resolve().name)
    journal, blocks = options / "journal_task", options / "inode_readahead_blks"
    if not journal.is_file() or journal.read_text().strip() != "<none>":
        return None
    return blocks if os.access(blocks, os.W_OK) and os.access(DROP_CACHES, os.W_OK) else None


def forget_earlier_files(folder: Path) -> dict[str, str]:
    """Drop what the kernel keeps of files that earlier trials of a sweep made or removed.

    Parameters
    ----------
    folder : Path
        The sweep's folder within the folder of its study.

    Returns
    -------
    dict of str to str
        What was dropped, as `trial.json` says it: ``name_cache`` where files are kept aside, and ``page_cache`` too on
        ext4 without a journal, which would otherwise search past inodes that were just freed. Empty where the user may
        drop neither.

    Raises
    ------
    SettingError
        If the kernel refuses.
    """
    if not os.access(DROP_CACHES, os.W_OK):
        return {}
    if find_inode_readahead(folder):
        dropped, level = ["page_cache", "name_cache"], _PAGES_AND_NAMES
    elif name_aside(folder).is_dir():
        dropped, level = ["name_cache"], _NAMES
    else:
        return {}
    # The kernel drops neither dirty pages nor the inodes that they belong to.
    os.sync()
    write_value(DROP_CACHES, level)
    return dict.fromkeys(dropped, "dropped")
