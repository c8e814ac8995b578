"""fio: transfers to files and block devices, and operations on files themselves.

Source: fio's HOWTO and its engines ``filecreate``, ``filestat`` and ``filedelete`` (fio 3.33).
"""

from coldcache.core.records import Record
from coldcache.tools.fio import parse as fio_read
from coldcache.tools.fio.parse import recognise
from coldcache.tools.fio.stamp import read_stamp
from coldcache.tools.launchers import deal_out, name_hosts
from coldcache.tools.programs import Program
from coldcache.tools.protocols import Server, Traits
from coldcache.tools.run import NO_INPUTS, Inputs, Run

__all__ = [
    "TRAITS", "argv", "files", "inputs", "place", "printed_version", "read", "read_stamp", "recognise", "separate",
    "unfit", "version",
]  # fmt: skip

#: The port on which fio's servers listen.
_PORT = 8765

TRAITS = Traits(
    program=Program("fio", "fio"),
    overhead_seconds=0.4,
    is_time_bound=True,
    states_version=True,
    series_logs="series_bw*.log",
    # A server listens only on the address by which the other nodes know its own.
    server=Server(f'fio --server="$(uname -n),{_PORT}"', _PORT),
    refused_options=(
        "aux-path", "client", "daemonize", "directory", "exec_postrun", "exec_prerun", "filename", "include",
        "ioengine=exec", "opendir", "output", "program", "read_iolog", "server", "trigger",
        "trigger-file", "trigger-remote", "uri", "write_iolog",
    ),
    has_long_options=True,
    durable_words=("--end_fsync=1", "--fsync=1", "--fdatasync=1", "--sync=1", "--direct=1"),
    # fio counts the time of a job in whole milliseconds.
    tick_seconds=1e-3,
)  # fmt: skip

_PATTERN = {"write": "write", "read": "read", "random-write": "randwrite", "random-read": "randread"}
_ENGINE = {"file-create": "filecreate", "file-stat": "filestat", "file-remove": "filedelete"}

#: fio's job name, which is also the first part of its files' names.
_JOB = "t"

#: filestat repeats its files until the time is over, so a small pool is enough and quick to create.
_STAT_POOL = 1000


def read(log: bytes) -> list[Record]:
    """Return every value of a run's log, also the total of all clients on several nodes; raises `LogError`."""
    return fio_read.read(log)


def version() -> str:
    """Return fio's version; raises `ToolError` if it is missing or does not answer."""
    return TRAITS.program.ask_version("--version", r"fio-(\S+)")


def printed_version(log: bytes) -> None:
    """Return None: `version` always knows the version."""


