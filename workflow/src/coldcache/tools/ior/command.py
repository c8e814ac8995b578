"""IOR: transfers from MPI ranks, into one shared file or a file for each rank.

Source: IOR 3.3.0 and 4.0.0 (the flags used here mean the same in both).
"""

from coldcache.core.errors import ToolError
from coldcache.tools.ior.parse import printed_version, read, recognise
from coldcache.tools.programs import ask_version, require
from coldcache.tools.run import NO_INPUTS, Inputs, Run

__all__ = ["PROGRAM", "TEST", "argv", "inputs", "printed_version", "read", "recognise", "separate", "unfit", "version"]

PROGRAM = "ior"

#: The file that the ranks share, or the beginning of their files' names.
FILE = "tst.file"

#: The option that asks for an operation.
TEST = {"write": "-w", "read": "-r"}


def version() -> str | None:
    """Return IOR's version, None where only its logs state it; raises `ToolError` if it or mpirun does not answer."""
    require("mpirun")
    try:
        return ask_version(PROGRAM, "--version", r"IOR-(\S+)")
    except ToolError:
        # Its help tells it from another program of that name.
        ask_version(PROGRAM, "-h", r"(?i)(?:usage:|synopsis) \S*(ior)")
        return None


def separate(operations: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the operations in groups that one execution measures: each alone, so that each read starts cold."""
    return [(operation,) for operation in operations]


def unfit(run: Run) -> str:
    """Return what of a run IOR cannot do; empty where it can do all."""
    unknown = [operation for operation in run.operations if operation not in TEST]
    if unknown:
        return f"does not measure {unknown[0]}"
    if run.nodes > 1 and not run.launcher and not run.starter:
        return "runs on one node"
    if run.queue_depth > 1:
        return "keeps one transfer in flight per thread"
    if run.direct_io and not run.command:
        # -B in 3.x, --posix.odirect in 4.x.
        return "passes the page cache by an option that differs by version; state its command"
    return "drives no block device" if run.device else ""


def inputs(run: Run) -> Inputs:
    """Return the files that must exist before the run."""
    if run.operations == ("write",):
        return NO_INPUTS
    if run.file_layout == "shared-file":
        return Inputs(((FILE,),), run.file_size * run.threads)
    return Inputs(tuple((f"{FILE}.{rank:08d}",) for rank in range(run.threads)), run.file_size)


def argv(run: Run) -> list[str]:
    """Return the command line of one run."""
    if run.command:
        return list(run.command)
    words = [*(run.launcher or ("mpirun", "--oversubscribe", "-n", str(run.threads))), PROGRAM]
    # -e counts fsync: without it pages still in the client's cache count as written. -k keeps the file.
    words += ["-a", "POSIX", "-v", "-i", "1", "-e", "-k", "-o", f"{run.directory}/{FILE}"]
    words += [TEST[run.operations[0]], "-s", "1", "-t", str(run.transfer_size), "-b", str(run.file_size)]
    if run.file_layout == "file-per-thread":
        words += ["-F"]
    return [*words, *run.options]
