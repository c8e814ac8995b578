"""fio: transfers to files and block devices, and operations on files as such.

Source: fio's HOWTO and its engines ``filecreate``, ``filestat`` and ``filedelete`` (fio 3.33).
"""

from coldcache.tools.fio_read import read, recognise
from coldcache.tools.program import ask_version
from coldcache.tools.run import NO_INPUTS, Inputs, Run

__all__ = ["PROGRAM", "argv", "inputs", "read", "recognise", "separate", "unfit", "version"]

PROGRAM = "fio"

_PATTERN = {"write": "write", "read": "read", "random-write": "randwrite", "random-read": "randread"}
_ENGINE = {"file-create": "filecreate", "file-stat": "filestat", "file-remove": "filedelete"}

#: fio's job name, and so the first part of the names of its files.
_JOB = "t"

#: filestat repeats its files until the time is over, so a small pool is enough and quick to lay out.
_STAT_POOL = 1000


def version() -> str:
    """Return fio's version; raises `ToolError` if it is missing or does not answer."""
    return ask_version(PROGRAM, "--version", r"fio-(\S+)")


def separate(operations: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the operations in groups that one execution measures: each alone."""
    return [(operation,) for operation in operations]


def unfit(run: Run) -> str:
    """Return what of a run fio cannot do; empty where it can do all."""
    unknown = [operation for operation in run.operations if operation not in {**_PATTERN, **_ENGINE}]
    if unknown:
        return f"does not measure {unknown[0]}"
    return "runs on one node" if run.nodes > 1 else ""


def inputs(run: Run) -> Inputs:
    """Return the files that must exist before the run."""
    operation = run.operations[0]
    if operation in _ENGINE:
        if operation == "file-create":
            return NO_INPUTS
        return Inputs(tuple(tuple(f"{_JOB}.{job}.{file}" for file in range(_pool(run))) for job in range(run.threads)))
    if run.device or operation == "write":
        return NO_INPUTS
    if run.file_layout == "shared-file":
        return Inputs((("shared",),), run.file_size * run.threads)
    return Inputs(tuple((f"{_JOB}{job}",) for job in range(run.threads)), run.file_size)


def _pool(run: Run) -> int:
    return min(run.files, _STAT_POOL) if run.operations == ("file-stat",) else run.files


def argv(run: Run) -> list[str]:
    """Return the command line of one run; its standard output is JSON."""
    words = [PROGRAM, f"--name={_JOB}", "--output-format=json", "--group_reporting", "--thread"]
    words += [f"--numjobs={run.threads}", "--fallocate=none"]
    words += _metadata(run) if run.operations[0] in _ENGINE else _transfers(run)
    return [*words, f"--runtime={round(run.seconds * 1000)}ms", *run.options]


def _transfers(run: Run) -> list[str]:
    operation = run.operations[0]
    words = [f"--rw={_PATTERN[operation]}", f"--bs={run.transfer_size}", f"--size={run.file_size}"]
    # A second pass over a file is served from the page cache, or overwrites what never reached the device, so
    # buffered transfers move each byte once, and only those that pass the cache repeat until the time is over.
    if run.device or run.direct_io or operation.startswith("random"):
        words += ["--time_based"]
    # Without refill_buffers fio repeats one buffer, which devices that compress or deduplicate turn into speed.
    words += ["--refill_buffers", "--norandommap", "--randrepeat=0"]
    if run.device:
        return [*words, "--ioengine=nbd", f"--uri={run.device}", f"--iodepth={run.queue_depth}"]
    if run.queue_depth > 1:
        words += ["--ioengine=libaio", f"--iodepth={run.queue_depth}"]
    else:
        words += ["--ioengine=psync"]
    words += [f"--directory={_escaped(run.directory)}"]
    if run.file_layout == "shared-file":
        words += ["--filename=shared", f"--offset_increment={run.file_size}"]
    else:
        words += [f"--filename_format={_JOB}$jobnum"]
    if run.direct_io:
        words += ["--direct=1"]
    elif operation.endswith("write"):
        # Without it, bytes that are still in the page cache count as written.
        words += ["--end_fsync=1"]
    else:
        # fio drops the cached pages of its files at the start by default; the runner does it, and proves it.
        words += ["--invalidate=0"]
    return words


def _escaped(directory: str) -> str:
    """Return a folder as fio's option takes it: a bare colon would part two folders."""
    return directory.replace(":", "\\:")


def _metadata(run: Run) -> list[str]:
    operation = run.operations[0]
    words = [f"--ioengine={_ENGINE[operation]}", f"--directory={_escaped(run.directory)}", f"--nrfiles={_pool(run)}"]
    # With the default selection of files fio's own cost grows with the square of their number (fio 3.33).
    # The runner lays the files out, empty; create_on_open keeps fio from writing and syncing each of them once more.
    words += ["--openfiles=1", "--file_service_type=sequential", "--create_on_open=1", "--filesize=1", "--bs=1"]
    return [*words, "--time_based"] if operation == "file-stat" else words
