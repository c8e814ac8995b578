"""Derive the operation and the factors of a job from the options that fio prints with it."""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

#: Operations of the metadata engines; fio 3.38 adds those on directories.
OPERATION_OF_ENGINE = {
    "filecreate": "file-create",
    "filestat": "file-stat",
    "filedelete": "file-remove",
    "dircreate": "directory-create",
    "dirstat": "directory-stat",
    "dirdelete": "directory-remove",
}

#: Engines that move no data to or from storage, whatever fio counts for them.
IDLE_ENGINES = (
    "cpuio", "exec", "null", "falloc", "ftruncate", "e4defrag", "net", "netsplice", "rdma", "page_fault",
)  # fmt: skip

#: Engines that do not reach storage through the page cache, whatever ``direct`` says. Those of other makers, such as
#: SPDK's, are called by their path.
_WITHOUT_PAGE_CACHE = (
    "nbd", "rbd", "rados", "http", "libiscsi", "nfs", "gfapi", "gfapi_async", "libhdfs", "dfs", "sg", "io_uring_cmd",
    "libblkio", "xnvme", "libzbc", "zbc", "mtd", "libpmem", "dev-dax", "libcufile", "libhipfile", "ime_psync",
    "ime_psyncv", "ime_aio",
)  # fmt: skip

#: Engines that keep one transfer in flight, whatever ``iodepth`` says.
_SYNCHRONOUS = (
    "sync", "psync", "pvsync", "pvsync2", "mmap", "splice", "mtd", "libzbc", "zbc", "libpmem", "dev-dax", "gfapi",
    "http", "libhdfs", "libcufile", "libhipfile", "ime_psync", "ime_psyncv",
)  # fmt: skip

#: fio's engine by default, but on Windows.
_DEFAULT_ENGINE = "psync"

#: Marks incomplete options: fio's defaults must not be assumed for the missing ones.
PARTIAL = "(partial)"

#: fio's default transfer size, in B.
DEFAULT_TRANSFER_SIZE = 4096

_ALIASES = {"readwrite": "rw", "blocksize": "bs", "file_size": "filesize", "timeout": "runtime", "io_limit": "io_size"}
_SIZE = re.compile(r"([0-9]{1,18})([kmgtp]?)(i?)b?", re.IGNORECASE)
_POWER = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_DURATION = re.compile(r"([0-9]{1,12})(us|ms|s|m|h|d)?")
_SECONDS = {"us": 1e-6, "ms": 1e-3, None: 1, "s": 1, "m": 60, "h": 3600, "d": 86400}
_SIDES = {"read": 0, "write": 1, "trim": 2}
#: Sides of each pattern, without its prefix ``rand``.
_SIDES_OF_PATTERN = {
    "read": ("read",), "write": ("write",), "trim": ("trim",), "trimwrite": ("trim", "write"),
    "rw": ("read", "write"), "readwrite": ("read", "write"),
}  # fmt: skip
#: Options that end a job before its size and its time.
_EARLY_ENDS = ("number_ios", "steadystate", "ss", "zonesize", "zonemode", "latency_target", "read_iolog")
_MIXED_SIZES = ("bsrange", "blocksize_range", "bssplit", "bs_unaligned", "blocksize_unaligned")


def merge_options(general: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, str]:
    """Return the options of a job under one name each; the job's own override those of ``[global]``."""
    merged = {**general, **own}
    return {_ALIASES.get(name, name): str(value) for name, value in merged.items()}


@lru_cache(maxsize=256)
def read_size(words: str, kilobyte: int = 1024) -> int | None:
    """Return a size as fio understands it, in B; None for anything but a plain size (``50%``, a range, a sum).

    With ``kb_base=1024``, fio's default, ``k`` and ``kb`` are 1,024 bytes and ``ki`` and ``kib`` are 1,000; with
    ``kb_base=1000`` it is the other way round. Source: fio's ``parse.c``, ``__get_mult_bytes``.
    """
    match = _SIZE.fullmatch(words)
    if not match or (match[3] and not match[2]):
        return None
    base = kilobyte if not match[3] else 1024 if kilobyte == 1000 else 1000
    return int(match[1]) * base ** _POWER[match[2].lower()]


