"""What a tool and a reader of logs must offer; each is a module, and mypy checks it against these protocols."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from coldcache.core.records import Record
from coldcache.core.stamp import Stamp
from coldcache.tools.programs import Program
from coldcache.tools.run import Inputs, Run


@dataclass(frozen=True, slots=True)
class Server:
    """A server that a tool needs on each node of a run.

    Attributes
    ----------
    command : str
        The shell command that starts it; it must listen on the node's own name.
    port : int
        The port on which it listens.
    """

    command: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """Facts about a tool that planning, measuring and judging need.

    Attributes
    ----------
    program : Program
        What is started.
    overhead_seconds : float
        Time of one run outside the measured interval: start, end and fixed sleeps, in s.
    is_mpi : bool
        Whether its processes are ranks of MPI.
    starts_processes : bool
        Whether it, or MPI for it, starts its processes on other nodes by a command, without servers.
    is_time_bound : bool
        Whether random transfers run for `Run.seconds`; other tools move each byte once.
    repeats_itself : bool
        Whether one execution makes all iterations of a sweep.
    phases : int
        Operations that one execution of a study's own command line makes, whether it measures them or not; 0 where
        they are those that it measures.
    makes_directories : bool
        Whether it spreads files over directories, as ``items_per_directory`` asks.
    states_version : bool
        Whether its logs state the version exactly as `Tool.version` returns it.
    series_logs : str or None
        Glob pattern of the logs of rates over time that it writes into the run's directory; None if it writes none.
    server : Server or None
        What must run on each node before a run on several nodes; None for tools without servers.
    test_words : mapping of str to str
        What ``{test}`` stands for in a study's command line, by operation.
    refused_options : tuple of str
        Prefixes of options that run other programs or use files outside the target.
    has_long_options : bool
        Whether each option starts with two hyphens and may be shortened to any unique prefix.
    starts_in_target : bool
        Whether it starts in the run's directory, so that its words name files there without a path.
    joins_outputs : bool
        Whether ``stdout.txt`` gets standard error, too, as on a terminal.
    log : str
        The file in a trial's folder that states the figures.
    keeps : tuple of str
        Glob patterns of files in the run's directory that belong to the trial's folder once it has ended.
    exit_codes : tuple of int
        Exit statuses that count as success.
    durable_words : tuple of str
        Words of its command line by which writes are on storage when it ends, past the caches of this machine; one
        that ends with ``=`` takes any value.
    starts : mapping of str to int
        How many times its processes start for an operation, where a test has several phases; else once.
    tick_seconds : float or None
        The finest step of the clock from which it computes rates, in s; None if unknown.
    """

    program: Program
    overhead_seconds: float
    is_mpi: bool = False
    starts_processes: bool = False
    is_time_bound: bool = False
    repeats_itself: bool = False
    phases: int = 0
    makes_directories: bool = False
    states_version: bool = False
    series_logs: str | None = None
    server: Server | None = None
    test_words: Mapping[str, str] = field(default_factory=dict)
    refused_options: tuple[str, ...] = ()
    has_long_options: bool = False
    starts_in_target: bool = False
    joins_outputs: bool = False
    log: str = "stdout.txt"
    keeps: tuple[str, ...] = ()
    exit_codes: tuple[int, ...] = (0,)
    durable_words: tuple[str, ...] = ()
    starts: Mapping[str, int] = field(default_factory=dict)
    tick_seconds: float | None = None


class LogReader(Protocol):
    """A module that reads one kind of log.

    One that also has ``WORDS``, a tuple of bytes, is not asked about logs that hold none of them, unless the log begins
    with a number.
    """

    #: Name of the tool in campaigns that import its logs.
    TOOL: str

    def recognise(self, log: bytes) -> bool:
        """Return whether the log looks like this tool's, by a cheap look at its content."""

    def read(self, log: bytes) -> Sequence[Record]:
        """Return every value that the log states, in the order of the log.

        Raises
        ------
        LogError
            If the log is damaged, unfinished, or of a version that cannot be trusted. A reader never returns a part.
        """


@runtime_checkable
class NamedLogReader(LogReader, Protocol):
    """A module that reads logs whose meaning depends on the file's name."""

    def read_named(self, log: bytes, name: str) -> Sequence[Record]:
        """Return every value of a log called `name`; raises `LogError` as `LogReader.read`."""


@runtime_checkable
class Harness(LogReader, Protocol):
    """A module that reads the log of a harness, which quotes figures of the tools that it ran.

    The records of a phase have its name as the factor ``phase``.
    """

    #: The tools whose figures it quotes.
    QUOTED_TOOLS: tuple[str, ...]

    def name_sources(self, record: Record) -> tuple[str, ...]:
        """Return how the log that a figure was quoted from may be named, in the folder of the harness's own."""


class Tool(Protocol):
    """A module that runs trials and reads their logs."""

    TRAITS: Traits

    def version(self) -> str | None:
        """Return the installed version, None if only logs state it; raises `ToolError` if the tool does not answer."""

    def printed_version(self, log: bytes) -> str | None:
        """Return the version that a log states; None if it states none, or if `version` always knows it."""

    def separate(self, operations: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Return the operations in groups, each measured by one execution."""

    def unfit(self, run: Run) -> str | None:
        """Return what of a run the tool cannot do, as the end of a sentence; None if it can do all.

        What a tool would silently ignore must be named here, or a level would become a mere label.
        """

    def inputs(self, run: Run) -> Inputs:
        """Return the files that must exist before the run."""

    def argv(self, run: Run) -> list[str]:
        """Return the command line of a run."""

    def place(self, run: Run) -> tuple[str, ...]:
        """Return what ``{launcher}`` stands for in a study's command line if the site states no launcher."""

    def files(self, run: Run) -> dict[str, str]:
        """Return the files that a run on several nodes needs in its trial's folder, by name."""

    def read_stamp(self, log: bytes) -> Stamp:
        """Return when and where a log was written, as far as it says so."""

    def read(self, log: bytes) -> Sequence[Record]:
        """Return every value of a run's log; raises `LogError` as `LogReader.read`."""
