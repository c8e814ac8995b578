"""Learn from the options that fio prints with a job what was measured: operation and factors."""

import re
from collections.abc import Mapping
from typing import Any

#: Operations of the engines that touch names and not data; fio 3.38 adds those of directories.
OPERATION_OF_ENGINE = {
    "filecreate": "file-create",
    "filestat": "file-stat",
    "filedelete": "file-remove",
    "dircreate": "directory-create",
    "dirstat": "directory-stat",
    "dirdelete": "directory-remove",
}

#: Transfer size of a job that names none, in B.
DEFAULT_TRANSFER_SIZE = 4096

_ALIASES = {"readwrite": "rw", "blocksize": "bs", "file_size": "filesize"}
_SIZE = re.compile(r"([0-9]{1,18})([kmgtp]?)(i?)b?", re.IGNORECASE)
_POWER = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_SIDES = {"read": 0, "write": 1, "trim": 2}
_MIXED_SIZES = ("bsrange", "blocksize_range", "bssplit", "bs_unaligned", "blocksize_unaligned")


def merge_options(general: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, str]:
    """Return the options of a job, the job's own before those of ``[global]``, under one name each."""
    merged = {**general, **own}
    return {_ALIASES.get(name, name): str(value) for name, value in merged.items()}


def read_size(words: str, kilobyte: int = 1024) -> int | None:
    """Return a size as fio understands it, in B, or None for what is no plain size (``50%``, a range, a sum).

    With ``kb_base=1024``, fio's default, ``k`` and ``kb`` are 1,024 bytes and ``ki`` and ``kib`` are 1,000; with
    ``kb_base=1000`` it is the other way round. Source: fio's ``parse.c``, ``__get_mult_bytes``.
    """
    match = _SIZE.fullmatch(words)
    if not match or (match[3] and not match[2]):
        return None
    base = kilobyte if not match[3] else 1024 if kilobyte == 1000 else 1000
    return int(match[1]) * base ** _POWER[match[2].lower()]


def name_operation(side: str, options: Mapping[str, str] | None, jobname: str) -> tuple[str, str | None]:
    """Return the operation of one side of a job, and the caveat that belongs to it.

    Parameters
    ----------
    side : str
        ``read``, ``write``, ``trim``, or ``mixed`` (``unified_rw_reporting=1``).
    options : mapping or None
        The job's options; None where the log does not print them (fio before 2.3), so that the pattern is taken
        from the job's name, or unknown.
    jobname : str
        The job's name.

    Returns
    -------
    operation : str
        Such as ``random-write``.
    caveat : str or None
        ``pattern-from-name`` or ``pattern-unknown`` where the log does not state the pattern.
    """
    if options is None:
        name = jobname.lower()
        random = "rand" in name
        caveat = "pattern-from-name" if random or "seq" in name else "pattern-unknown"
        return _compose(side, random), caveat
    engine = OPERATION_OF_ENGINE.get(options.get("ioengine", ""))
    if engine:
        return engine, None
    pattern, _, step = options.get("rw", "read").partition(":")
    if side == "read" and pattern == "read" and step:
        return "stride-read", None
    return _compose(side, pattern.startswith("rand")), None


def _compose(side: str, random: bool) -> str:
    if side == "mixed":
        return "random-mix" if random else "mixed"
    return f"random-{side}" if random else side


def expected_sides(options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the sides that cannot be idle in a job with these options; none where that depends on the mix."""
    pattern = options.get("rw", "read").partition(":")[0].removeprefix("rand")
    if options.get("ioengine", "") in ("cpuio", *OPERATION_OF_ENGINE):
        return ()
    return (pattern,) if pattern in _SIDES else ()


def name_factors(side: str, options: Mapping[str, str] | None, threads: int | None) -> dict[str, Any]:
    """Return what the options say of the factors of one side of a job, in stored units; unknown ones are left out."""
    factors: dict[str, Any] = {} if threads is None else {"threads": threads}
    if options is None:
        return factors
    kilobyte = 1000 if options.get("kb_base") == "1000" else 1024
    if options.get("ioengine", "") not in OPERATION_OF_ENGINE:
        size = _transfer_size(side, options, kilobyte)
        if size:
            factors["transfer_size"] = size
        depth = options.get("iodepth", "1")
        if depth.isdecimal():
            factors["queue_depth"] = int(depth)
        factors["direct_io"] = _is_direct(options)
    files = options.get("nrfiles", "1")
    file_size = read_size(options.get("filesize", ""), kilobyte)
    if file_size is None and files.isdecimal() and int(files):
        whole = read_size(options.get("size", ""), kilobyte)
        file_size = whole // int(files) if whole else None
    if file_size:
        factors["file_size"] = file_size
    if "filename" in options:
        if threads and threads > 1 and ":" not in options["filename"]:
            factors["file_layout"] = "shared-file"
    elif "filename_format" not in options:
        factors["file_layout"] = "file-per-thread"
    return factors


def _is_direct(options: Mapping[str, str]) -> bool:
    """Return whether the page cache is bypassed; an option without a value, or with 1, is switched on."""
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
    # A missing size of writes or trims is that of the side before it.
    return sizes[min(_SIDES[side], len(sizes) - 1)] if sizes[-1] else sizes[0] if side == "read" else None
