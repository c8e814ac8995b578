"""IOzone in throughput mode: one process per thread, each with a file of its own.

Source: IOzone 3.489, ``iozone -h`` and its documentation of throughput mode (``-t``).
"""

from coldcache.tools.iozone_read import read, recognise
from coldcache.tools.program import ask_version
from coldcache.tools.run import NO_INPUTS, Inputs, Run

__all__ = ["PROGRAM", "argv", "inputs", "read", "recognise", "separate", "version"]

PROGRAM = "iozone"

_TEST = {"write": "0", "read": "1", "random-write": "2", "random-read": "2"}


def version() -> str:
    """Return IOzone's version; raises `ToolError` if it is missing or does not answer."""
    return ask_version(PROGRAM, "-v", r"Version \$Revision: (\S+) \$")


def separate(operations: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the operations in groups that one execution measures: each alone, so that each read starts cold."""
    return [(operation,) for operation in operations]


def inputs(run: Run) -> Inputs:
    """Return the files that must exist before the run."""
    if run.operations == ("write",):
        return NO_INPUTS
    return Inputs(tuple((f"t{thread}",) for thread in range(run.threads)), run.file_size)


def argv(run: Run) -> list[str]:
    """Return the command line of one run, its sizes in KiB as IOzone counts them."""
    words = [PROGRAM, "-i", _TEST[run.operations[0]]]
    # -c and -e count close and fsync; without them IOzone counts pages still in the client's cache as written.
    # -w keeps the files; -+n measures no rewrite and no reread.
    words += ["-c", "-e", "-w", "-+n"]
    words += ["-r", f"{run.transfer_size // 1024}k", "-s", f"{run.file_size // 1024}k", "-t", str(run.threads)]
    if run.direct_io:
        words += ["-I"]
    words += list(run.options)
    return [*words, "-F", *(f"{run.directory}/t{thread}" for thread in range(run.threads))]
