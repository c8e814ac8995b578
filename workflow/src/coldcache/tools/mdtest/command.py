"""mdtest: create, stat and remove files from MPI ranks, with a barrier before each phase.

Source: mdtest 1.9.3 to 4.0 (the flags used here mean the same in all of them).
"""

from coldcache.core.vocabulary import METADATA_OPERATIONS
from coldcache.tools.launchers import list_hosts, start_local_ranks
from coldcache.tools.mdtest.parse import printed_version, read, recognise
from coldcache.tools.mdtest.stamp import read_stamp
from coldcache.tools.programs import Program, ask_mpi_version
from coldcache.tools.protocols import Traits
from coldcache.tools.run import NO_INPUTS, Inputs, Run

__all__ = [
    "TRAITS", "argv", "files", "inputs", "place", "printed_version", "read", "read_stamp", "recognise", "separate",
    "unfit", "version",
]  # fmt: skip

TRAITS = Traits(
    program=Program("mdtest"),
    overhead_seconds=1.0,
    is_mpi=True,
    starts_processes=True,
    repeats_itself=True,
    phases=4,
    makes_directories=True,
    refused_options=("-d", "-x"),
    tick_seconds=1e-6,
)

_PHASE = {"create": "-C", "stat": "-T", "read": "-E", "remove": "-r"}
_KIND = {"file": "-F", "directory": "-D"}


def version() -> str | None:
    """Return the version, None where only logs state it; raises `ToolError` if mdtest or mpirun does not answer."""
    return ask_mpi_version(TRAITS.program, "-h", r"mdtest-(\S+)")


def separate(operations: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the operations in groups, each measured by one execution: all on files, and all on directories."""
    kinds = dict.fromkeys(operation.partition("-")[0] for operation in operations)
    return [tuple(operation for operation in operations if operation.startswith(f"{kind}-")) for kind in kinds]


def unfit(run: Run) -> str | None:
    """Return what of a run mdtest cannot do; None if it can do all."""
    unknown = [operation for operation in run.operations if operation not in METADATA_OPERATIONS]
    if unknown:
        return f"does not measure {unknown[0]}"
    if run.file_sync == "each" and not run.file_body:
        # Version 1.9.3 does, from 3.2.1 on it does not.
        return "syncs no files without bytes: state file_body"
    return "runs on one node" if run.nodes > 1 and not (run.launcher or run.starter) else None


def inputs(run: Run) -> Inputs:
    """Return the files that must exist before the run: none, mdtest makes its own."""
    return NO_INPUTS


def argv(run: Run) -> list[str]:
    """Return the command line of one run: each rank works in a directory of its own (``-u``)."""
    if run.command:
        return list(run.command)
    words = [*(run.launcher or place(run)), TRAITS.program.name]
    words += [_KIND[run.operations[0].partition("-")[0]], "-u"]
    words += [_PHASE[operation.partition("-")[2]] for operation in run.operations]
    if run.items_per_directory:
        words += ["-b", str(run.directories_per_thread), "-z", "1", "-L", "-I", str(run.items_per_directory)]
    else:
        words += ["-n", str(run.files)]
    if run.file_body:
        # A plain number: 1.9.3 takes 4K for four bytes.
        words += ["-w", str(run.file_body), "-e", str(run.file_body)]
    words += {"each": ["-y"], "phase": ["-Y"]}.get(run.file_sync, [])
    # mdtest deals folders that are separated by @ out to the ranks in turn.
    return [*words, "-d", "@".join(f"{folder}/mdtest" for folder in run.folders), *run.options]


def place(run: Run) -> tuple[str, ...]:
    """Return the words that start the ranks on this machine."""
    return start_local_ranks(run.threads)


def files(run: Run) -> dict[str, str]:
    """Return the file of hosts that mpirun reads."""
    return list_hosts(run)
