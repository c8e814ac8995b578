"""IOR: transfers from MPI ranks, into one shared file or a file for each rank.

Source: IOR 3.3.0 and 4.0.0 (the flags used here mean the same in both).
"""

from coldcache.tools.ior.parse import printed_version, read, recognise
from coldcache.tools.ior.stamp import read_stamp
from coldcache.tools.launchers import MODEL, list_hosts, start_local_ranks
from coldcache.tools.programs import Program, ask_mpi_version
from coldcache.tools.protocols import Traits
from coldcache.tools.run import NO_INPUTS, Inputs, Run

__all__ = [
    "TRAITS", "argv", "files", "inputs", "place", "printed_version", "read", "read_stamp", "recognise", "separate",
    "unfit", "version",
]  # fmt: skip

#: The option that asks for an operation.
_TEST = {"write": "-w", "read": "-r"}

TRAITS = Traits(
    program=Program("ior"),
    overhead_seconds=1.0,
    is_mpi=True,
    starts_processes=True,
    test_words=_TEST,
    refused_options=("-f", "-o", "-O"),
    durable_words=("-e", "-Y"),
    tick_seconds=1e-6,
)

#: The file that the ranks share, or the prefix of their files' names.
FILE = "tst.file"


def version() -> str | None:
    """Return IOR's version, None where only its logs state it; raises `ToolError` if it or mpirun does not answer."""
    return ask_mpi_version(TRAITS.program, "--version", r"IOR-(\S+)")


def separate(operations: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the operations in groups, each measured by one execution: each alone, so that each read starts cold."""
    return [(operation,) for operation in operations]


def unfit(run: Run) -> str | None:
    """Return what of a run IOR cannot do; None if it can do all."""
    unknown = [operation for operation in run.operations if operation not in _TEST]
    if unknown:
        return f"does not measure {unknown[0]}"
    if run.nodes > 1 and not run.launcher and not run.starter:
        return "runs on one node"
    if run.queue_depth > 1:
        return "keeps one transfer in flight per thread"
    if run.writes_per_flush:
        return "flushes at the end alone"
    if run.direct_io and not run.command:
        # -B in 3.x, --posix.odirect in 4.x.
        return "passes the page cache by an option that differs by version; state its command"
    return "drives no block device" if run.device else None


def inputs(run: Run) -> Inputs:
    """Return the files that must exist before the run."""
    if run.operations == ("write",):
        return NO_INPUTS
    if run.file_layout == "shared-file":
        return Inputs(((FILE,),), run.file_size * run.threads)
    return Inputs(tuple((f"{FILE}.{rank:08d}",) for rank in range(run.threads)), run.file_size)


def argv(run: Run) -> list[str]:
    """Return the command line of one run."""
    # IOR removes a file before it writes it; recreated, it would lie elsewhere than the model has dealt it out.
    keeps = ["-E"] if run.starter == MODEL and run.operations == ("write",) else []
    if run.command:
        return [*run.command, *keeps]
    words = [*(run.launcher or place(run)), TRAITS.program.name]
    # -e includes fsync: without it, pages in the client's cache count as written. -k keeps the file.
    # IOR deals files that are separated by @ out to the ranks in turn; a shared file is the first client's.
    folders = run.folders if run.file_layout == "file-per-thread" else (run.directory,)
    words += ["-a", "POSIX", "-v", "-i", "1", "-e", "-k", "-o", "@".join(f"{folder}/{FILE}" for folder in folders)]
    words += [_TEST[run.operations[0]], "-s", "1", "-t", str(run.transfer_size), "-b", str(run.file_size)]
    if run.file_layout == "file-per-thread":
        words += ["-F"]
    return [*words, *keeps, *run.options]


def place(run: Run) -> tuple[str, ...]:
    """Return the words that start the ranks on this machine."""
    return start_local_ranks(run.threads)


def files(run: Run) -> dict[str, str]:
    """Return the file of hosts that mpirun reads."""
    return list_hosts(run)
