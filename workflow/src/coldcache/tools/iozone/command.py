"""IOzone in throughput mode: one process per thread, each with a file of its own.

Source: IOzone 3.489, ``iozone -h`` and its documentation of throughput mode (``-t``).
"""

from coldcache.tools.iozone.parse import read, recognise
from coldcache.tools.iozone.stamp import read_stamp
from coldcache.tools.launchers import CLIENTS, deal_out, name_addresses
from coldcache.tools.programs import Program
from coldcache.tools.protocols import Traits
from coldcache.tools.run import NO_INPUTS, Inputs, Run

__all__ = [
    "TRAITS", "argv", "files", "inputs", "place", "printed_version", "read", "read_stamp", "recognise", "separate",
    "unfit", "version",
]  # fmt: skip

_KIBIBYTE = 1024

#: The number of each operation's test, as option -i takes it.
_TEST = {"write": "0", "read": "1", "random-write": "2", "random-read": "2"}

TRAITS = Traits(
    program=Program("iozone", "iozone3"),
    # IOzone 3.489 sleeps for fixed times.
    overhead_seconds=5.0,
    starts_processes=True,
    states_version=True,
    test_words=_TEST,
    refused_options=("-f", "-F", "-b", "-+m"),
    durable_words=("-e", "-o", "-I"),
    # Its random test reads and then writes, each with processes of its own.
    starts={"random-write": 2, "random-read": 2},
    tick_seconds=1e-6,
)


def version() -> str:
    """Return IOzone's version; raises `ToolError` if it is missing or does not answer."""
    return TRAITS.program.ask_version("-v", r"Version \$Revision: (\S+) \$")


def printed_version(log: bytes) -> None:
    """Return None: `version` always knows the version."""


def separate(operations: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Return the operations in groups that one execution measures: each alone, so that each read starts cold.

    Random writes and reads are one test of IOzone and share a log.
    """
    both = tuple(operation for operation in operations if operation.startswith("random"))
    if len(both) < 2:
        return [(operation,) for operation in operations]
    return [*((operation,) for operation in operations if operation not in both), both]


def unfit(run: Run) -> str | None:
    """Return what of a run IOzone cannot do; None if it can do all."""
    unknown = [operation for operation in run.operations if operation not in _TEST]
    if unknown:
        return f"does not measure {unknown[0]}"
    if run.nodes > 1 and not run.launcher and not run.starter:
        return "runs on one node"
    if run.file_layout != "file-per-thread":
        return f"knows no {run.file_layout}"
    if run.queue_depth > 1:
        return "keeps one transfer in flight per thread"
    if run.writes_per_flush:
        return "flushes at the end alone"
    if run.device:
        return "drives no block device"
    if run.transfer_size % _KIBIBYTE or run.file_size % _KIBIBYTE:
        return "counts sizes in KiB"
    return None


def inputs(run: Run) -> Inputs:
    """Return the files that must exist before the run."""
    if run.operations == ("write",):
        return NO_INPUTS
    # In cluster mode IOzone names the files itself.
    name = "iozone.DUMMY." if _is_cluster(run) else "t"
    return Inputs(tuple((f"{name}{thread}",) for thread in range(run.threads)), run.file_size)


def argv(run: Run) -> list[str]:
    """Return the command line of one run, its sizes in KiB as IOzone counts them."""
    if run.command:
        return list(run.command)
    words = [TRAITS.program.name, "-i", _TEST[run.operations[0]]]
    # -c and -e include close and fsync; without them, pages in the client's cache count as written.
    # -w keeps the files; -+n measures no rewrite and no reread.
    words += ["-c", "-e", "-w", "-+n"]
    words += [
        "-r",
        f"{run.transfer_size // _KIBIBYTE}k",
        "-s",
        f"{run.file_size // _KIBIBYTE}k",
        "-t",
        str(run.threads),
    ]
    if run.direct_io:
        words += ["-I"]
    words += list(run.options)
    # In cluster mode (-+m) the list of clients names each process's folder.
    return [*words, *(run.launcher or place(run))]


def place(run: Run) -> tuple[str, ...]:
    """Return the words that name the file of each thread on one node, or the list of clients on several."""
    if _is_cluster(run):
        return ("-+m", CLIENTS)
    folders = run.folders
    return ("-F", *(f"{folders[thread % len(folders)]}/t{thread}" for thread in range(run.threads)))


def _is_cluster(run: Run) -> bool:
    return run.nodes > 1 and bool(run.starter)


def files(run: Run) -> dict[str, str]:
    """Return the list of clients: one line per thread, dealt out to the nodes in turn."""
    program = TRAITS.program.require()
    addresses = name_addresses(run)
    nodes = {thread: addresses[host] for host, own in deal_out(run.threads, run.hosts).items() for thread in own}
    return {CLIENTS: "".join(f"{nodes[thread]} {run.directory} {program}\n" for thread in range(run.threads))}