def separate(operations: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the operations in groups, each measured by one execution: each alone."""
    return [(operation,) for operation in operations]


def unfit(run: Run) -> str | None:
    """Return what of a run fio cannot do; None if it can do all."""
    unknown = [operation for operation in run.operations if operation not in {**_PATTERN, **_ENGINE}]
    if unknown:
        return f"does not measure {unknown[0]}"
    if run.file_sync != "none" and not run.file_body:
        return "syncs no files without bytes: state file_body"
    if run.nodes > 1 and (run.device or not run.starter):
        return "runs on one node"
    if run.writes_per_flush and run.device:
        return "does not flush a served device"
    return None


def inputs(run: Run) -> Inputs:
    """Return the files that must exist before the run."""
    operation = run.operations[0]
    if operation in _ENGINE:
        if operation == "file-create":
            return NO_INPUTS
        jobs = _jobs(run, f"{_JOB}.")
        names = tuple(tuple(f"{job}.{file}" for file in range(_pool(run))) for job in jobs)
        return Inputs(names, run.file_body)
    if run.device or operation == "write":
        return NO_INPUTS
    if run.file_layout == "shared-file":
        return Inputs((("shared",),), run.file_size * run.threads)
    return Inputs(tuple((job,) for job in _jobs(run, _JOB)), run.file_size)


def _jobs(run: Run, prefix: str) -> list[str]:
    """Return the prefix of each job's file names: its number, after that of its node if there are several."""
    if run.nodes == 1:
        return [f"{run.name_within(job)}{prefix}{job}" for job in range(run.threads)]
    nodes = deal_out(run.threads, name_hosts(run)).values()
    return [f"{_JOB}{place}.{job}" for place, threads in enumerate(nodes) for job in range(len(threads))]


def _pool(run: Run) -> int:
    return min(run.files, _STAT_POOL) if run.operations == ("file-stat",) else run.files


def argv(run: Run) -> list[str]:
    """Return the command line of one run; its standard output is JSON."""
    if run.nodes == 1:
        return _alone(run)
    # Each server gets the jobs of its node from a file in the trial's folder.
    own = [(f"--client={host},{_PORT}", f"{host}.fio") for host in name_hosts(run)]
    return [TRAITS.program.name, "--output-format=json", *(word for words in own for word in words)]


def place(run: Run) -> tuple[str, ...]:
    """Return nothing: options of fio start and place its jobs."""
    return ()


def files(run: Run) -> dict[str, str]:
    """Return the files that a run on several nodes needs in its trial's folder: the jobs of each node."""
    own = ("name", "output-format", "numjobs", "filename", "filename_format", "offset_increment")
    words = [word.removeprefix("--") for word in _alone(run)[1:]]
    options = [word for word in words if word.partition("=")[0] not in own]
    found = {}
    for place, (host, threads) in enumerate(deal_out(run.threads, run.hosts).items()):
        # Without unique_filename=0 a server puts the address of its client before each name.
        lines = ["[global]", *options, "unique_filename=0", f"[{_JOB}]", f"numjobs={len(threads)}"]
        if run.operations[0] in _ENGINE:
            lines += [f"filename_format={_JOB}{place}.$jobnum.$filenum"]
        elif run.file_layout == "shared-file":
            first = sum(len(own) for own in list(deal_out(run.threads, run.hosts).values())[:place])
            lines += ["filename=shared", f"offset={first * run.file_size}", f"offset_increment={run.file_size}"]
        else:
            lines += [f"filename_format={_JOB}{place}.$jobnum"]
        found[f"{host}.fio"] = "\n".join(lines) + "\n"
    return found


def _alone(run: Run) -> list[str]:
    """Return the command line of a run on one node."""
    words = [TRAITS.program.name, f"--name={_JOB}", "--output-format=json", "--group_reporting", "--thread"]
    # Otherwise fio tests the processors' own clocks first, for longer than all else of its start.
    words += ["--clocksource=clock_gettime", f"--numjobs={run.threads}", "--fallocate=none"]
    words += _metadata(run) if run.operations[0] in _ENGINE else _transfers(run)
    if run.series:
        # One log of all processes: 64 of their own would take longer to keep than the run lasts.
        words += [f"--write_bw_log={run.directory}/series", f"--log_avg_msec={round(run.series * 1000)}"]
        words += ["--per_job_logs=0"]
    if run.ramp:
        words += [f"--ramp_time={round(run.ramp * 1000)}ms"]
    # Files are created and removed as many as planned, however long it takes.
    if run.operations[0] not in ("file-create", "file-remove"):
        words += [f"--runtime={round(run.seconds * 1000)}ms"]
    return [*words, *run.options]


def _transfers(run: Run) -> list[str]:
    operation = run.operations[0]
    words = [f"--rw={_PATTERN[operation]}", f"--bs={run.transfer_size}", f"--size={run.file_size}"]
    # A second pass over a file would be served from the page cache, or overwrite data that never reached the device.
    # So buffered sequential transfers move each byte once; all others repeat until the time is over.
    if run.device or run.direct_io or operation.startswith("random"):
        words += ["--time_based"]
    # Without refill_buffers fio repeats one buffer, which looks too fast on devices that compress or deduplicate.
    words += ["--refill_buffers", "--norandommap", "--randrepeat=0"]
    if run.device:
        # Each thread has its own part of the device. A run of writes ends with a flush, which its time includes.
        words += ["--ioengine=nbd", f"--uri={run.device}", f"--iodepth={run.queue_depth}"]
        words += [f"--offset_increment={run.file_size}"]
        return [*words, "--end_fsync=1"] if operation.endswith("write") else words
    if run.queue_depth > 1:
        words += ["--ioengine=libaio", f"--iodepth={run.queue_depth}"]
    else:
        words += ["--ioengine=psync"]
    words += [f"--directory={_list_folders(run)}"]
    if run.file_layout == "shared-file":
        words += ["--filename=shared", f"--offset_increment={run.file_size}"]
    else:
        words += [f"--filename_format={_JOB}$jobnum"]
    if run.writes_per_flush:
        words += [f"--fsync={run.writes_per_flush}"]
    if run.direct_io:
        words += ["--direct=1"]
    elif operation.endswith("write"):
        # Without it, bytes that are still in the page cache count as written.
        words += ["--end_fsync=1"]
    else:
        # By default fio drops the cached pages of its files at the start; the runner does that itself and proves it.
        words += ["--invalidate=0"]
    return words


def _list_folders(run: Run) -> str:
    """Return the folders as fio's option expects them: separated by colons, and dealt out to the jobs in turn."""
    return ":".join(folder.replace(":", "\\:") for folder in run.folders)


def _metadata(run: Run) -> list[str]:
    operation = run.operations[0]
    has_body = operation == "file-create" and run.file_body
    engine, size = ("psync", run.file_body) if has_body else (_ENGINE[operation], 1)
    words = [f"--ioengine={engine}", f"--directory={_list_folders(run)}", f"--nrfiles={_pool(run)}"]
    # With the default selection of files, fio's own cost grows with the square of their number (fio 3.33).
    # The runner creates the files; create_on_open keeps fio from writing and syncing each of them again.
    words += [
        "--openfiles=1",
        "--file_service_type=sequential",
        "--create_on_open=1",
        f"--filesize={size}",
        f"--bs={size}",
    ]
    if has_body:
        # Each file is created, written by one call, and closed, before the next.
        # fsync_on_close would sync each of them twice (fio 3.33).
        syncs = {"each": ["--fsync=1"], "phase": ["--end_fsync=1"]}
        words += ["--rw=write", "--refill_buffers", *syncs.get(run.file_sync, [])]
    return [*words, "--time_based"] if operation == "file-stat" else words