def operation_on_names(options: Mapping[str, str] | None) -> str | None:
    """Return the operation on files themselves that a job measures; None for transfers.

    A job that opens each of its files as it creates it, and writes it whole by one call, creates files with a body.
    """
    stated = options or {}
    if engine := OPERATION_OF_ENGINE.get(stated.get("ioengine", "")):
        return engine
    creates = stated.get("create_on_open") == stated.get("openfiles") == "1" and stated.get("rw") == "write"
    is_whole = "bs" in stated and stated["bs"] == stated.get("filesize")
    return "file-create" if creates and is_whole and stated.get("nrfiles", "1") != "1" else None


def name_fio_operation(side: str, options: Mapping[str, str] | None, jobname: str) -> tuple[str, str | None]:
    """Return the operation of one side of a job, with a caveat if the log does not state it.

    Parameters
    ----------
    side : str
        ``read``, ``write``, ``trim``, or ``mixed`` (``unified_rw_reporting=1``).
    options : mapping or None
        The job's options; None if the log does not print them (fio before 2.3). The pattern then comes from the job's
        name, or is unknown.
    jobname : str
        The job's name.

    Returns
    -------
    operation : str
        Such as ``random-write``.
    caveat : str or None
        ``pattern-from-name`` or ``pattern-unknown`` if the log does not state the pattern.
    """
    if options is None:
        name = jobname.lower()
        random = "rand" in name
        caveat = "pattern-from-name" if random or "seq" in name else "pattern-unknown"
        return _compose(side, random), caveat
    if on_names := operation_on_names(options):
        return on_names, None
    pattern, _, step = options.get("rw", "read").partition(":")
    sides = list_sides(options)
    if not sides or side not in (*sides, "mixed"):
        # Another job of the same reporting group moved it, or it is a verification.
        return side, "pattern-unknown"
    if side == "read" and pattern == "read" and step:
        return "stride-read", None
    return _compose(side, pattern.startswith("rand")), None


def verifies_reads(options: Mapping[str, str] | None) -> bool:
    """Return whether a job compares what it reads, in the time of the reads (``verify``, but for its pretence null)."""
    return (options or {}).get("verify", "0") not in ("0", "null")


def _compose(side: str, random: bool) -> str:
    if side == "mixed":
        return "random-mix" if random else "mixed"
    return f"random-{side}" if random else side


