"""One run of a tool and its input files: the arguments and results of every tool's functions."""

import math
from typing import NamedTuple


class Run(NamedTuple):
    """One execution of a tool, in stored units.

    Attributes
    ----------
    operations : tuple of str
        What to measure; several if the tool measures them in one execution.
    directory : str
        The folder that the trial may use.
    threads, nodes : int
        Concurrent I/O streams over all clients, and the clients.
    transfer_size, file_size : int
        Bytes of one call, and bytes per thread; 0 for metadata operations.
    file_layout : str
        ``file-per-thread`` or ``shared-file``.
    direct_io : bool
        Whether to bypass the page cache.
    queue_depth : int
        Transfers in flight per thread.
    writes_per_flush : int
        Writes of a thread after which it flushes its file; 0 if it flushes only at the end.
    files : int
        Files (or directories) per thread, for metadata operations.
    file_body : int
        Bytes of each of them.
    file_sync : str
        When new ones are brought to stable storage: ``none``, ``each`` before the next, or all after their ``phase``.
    directories_per_thread, items_per_directory : int
        How they are spread; 0 if each thread has them in one directory.
    seconds : float
        How long a time-bound tool is timed.
    ramp : float
        How long it runs before that, in s, so that the burst of a throttle or a cache passes.
    series : float
        Length of the windows over which the tool logs the rate of each process, in s; 0 for none.
    options : tuple of str
        Further arguments, passed on unchanged.
    device : str
        Address of a block device to use instead of files, such as an NBD URI; empty without one.
    launcher : tuple of str
        The words that start the tool's processes on the site's nodes; empty on one node.
    starter : str
        What reaches other nodes, ``srun`` or ``ssh``, or the clients of a scale model on this machine, ``model``; empty
        if the tool only runs on this machine.
    hosts : tuple of str
        The nodes by name, once they are known.
    mounts : tuple of str
        The directory as several clients on this machine have it mounted, dealt out to the threads in turn; empty if
        all use `directory`.
    subfolders : tuple of str
        Folders in the directory, dealt out to the threads in turn; empty if all use the directory itself.
    command : tuple of str
        The command line, if a study states it; empty if the tool's module makes it.
    """

    operations: tuple[str, ...]
    directory: str
    threads: int
    nodes: int = 1
    transfer_size: int = 0
    file_size: int = 0
    file_layout: str = "file-per-thread"
    direct_io: bool = False
    queue_depth: int = 1
    writes_per_flush: int = 0
    files: int = 0
    file_body: int = 0
    file_sync: str = "none"
    directories_per_thread: int = 0
    items_per_directory: int = 0
    seconds: float = 10.0
    ramp: float = 0.0
    series: float = 0.0
    options: tuple[str, ...] = ()
    device: str = ""
    launcher: tuple[str, ...] = ()
    starter: str = ""
    hosts: tuple[str, ...] = ()
    mounts: tuple[str, ...] = ()
    subfolders: tuple[str, ...] = ()
    command: tuple[str, ...] = ()

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders that the threads use, in turn."""
        if not (self.mounts or self.subfolders):
            return (self.directory.rstrip("/"),)
        mounts, within = self.mounts or (self.directory,), self.subfolders or ("",)
        turns = math.lcm(len(mounts), len(within))
        return tuple(f"{mounts[n % len(mounts)]}/{within[n % len(within)]}".rstrip("/") for n in range(turns))

    def name_within(self, thread: int) -> str:
        """Return the prefix of the names of a thread's files: its subfolder, if there are subfolders."""
        return f"{self.subfolders[thread % len(self.subfolders)]}/" if self.subfolders else ""


class Inputs(NamedTuple):
    """Files that must exist before a run, each of `size` bytes.

    Attributes
    ----------
    names : tuple of tuple of str
        Names inside the run's directory, one tuple per thread.
    size : int
        Bytes of each file.
    """

    names: tuple[tuple[str, ...], ...] = ()
    size: int = 0

    @property
    def total(self) -> int:
        """Bytes of all files."""
        return self.size * sum(len(names) for names in self.names)


NO_INPUTS = Inputs()
