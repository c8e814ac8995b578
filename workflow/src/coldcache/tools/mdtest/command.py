"""mdtest: create, stat and remove files from MPI ranks, with a barrier before each phase.

Source: mdtest 1.9.3 to 4.0 (the flags used here mean the same in all of them).
"""

from coldcache.core.errors import ToolError
from coldcache.core.vocabulary import METADATA_OPERATIONS
from coldcache.tools.mdtest.parse import printed_version, read, recognise
from coldcache.tools.programs import ask_version, require
from coldcache.tools.run import NO_INPUTS, Inputs, Run

__all__ = ["PROGRAM", "argv", "inputs", "printed_version", "read", "recognise", "separate", "unfit", "version"]

PROGRAM = "mdtest"

_PHASE = {"create": "-C", "stat": "-T", "read": "-E", "remove": "-r"}
_KIND = {"file": "-F", "directory": "-D"}

#: What mdtest starts its ranks with on one node.
LAUNCHER = ("mpirun", "--oversubscribe", "-n", "{threads}")


def version() -> str | None:
    """Return the version, None where only logs state it; raises `ToolError` if mdtest or mpirun does not answer."""
    require("mpirun")
    try:
        return ask_version(PROGRAM, "-h", r"mdtest-(\S+)")
    except ToolError:
        # Its help tells it from another program of that name.
        ask_version(PROGRAM, "-h", r"(?i)(?:usage:|synopsis) \S*(mdtest)")
        return None


def separate(operations: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the operations in groups that one execution measures: all of a kind, as phases of one run."""
    kinds = dict.fromkeys(operation.partition("-")[0] for operation in operations)
    return [tuple(operation for operation in operations if operation.startswith(f"{kind}-")) for kind in kinds]


def unfit(run: Run) -> str:
    """Return what of a run mdtest cannot do; empty where it can do all."""
    unknown = [operation for operation in run.operations if operation not in METADATA_OPERATIONS]
    if unknown:
        return f"does not measure {unknown[0]}"
    return "runs on one node" if run.nodes > 1 and not (run.launcher or run.starter) else ""


def inputs(run: Run) -> Inputs:
    """Return the files that must exist before the run: none, mdtest makes its own."""
    return NO_INPUTS


def argv(run: Run) -> list[str]:
    """Return the command line of one run: each rank works in a directory of its own (``-u``)."""
    if run.command:
        return list(run.command)
    words = [*(run.launcher or (word.format(threads=run.threads) for word in LAUNCHER)), PROGRAM]
    words += [_KIND[run.operations[0].partition("-")[0]], "-u"]
    words += [_PHASE[operation.partition("-")[2]] for operation in run.operations]
    if run.items_per_directory:
        words += ["-b", str(run.directories_per_thread), "-z", "1", "-L", "-I", str(run.items_per_directory)]
    else:
        words += ["-n", str(run.files)]
    return [*words, "-d", f"{run.directory}/mdtest", *run.options]
