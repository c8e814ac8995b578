"""A command of a study as a tool: how it is started, and what its log says."""

from coldcache.core.errors import LogError
from coldcache.core.records import UNIT_OF_METRIC, Record
from coldcache.core.stamp import Stamp
from coldcache.tools.command.form import OUTPUT, PRINTED, CommandForm, FigurePattern
from coldcache.tools.command.locate import LocatedFigure, find_places, parse_number
from coldcache.tools.lines import name_line
from coldcache.tools.programs import Program
from coldcache.tools.protocols import Traits
from coldcache.tools.run import NO_INPUTS, Inputs, Run

#: The name by which studies ask for it.
NAME = "command"

_VERSION = r"\b[vV]?([0-9]+(?:\.[0-9A-Za-z]+)+(?:[-+~][\w.+~-]*)?)"


class CommandTool:
    """A command as a `protocols.Tool`.

    Parameters
    ----------
    form : CommandForm
        What the sweep states.
    name : str
        The tool's name in records.
    operations : tuple of str
        What the run measures whose log is read; all that the patterns name if not given.
    """

    def __init__(self, form: CommandForm, name: str, operations: tuple[str, ...] = ()):
        self._form, self._name = form, name
        self._operations = operations
        self.TRAITS = Traits(
            program=Program(form.program),
            overhead_seconds=0.1,
            is_time_bound=form.is_time_bound,
            makes_directories=True,
            starts_in_target=True,
            joins_outputs=form.log == OUTPUT,
            log=form.log_name,
            keeps=form.keep if form.log_name in ("stdout.txt", "stderr.txt") else (form.log_name, *form.keep),
            exit_codes=form.exit_codes,
        )

    def version(self) -> str | None:
        """Return the version that the program prints; None if the study names no argument for it."""
        if self._form.version:
            return self.TRAITS.program.ask_version(self._form.version, _VERSION)
        self.TRAITS.program.require()
        return None

    def printed_version(self, log: bytes) -> None:
        """Return None: a log's version is not looked for."""

    def separate(self, operations: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Return each operation alone if the command names it; else all, which one execution measures."""
        return [(operation,) for operation in operations] if self._form.runs_each else [operations]

    def unfit(self, run: Run) -> str | None:
        """Return what of a run a command cannot do; None if it can do all."""
        if run.nodes > 1:
            return "as a command of a study runs on one node: let factors.nodes be [1]"
        return "as a command of a study drives no block device" if run.device else None

    def inputs(self, run: Run) -> Inputs:
        """Return the files that must exist before the run."""
        if not self._form.reads_inputs or "write" in run.operations or not run.file_size:
            return NO_INPUTS
        names = self._form.name_inputs(run.threads)
        is_shared = len(names) < run.threads
        return Inputs(tuple((name,) for name in names), run.file_size * (run.threads if is_shared else 1))

    def argv(self, run: Run) -> list[str]:
        """Return the words of the study's command, which are filled in already."""
        return list(run.command)

    def place(self, run: Run) -> tuple[str, ...]:
        """Return nothing: a command starts its own processes."""
        return ()

    def files(self, run: Run) -> dict[str, str]:
        """Return nothing: a command runs on one node."""
        return {}

    def read_stamp(self, log: bytes) -> Stamp:
        """Return an empty stamp: the time and the host are not looked for."""
        return Stamp()

    def read(self, log: bytes) -> list[Record]:
        """Return the figure of each pattern.

        Raises
        ------
        LogError
            If the log lacks a text that a success has, or if a pattern finds nothing, several figures, no number, a
            rate of zero or an unknown unit.
        """
        for wanted in self._form.text:
            if wanted.encode() not in log:
                raise LogError(f'"{wanted}" is not in {self._form.log}, which a success states')
        text = log.decode("latin-1")
        found = [self._read_figure(pattern, text) for pattern in self._form.patterns if self._measures(pattern)]
        return sorted(found, key=lambda record: record.offset)

    def _measures(self, pattern: FigurePattern) -> bool:
        return not self._operations or not set(self._operations).isdisjoint(pattern.operations)

    def _read_figure(self, pattern: FigurePattern, text: str) -> Record:
        place = self._choose(pattern, text)
        printed = text[place.offset : place.offset + place.length]
        where = f"{name_line(text, place.offset)}: pattern {pattern.name}"
        number = parse_number(printed.strip())
        if number is None:
            raise LogError(f'{where} finds "{printed[:40]}", which is no number')
        unit = place.unit if pattern.unit == PRINTED else pattern.unit
        if unit not in pattern.units:
            raise LogError(f'{where} finds the unit "{unit[:20]}"; known are {", ".join(pattern.units)}')
        if not number and pattern.metric in ("throughput", "rate") and pattern.statistic == "value":
            raise LogError(f"{where} finds a {pattern.metric} of {printed}: nothing was measured")
        operation = next((name for name in pattern.operations if name in self._operations), pattern.operations[0])
        return Record(
            self._name, None, operation, pattern.metric, pattern.statistic, number * pattern.units[unit],
            UNIT_OF_METRIC[pattern.metric], 0 if pattern.statistic == "value" else None,
            f"what the study's pattern {pattern.name} finds", place.offset, place.length,
            f"{printed} {unit}" if unit != "1" else printed,
        )  # fmt: skip

    def _choose(self, pattern: FigurePattern, text: str) -> LocatedFigure:
        places = find_places(pattern, text)
        if not places:
            raise LogError(f"pattern {pattern.name} finds nothing in {self._form.log}: {pattern.where}")
        if len(places) > 1 and pattern.take == "only":
            lines = ", ".join(name_line(text, place.offset).removeprefix("line ") for place in places[:3])
            more = " …" if len(places) > 3 else ""
            raise LogError(
                f"pattern {pattern.name} finds {len(places)} figures, in lines {lines}{more}: let it find one, or "
                "state take: first or last"
            )
        return places[-1 if pattern.take == "last" else 0]
