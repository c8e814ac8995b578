"""mdtest: create, stat and remove files from MPI ranks, with a barrier before each phase.

Source: mdtest 1.9.3 to 4.0 (the flags used here mean the same in all of them).
"""

from coldcache.errors import ToolError
from coldcache.tools.mdtest_read import read, recognise
from coldcache.tools.program import ask_version, require
from coldcache.tools.run import NO_INPUTS, Inputs, Run

__all__ = ["PROGRAM", "argv", "inputs", "read", "recognise", "separate", "unfit", "version"]

PROGRAM = "mdtest"

_PHASE = {"file-create": "-C", "file-stat": "-T", "file-remove": "-r"}


def version() -> str:
    """Return mdtest's version; raises `ToolError` if it, or mpirun, is missing or does not answer."""
    require("mpirun")
    try:
        return ask_version(PROGRAM, "-h", r"mdtest-(\S+)")
    except ToolError:
        return ask_version(PROGRAM, "-h", r"(?i)usage: \S*(mdtest)")


def separate(operations: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the operations in groups that one execution measures: all, as phases of one run."""
    return [tuple(operations)]


def unfit(run: Run) -> str:
    """Return what of a run mdtest cannot do; empty where it can do all."""
    unknown = [operation for operation in run.operations if operation not in _PHASE]
    if unknown:
        return f"does not measure {unknown[0]}"
    return "runs on one node" if run.nodes > 1 else ""


def inputs(run: Run) -> Inputs:
    """Return the files that must exist before the run: none, mdtest makes its own."""
    return NO_INPUTS


def argv(run: Run) -> list[str]:
    """Return the command line of one run: each rank works in a directory of its own (``-u``)."""
    words = ["mpirun", "--oversubscribe", "-n", str(run.threads), PROGRAM, "-F", "-u"]
    words += [_PHASE[operation] for operation in run.operations]
    return [*words, "-n", str(run.files), "-d", f"{run.directory}/mdtest", *run.options]