def list_sides(options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the sides that the pattern of a job moves; none if the pattern is unknown."""
    return _SIDES_OF_PATTERN.get(options.get("rw", "read").partition(":")[0].removeprefix("rand"), ())


def expected_sides(options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the sides that must be active in a job with these options; none if that depends on the mix."""
    if options.get("ioengine") in OPERATION_OF_ENGINE:
        return ()
    sides = list_sides(options)
    return sides if len(sides) == 1 else ()


def is_job_done(
    options: Mapping[str, str] | None, values: Mapping[str, Any], slack: float, is_process: bool = False
) -> bool | None:
    """Return whether a job finished: True if it reached its size or its time, False if neither.

    Parameters
    ----------
    options : mapping or None
        The job's options.
    values : mapping
        The job's entry, as plain JSON.
    slack : float
        The share of its time that the start of a job may cost in versions before 3.8, where no figure covers it.
    is_process : bool
        Whether the entry describes one process, not all that ``numjobs`` asks for.

    Returns
    -------
    bool or None
        None if the options do not decide it: flags such as ``time_based`` are not printed, so a job without a
        ``runtime`` may move less than its size.
    """
    if options is None or any(name in options for name in _EARLY_ENDS):
        return None
    sides = {name: values[name] for name in (*_SIDES, "mixed") if isinstance(values.get(name), dict)}
    jobs = int(options["numjobs"]) if options.get("numjobs", "").isdecimal() and not is_process else 1
    size = _job_size(options)
    moving = _SIDES_OF_PATTERN.get(options.get("rw", "read").removeprefix("rand"), ())
    moved = sum(bytes_moved(sides[name]) for name in (moving if "mixed" not in sides else ("mixed",)) if name in sides)
    # Only its time ended a job that moved more than its size.
    if size and _least_moved(options, size) * jobs <= moved <= size * jobs:
        return True
    seconds = _read_seconds(options.get("runtime", ""))
    if not seconds:
        return None
    longest = max((take_number(side, "runtime") for side in sides.values()), default=0) / 1000
    # Since 3.8: the sum of the processes' run times. It covers their start; the run time of a side does not.
    whole = take_number(values, "job_runtime") / 1000 / (jobs or 1)
    if max(longest, whole) >= seconds * (1 - slack * ("job_runtime" not in values)) - 0.02:
        return True
    # Another section of the reporting group moved data as well: the entry counts the time of more processes.
    is_shared = size is not None and moved > size * jobs and whole * jobs > (jobs + 0.5) * longest > 0
    # What is moved within the ramp counts for the size, and is not printed.
    return None if not size or is_shared or "ramp_time" in options else False


def take_number(values: Mapping[str, Any], key: str) -> float:
    """Return the number under a key of plain JSON, 0 if there is no number."""
    value = values.get(key, 0)
    return float(value) if type(value) in (int, float) and abs(value) < 1e300 else 0.0


def _read_seconds(words: str) -> float | None:
    match = _DURATION.fullmatch(words)
    return int(match[1]) * _SECONDS[match[2]] if match else None


def _job_size(options: Mapping[str, str]) -> int | None:
    """Return how much one process of a job moves unless its time ends it, in B; None if that is no plain size."""
    if ":" in options.get("rw", "read") or options.get("rw", "").endswith("trimwrite"):
        return None
    loops = options.get("loops", "1")
    kilobyte = 1000 if options.get("kb_base") == "1000" else 1024
    size = read_size(options.get("io_size", options.get("size", "")), kilobyte)
    return size * int(loops) if size and loops.isdecimal() else None


def _least_moved(options: Mapping[str, str], size: int) -> float:
    """Return the least that one process moves of its size, in B: fio leaves out a rest shorter than a transfer."""
    kilobyte = 1000 if options.get("kb_base") == "1000" else 1024
    words = options.get("bs", str(DEFAULT_TRANSFER_SIZE)).split(",")
    longest = max((read_size(word, kilobyte) or 0 for word in words), default=0)
    files, loops = (int(options[name]) if options.get(name, "").isdecimal() else 1 for name in ("nrfiles", "loops"))
    whole = longest * files * loops
    return min(0.99 * size, size - whole) if whole and size % whole and size > whole else 0.99 * size


def bytes_moved(side: Mapping[str, Any]) -> float:
    """Return the bytes that a side moved: ``io_bytes`` is in KiB if there is no ``io_kbytes`` (before 2.21)."""
    return take_number(side, "io_bytes") * (1 if "io_kbytes" in side else 1024)


def name_factors(
    side: str, options: Mapping[str, str] | None, threads: int | None, moved: float, calls: float
) -> dict[str, Any]:
    """Return the factors of one side of a job from its options, in stored units; unknown ones are left out.

    `moved` (B) and `calls` (0 if they are not printed) are the totals of the side: if they contradict the transfer
    size, jobs with several sizes share a reporting group.
    """
    factors: dict[str, Any] = {} if threads is None else {"threads": threads}
    if options is None:
        return factors
    names_only = operation_on_names(options) is not None
    depth = _queue_depth(options)
    if depth is not None and not names_only:
        factors["queue_depth"] = depth
    if PARTIAL in options:
        return factors
    kilobyte = 1000 if options.get("kb_base") == "1000" else 1024
    if not names_only:
        size = _transfer_size(side, options, kilobyte)
        # The last transfer of a file may be shorter, and those in flight when a ramp ends count in one total only.
        slack = 0.01 * (calls or 0) + (threads or 1) * factors.get("queue_depth", 1)
        if size and (not calls or abs(moved / size - calls) <= slack):
            factors["transfer_size"] = size
        engine = options.get("ioengine", _DEFAULT_ENGINE)
        if engine not in _WITHOUT_PAGE_CACHE and "/" not in engine:
            factors["direct_io"] = _is_direct(options)
    # filestat repeats a pool of files until its time is over.
    if options.get("ioengine") != "filestat" and names_only and options.get("nrfiles", "").isdecimal():
        factors["files"] = int(options["nrfiles"])
    flushes = options.get("fsync", "0")
    if side == "write" and not names_only and flushes.isdecimal() and int(flushes):
        factors["writes_per_flush"] = int(flushes)
    file_size = _file_size(options, kilobyte, names_only)
    if names_only and options.get("ioengine", "") not in OPERATION_OF_ENGINE:
        syncs = {"each": options.get("fsync"), "phase": options.get("end_fsync")}
        factors |= {"file_body": file_size, "file_sync": next((name for name in syncs if syncs[name] == "1"), "none")}
    elif file_size:
        factors["file_size"] = file_size
    if "filename" in options:
        if threads and threads > 1 and ":" not in options["filename"]:
            factors["file_layout"] = "shared-file"
    elif "filename_format" not in options:
        factors["file_layout"] = "file-per-thread"
    return factors


def _queue_depth(options: Mapping[str, str]) -> int | None:
    """Return the transfers that a process keeps in flight at most; None if they are not stated as a number."""
    engine = options.get("ioengine", "" if PARTIAL in options else _DEFAULT_ENGINE)
    if engine in _SYNCHRONOUS and options.get("io_submit_mode") != "offload":
        return 1
    depth = options.get("iodepth", "1")
    return int(depth) if depth.isdecimal() else None


def count_in_flight(options: Mapping[str, str]) -> int | None:
    """Return the most transfers that one process may keep in flight; None if they are not stated as a number.

    On Windows the engine by default is none of one transfer.
    """
    if "ioengine" in options:
        return _queue_depth(options)
    depth = options.get("iodepth", "1")
    return int(depth) if depth.isdecimal() else None


def _file_size(options: Mapping[str, str], kilobyte: int, names_only: bool) -> int | None:
    """Return the bytes of all files of a process, or of one file where only names are touched; None if not stated."""
    whole, each = (read_size(options.get(name, ""), kilobyte) for name in ("size", "filesize"))
    files = options.get("nrfiles", "1")
    count = int(files) if files.isdecimal() else 0
    if names_only:
        return each or (whole // count if whole and count else None)
    return whole or (each * count if each and count else None)


def _is_direct(options: Mapping[str, str]) -> bool:
    """Return whether the page cache is bypassed; an option without a value, or with 1, is on."""
    if "direct" in options:
        return options["direct"] not in ("0", "false")
    return options.get("buffered", "1") == "0"


def _transfer_size(side: str, options: Mapping[str, str], kilobyte: int) -> int | None:
    if any(name in options for name in _MIXED_SIZES):
        return None
    if "bs" not in options:
        return DEFAULT_TRANSFER_SIZE
    sizes = [read_size(words, kilobyte) for words in options["bs"].split(",")]
    if side == "mixed":
        return sizes[0] if len(set(sizes)) == 1 else None
    # A missing size for writes or trims is that of the previous side.
    return sizes[min(_SIDES[side], len(sizes) - 1)] if sizes[-1] else sizes[0] if side == "read" else None
