"""The meaning of mdtest's figures: definitions, known defects and factors, by version and command line.

The same flags give different numbers in different versions. Read from `mdtest.c` of 1.9.3 and 1.9.4-rc1
(MDTEST-LANL/mdtest) and of IOR 3.2.0 to 4.1 development (hpc/ior, `src/mdtest.c`, `summarize_results`).
"""

import re
from collections.abc import Mapping
from enum import Enum
from operator import eq
from typing import Any, NamedTuple

from coldcache.core.errors import LogError
from coldcache.core.records import VERIFIED

#: The version assigned to the banner of 1.9.3 above ``SUMMARY rate:``; 3.2.0 and 3.2.2 print the same.
IOR_3_2 = "3.2.1"


class Form(Enum):
    """How a table of results was computed from the ranks' own times."""

    FASTEST = "fastest"
    POOLED = "pooled"
    SLOWEST = "slowest"


#: Definition of the rates and of the times of file and directory operations, by form of the table.
DEFINITIONS = {
    (Form.FASTEST, "rate"): "fastest rank of each iteration",
    (Form.FASTEST, "elapsed"): "slowest rank of each iteration",
    (Form.POOLED, "rate"): "pooled over ranks and iterations",
    (Form.POOLED, "elapsed"): "pooled over ranks and iterations",
    (Form.SLOWEST, "rate"): "slowest rank times ranks, of each iteration",
    (Form.SLOWEST, "elapsed"): "slowest rank of each iteration",
}
TREE_DEFINITION = "rank 0, directories of one tree"
STONEWALLED_DEFINITION = "stonewalled: all ranks until the timer ended the phase"
ONE_RANK_DEFINITION = "one rank alone, before the barrier"
#: Definition of the rows that ``-v`` prints after each iteration: up to 3.3, all items over rank 0's time.
VERBOSE_DEFINITIONS = {
    Form.FASTEST: "rank 0's time for the items of all ranks",
    Form.POOLED: "rank 0's time for the items of all ranks",
    Form.SLOWEST: "rank 0's time for its own items",
}

_OLD_WITH_VALUE = frozenset("bdefiIlnNpsVwz")
_NEW_WITH_VALUE = frozenset("abdBefGiIlnNpsVwWxz")
_QUOTED = (re.compile(r"'([^']*)'"), re.compile(r'"([^"]*)"'))
_SIZE = re.compile(r"(\d{1,18})([kKmMgGtT]?)")
_SUFFIX = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
_KNOWN = re.compile(r"(?:1\.9\.[34]|3\.[2-4]|4\.[01])(?!\d)")


def check_mdtest_version(version: str) -> None:
    """Raise `LogError` if it is unknown how mdtest's `version` counts."""
    if not _KNOWN.match(version):
        raise LogError(f"mdtest {version} is none of the versions read here (1.9.3, 1.9.4, 3.2 to 4.1)")


class Settings(NamedTuple):
    """The banner and the command line of one run of mdtest.

    Attributes
    ----------
    version : str or None
        As the banner states it; None if there is no banner.
    tasks, nodes : int or None
        MPI ranks and hosts of the run.
    options : mapping of str to str
        Short options (one letter) and long ones (with their dashes) of the command line, with their values.
    old : bool
        Whether this is mdtest 1.9.x itself, not the mdtest that came with IOR 3.2 under the same banner.
    """

    version: str | None
    tasks: int | None
    nodes: int | None
    options: Mapping[str, str]
    old: bool

    def number(self, option: str, default: int = 0) -> int:
        """Return the value of `option` as this version understands it: 1.9.x reads digits and drops the suffix."""
        match = _SIZE.match(self.options.get(option, ""))
        if match is None:
            return default
        return int(match[1]) << (0 if self.old else _SUFFIX[match[2].lower()])

    def asks_for(self, tests: list[int]) -> bool:
        """Return whether ``-f``, ``-l`` and ``-s`` ask for `tests`, each given by its number of ranks."""
        first, last, stride = self.number("f", 1), self.number("l"), max(1, self.number("s", 1))
        if not last:
            return tests == [self.tasks]
        if self.old and tests[0] == first == 1 < stride:
            # After one rank, 1.9.x continues with `stride` ranks, not with one more.
            tests, first = tests[1:], stride
        wanted = range(first, min(last, self.tasks or last) + 1, stride)
        return len(tests) == len(wanted) and all(map(eq, tests, wanted))

    def kinds(self) -> frozenset[str] | None:
        """Return which of ``file`` and ``directory`` rows the command line asks for; None without one."""
        if self.tasks is None:
            return None
        chosen = {kind for flag, kind in (("F", "file"), ("D", "directory")) if flag in self.options}
        shared = {"directory"} if "S" in self.options else set()
        return frozenset((chosen or {"file", "directory"}) - shared)

    @property
    def verbose(self) -> bool:
        """Whether ``-v`` or ``-V`` asks for a row after each iteration."""
        return "v" in self.options or self.number("V") > 0

    @property
    def stonewalled(self) -> bool:
        """Whether a timer or a status file, not the command line, sets the number of items."""
        return "W" in self.options or "x" in self.options


