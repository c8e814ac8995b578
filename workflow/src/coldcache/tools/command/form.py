"""What a study states of a command: its words, the patterns that find its figures, and what counts as success."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from coldcache.core.records import UNIT_OF_METRIC
from coldcache.core.units import UNITS

#: The unit of a pattern whose expression has a group called ``unit``: the log states the unit of each figure.
PRINTED = "printed"

#: The log that holds standard output and standard error as they came, as on a terminal.
OUTPUT = "output"

_PER_SECOND = {
    f"{prefix}{name}": 1000.0**power
    for power, prefix in enumerate(("", "k", "M"))
    for name in ("1/s", "/s", "ops/s", "IOPS")
}
_DURATIONS = {**UNITS["s"], "us": 1e-6, "µs": 1e-6, "ns": 1e-9, "msec": 1e-3, "usec": 1e-6, "nsec": 1e-9, "sec": 1.0}

#: The value of each unit that a pattern may state in the stored unit, by the stored unit.
KNOWN_UNITS: Mapping[str, Mapping[str, float]] = {
    "B/s": UNITS["B/s"],
    "1/s": _PER_SECOND,
    "s": _DURATIONS,
    "1": {"1": 1.0},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FigurePattern:
    """How a figure is found in a log. One of `regex`, `path` and `column` says where.

    Attributes
    ----------
    name : str
        The pattern's name in the study, which messages and reports show.
    operations : tuple of str
        What the figure is of: the one of these that the run measures.
    metric : str
        A key of `UNIT_OF_METRIC`.
    unit : str
        In which the log states it, or `PRINTED`.
    statistic : str
        ``value``, ``mean``, ``max``, ``min``, ``stddev`` or a percentile such as ``p99``.
    take : str
        Which of several figures counts: ``only`` refuses a log with several, else ``first`` or ``last``.
    regex : str
        A regular expression with a group, which is the number.
    path : str
        The path of a number in JSON, such as ``jobs[0].read.bw``.
    column : str
        The heading of a column of CSV.
    rows : mapping of str to str
        Cells that a row must have, by heading: other rows are left out.
    """

    name: str
    operations: tuple[str, ...]
    metric: str
    unit: str
    statistic: str = "value"
    take: str = "only"
    regex: str = ""
    path: str = ""
    column: str = ""
    rows: Mapping[str, str] = field(default_factory=dict)

    @property
    def where(self) -> str:
        """What the pattern looks for, as messages show it."""
        return self.regex or self.path or self.column

    @property
    def units(self) -> Mapping[str, float]:
        """The value of each unit that the pattern may state, in the stored unit of its metric."""
        return KNOWN_UNITS[UNIT_OF_METRIC[self.metric]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandForm:
    """A command as a sweep states it.

    Attributes
    ----------
    words : tuple of str
        Its words, with variables in braces; the first is the program.
    patterns : tuple of FigurePattern
        Where its figures are.
    log : str
        Where they are looked for: `OUTPUT`, ``stdout``, ``stderr``, or a file that the command writes.
    keep : tuple of str
        Glob patterns of further files of the command to keep with the log.
    exit_codes : tuple of int
        Exit statuses that count as success.
    text : tuple of str
        Texts that the log of a success has.
    version : str
        The argument that makes the program print its version; empty if it is not to be asked.
    inputs : str
        Name of each thread's file, ``{thread}`` being its number; a name without it is one file of all threads.
    reads_inputs : bool
        Whether such files must exist before operations other than ``write``.
    is_time_bound : bool
        Whether the command says how long it runs.
    runs_each : bool
        Whether each operation has an execution of its own.
    """

    words: tuple[str, ...]
    patterns: tuple[FigurePattern, ...]
    log: str = OUTPUT
    keep: tuple[str, ...] = ()
    exit_codes: tuple[int, ...] = (0,)
    text: tuple[str, ...] = ()
    version: str = ""
    inputs: str = "t{thread}"
    reads_inputs: bool = False
    is_time_bound: bool = False
    runs_each: bool = True

    @property
    def program(self) -> str:
        """The program that is started."""
        return self.words[0]

    @property
    def log_name(self) -> str:
        """The name of the log in a trial's folder."""
        return {OUTPUT: "stdout.txt", "stdout": "stdout.txt", "stderr": "stderr.txt"}.get(self.log, self.log)

    def name_inputs(self, threads: int) -> tuple[str, ...]:
        """Return the names of the files that `threads` threads read or write."""
        return tuple(dict.fromkeys(self.inputs.replace("{thread}", str(thread)) for thread in range(threads)))