def read_options(command: str, old: bool) -> dict[str, str]:
    """Return the options of a command line of mdtest.

    Parameters
    ----------
    command : str
        The text after ``Command line used:``; plain in 1.9.x, in double quotes in 3.2, in single quotes since 3.3.
    old : bool
        Whether mdtest 1.9.x reads it, by getopt: then ``-B`` takes no value.

    Returns
    -------
    dict of str to str
        Value of each option, empty for a flag.
    """
    with_value = _OLD_WITH_VALUE if old else _NEW_WITH_VALUE
    words = next(filter(None, (quoted.findall(command) for quoted in _QUOTED)), None) or command.split()
    options: dict[str, str] = {}
    pending = None
    for word in words:
        if pending is not None and (pending[0] != "-" or word[:1] != "-"):
            options[pending] = word
            pending = None
        elif word[:2] == "--":
            name, _, value = word.partition("=")
            options[name] = value
            pending = None if value else name
        elif word[:1] == "-":
            pending = None
            for index, letter in enumerate(word[1:], start=2):
                options[letter] = ""
                if letter in with_value:
                    options[letter] = word[index:].lstrip("=")
                    pending = letter if index == len(word) else None
                    break
    return options


def has_leaf_count_defect(settings: Settings, tasks: int | None, items: int | None) -> bool:
    """Return whether the rates count items in inner directories although only the leaves hold any.

    Parameters
    ----------
    settings : Settings
        Banner and command line.
    tasks, items : int or None
        From the line such as ``4 tasks, 600 files`` of the test.

    Returns
    -------
    bool
        True for ``-L -I n`` over more than one level if the log's own count of items includes inner directories:
        mdtest 1.9.x and IOR 3.2.0. Without such a line the version decides.
    """
    per_directory, depth = settings.number("I"), settings.number("z")
    branches = settings.number("b", 1)
    if "L" not in settings.options or not per_directory or not depth or not branches or depth > 64:
        return False
    if tasks is None or items is None or settings.number("n"):
        return settings.old
    leaves = branches**depth
    directories = sum(branches**level for level in range(depth + 1))
    return items == tasks * per_directory * directories and directories != leaves


def factors(settings: Settings, tasks: int | None, items: int | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the factors that the log states, for operations on files and for those on directories.

    Parameters
    ----------
    settings : Settings
        Banner and command line.
    tasks, items : int or None
        Ranks of this test, and its items over all ranks as the log counts them.

    Returns
    -------
    files, directories : dict
        ``threads``, ``nodes``, ``items``, ``depth``, ``branching_factor``, ``items_per_directory``, ``iterations``;
        for files also ``file_body`` in B, as this version understands ``-w``, and ``fsync``. ``items`` is missing
        if a stonewall decides it, or if all ranks share one file.
    """
    told: dict[str, Any] = {}
    tasks = settings.tasks if tasks is None else tasks
    if tasks is not None:
        told["threads"] = tasks
    if settings.nodes is not None:
        told["nodes"] = settings.nodes
    # A file shared by all ranks counts as one item, and is opened by each rank as often as the command line says.
    if items is not None and not settings.stonewalled and "S" not in settings.options:
        told["items"] = items
    for name, option in (("depth", "z"), ("branching_factor", "b"), ("items_per_directory", "I"), ("iterations", "i")):
        if settings.options.get(option):
            told[name] = settings.number(option)
    if settings.tasks is None:
        return told, told
    size = settings.number("w")
    return {**told, "file_body": size, "fsync": "y" in settings.options and (settings.old or size > 0)}, told


def file_defects(settings: Settings) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the caveats of file creation and of file read that follow from the command line.

    Returns
    -------
    create, read : tuple of str
        ``write-size-in-bytes`` and ``read-size-in-bytes``: 1.9.x takes ``-w 4K`` for four bytes.
        ``fsync-of-empty-files`` and ``no-fsync-of-empty-files``: ``-y`` without bytes to write costs one fsync per
        file in 1.9.x and none since. ``includes-verification``: files are read back as they are written
        (``--verify-write``), or what is read is compared (``-X``), within the time of the phase.
    """
    create: list[str] = []
    read: list[str] = []
    for option, found, caveat in (("w", create, "write-size-in-bytes"), ("e", read, "read-size-in-bytes")):
        match = _SIZE.match(settings.options.get(option, ""))
        if settings.old and match is not None and match[2]:
            found.append(caveat)
    if "y" in settings.options and not settings.number("w"):
        create.append("fsync-of-empty-files" if settings.old else "no-fsync-of-empty-files")
    for option, found in (("--verify-write", create), ("--verify-read", read), ("X", read)):
        if option in settings.options and not settings.old:
            found.append(VERIFIED)
    return tuple(create), tuple(read)
