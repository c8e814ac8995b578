"""Sweeps of any command: the keys of ``tool: command`` in a study, checked and turned into a `CommandForm`."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.records import UNIT_OF_METRIC
from coldcache.core.vocabulary import FACTORS, FILE_LAYOUTS, OPERATIONS, SET_FACTORS, nearest
from coldcache.core.yaml_models import Strict
from coldcache.design.command_template import list_variables
from coldcache.tools.command.form import KNOWN_UNITS, OUTPUT, PRINTED, CommandForm
from coldcache.tools.command.form import FigurePattern as FigurePattern
from coldcache.tools.command.locate import compile_regex, name_group, split_path

#: Metrics that a pattern may state; the others are those of single processes.
METRICS = ("throughput", "rate", "elapsed", "latency", "count")

#: Variables of a command besides the factors.
COMMAND_VARIABLES = ("folder", "file", "transfers", "total_size", "seconds", "operation")

#: What each variable follows from, besides itself.
_MEANS = {"transfers": ("transfer_size", "file_size"), "total_size": ("file_size", "threads")}

#: Factors whose levels a command can spell in its own way.
_SPELT = tuple(name for name, factor in FACTORS.items() if factor.unit is None and name not in SET_FACTORS)

#: Factors that only words of a command put in force, even at a single level. Direct I/O is none of them: its level also
#: tells the rules of a cold read what words of the program's own do, such as --file-extra-flags=direct.
_IN_WORDS = ("queue_depth", "writes_per_flush", "file_sync", "file_layout")

#: Names in a trial's folder that its runner writes.
_TAKEN = ("trial.json", "stdout.txt", "stderr.txt")

#: Where a word names a path outside the folder in which the command starts, and devices that hold no data.
_OUTSIDE = re.compile(r"(?:^|[^\w.}])[/~]|\.\.")
_HARMLESS = re.compile(r"/dev/(?:zero|null|urandom)(?!\w)")

_FILE = re.compile(r"[\w*?][\w.*?-]*")

_STATISTIC = re.compile(r"value|mean|max|min|stddev|p[0-9]{1,2}(\.[0-9]+)?")


def _refuse_unknown(what: str, known: Sequence[str]) -> BeforeValidator:
    def refuse(given: Any) -> Any:
        if given not in known:
            raise DesignError(f'unknown {what} "{given}"; {nearest(str(given), list(known))}')
        return given

    return BeforeValidator(refuse)


def _as_list(given: Any) -> Any:
    return [given] if isinstance(given, str) else given


Operation = Annotated[str, _refuse_unknown("operation", OPERATIONS), WithJsonSchema({"enum": list(OPERATIONS)})]
Metric = Annotated[str, _refuse_unknown("metric", METRICS), WithJsonSchema({"enum": list(METRICS)})]
TextList = Annotated[
    list[str],
    BeforeValidator(_as_list),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]


class Pattern(Strict):
    """Where the log of a command states a figure, and what the figure is."""

    operation: Annotated[
        list[Operation],
        BeforeValidator(_as_list),
        Field(min_length=1),
        WithJsonSchema({"anyOf": [{"enum": list(OPERATIONS)}, {"type": "array", "items": {"enum": list(OPERATIONS)}}]}),
    ] = Field(description="The operation that the figure is of; several if one pattern serves for each.")
    metric: Metric = Field(description="What the figure is; a rate counts operations, a throughput bytes per second.")
    unit: str = Field(description="In which unit the log states it; printed: the group unit of regex has the unit.")
    statistic: str | None = Field(
        None, description="Value, mean, max, min, stddev or a percentile such as p99; a latency is a mean by default."
    )
    regex: str = Field("", description="A regular expression; its first group, or the one called value, is the number.")
    path: str = Field("", description="The path of a number in JSON, such as jobs[0].read.bw.")
    column: str = Field("", description="The heading of a column in CSV.")
    rows: dict[str, str] = Field(
        default_factory=dict, description="Cells that a row of CSV must have, by heading, such as {operation: WRITE}."
    )
    take: Literal["only", "first", "last"] = Field(
        "only", description="Which of several figures counts; by default a log with several is refused."
    )

    @model_validator(mode="after")
    def _check(self) -> "Pattern":
        ways = [name for name in ("regex", "path", "column") if getattr(self, name)]
        if len(ways) != 1:
            raise DesignError("state one of regex, path (JSON) and column (CSV)")
        if self.rows and not self.column:
            raise DesignError("rows: only a column of CSV has rows")
        units = KNOWN_UNITS[UNIT_OF_METRIC[self.metric]]
        if self.unit != PRINTED and self.unit not in units:
            raise DesignError(f'unit: "{self.unit}" is no unit of {self.metric}; {_hint(self.unit, list(units))}')
        if self.statistic is not None and not _STATISTIC.fullmatch(self.statistic):
            known = "value, mean, max, min, stddev, and percentiles such as p99"
            raise DesignError(f'statistic: unknown "{self.statistic}"; known are {known}')
        if self.regex:
            self._check_regex()
        elif self.unit == PRINTED:
            raise DesignError("unit: printed needs a regex with a group called unit")
        if self.path:
            try:
                split_path(self.path)
            except ValueError as error:
                raise DesignError(f"path: {error}") from error
        return self

    def _check_regex(self) -> None:
        try:
            expression = compile_regex(self.regex)
        except (re.error, RecursionError, OverflowError) as error:
            raise DesignError(f"regex: does not compile: {error}") from error
        if not expression.groups:
            raise DesignError(r"regex: has no group; put the number in parentheses, as in ([0-9.]+) MB/s")
        has_unit = "unit" in expression.groupindex
        if has_unit and name_group(expression) == expression.groupindex["unit"]:
            raise DesignError("regex: its first group is the unit; call the number's group value: (?P<value>[0-9.]+)")
        if (self.unit == PRINTED) != has_unit:
            raise DesignError(
                "unit: printed needs a group called unit, as in (?P<unit>[kMG]?B/s)"
                if self.unit == PRINTED
                else f"unit: {self.unit}, but the regex has a group called unit; state unit: printed"
            )

    def as_form(self, name: str) -> FigurePattern:
        """Return the pattern as tools use it."""
        return FigurePattern(
            name=name, operations=tuple(self.operation), metric=self.metric, unit=self.unit,
            statistic=self.statistic or ("mean" if self.metric == "latency" else "value"), take=self.take,
            regex=self.regex, path=self.path, column=self.column, rows=self.rows,
        )  # fmt: skip


def _hint(unit: str, known: list[str]) -> str:
    """Return the units that may be meant: those that differ in case first."""
    alike = [name for name in known if name.lower() == unit.lower()]
    return f'did you mean "{alike[0]}"?' if alike else f"known are {', '.join(known)}"


class Success(Strict):
    """What counts as success of a command."""

    exit_codes: list[Annotated[int, Field(ge=0, le=255)]] = Field(
        default=[0], min_length=1, description="Exit statuses of a success."
    )
    text: TextList = Field(default=[], description="Texts that the log of a success has.")


def check_command_sweep(sweep: Any) -> None:
    """Raise `DesignError` for a sweep of a command that cannot run or be read as written.

    Parameters
    ----------
    sweep : Sweep
        Whose only tool is ``command``.
    """
    if not sweep.command:
        raise DesignError("command: is required, such as dd if=/dev/zero of={file} bs={transfer_size}")
    for key, why in (("options", "write them into command"), ("series", "only fio notes rates over time")):
        if getattr(sweep, key):
            raise DesignError(f"{key}: not for tool: command; {why}")
    if sweep.iterations != 1:
        raise DesignError("iterations: not for tool: command; state repetitions")
    if not sweep.patterns:
        raise DesignError("patterns: is required: what the command's log says, each with operation, metric and unit")
    words = split_words(next(iter(sweep.command.values())))
    named = _check_words(words, sweep)
    _check_spellings(sweep, named)
    _check_operations(sweep, named)
    _check_files(sweep, named)


def _refuse_outside(where: str, word: str) -> None:
    if _OUTSIDE.search(_HARMLESS.sub("", word)):
        raise DesignError(
            f'{where}: "{word}" names a path outside the trial\'s folder; {{folder}} and {{file}} lie in it'
        )


def split_words(command: str) -> tuple[str, ...]:
    """Return the words of a command as a shell splits them, without running one; raises `DesignError` for none."""
    try:
        words = tuple(shlex.split(command))
    except ValueError as error:
        raise DesignError(f"command: {str(error).lower()}: quotes come in pairs") from error
    if not words:
        raise DesignError("command: is empty")
    return words


def _check_words(words: tuple[str, ...], sweep: Any) -> set[str]:
    """Return the variables of a command; raise `DesignError` for paths, shells' signs and what is no variable."""
    program = words[0]
    if "/" in program or "{" in program:
        raise DesignError(f'command: "{program}" is no name of a program; name it alone and put its folder on PATH')
    for word in words:
        if word in ("|", "||", "&&", "&", ";", ">", ">>", "<", "2>", "2>&1"):
            raise DesignError(
                f'command: no shell reads it, so "{word}" would be a word for {program}; put a script on PATH'
            )
        _refuse_outside("command", word)
    known = [*COMMAND_VARIABLES, *(factor for factor in sweep.factors if factor not in SET_FACTORS)]
    named = list_variables("command", words)
    for name in named:
        if name not in known:
            raise DesignError(f'command: unknown variable "{name}"; {nearest(name, known)}')
        for factor in _MEANS.get(name, ()):
            if factor not in sweep.factors:
                raise DesignError(f"command: {{{name}}} needs the factor {factor}")
    told = named | {factor for name in named for factor in _MEANS.get(name, ())}
    for factor, levels in sweep.factors.items():
        varies = not (isinstance(levels, list) and len(levels) == 1) and factor not in SET_FACTORS
        # What is laid out before the run varies without a word of the command.
        if varies and factor not in told and not (factor == "file_size" and reads_inputs(sweep, named)):
            raise DesignError(f"command: {{{factor}}} is missing, so its levels would be mere labels")
    return named


def refuse_labels(sweep: Any) -> None:
    """Refuse single levels that only words of the command could put in force, and that it does not name.

    Parameters
    ----------
    sweep : Sweep
        A valid one, of a study's own command.

    Raises
    ------
    DesignError
        If there is such a level.
    """
    named = list_variables("command", split_words(next(iter(sweep.command.values()))))
    for factor in _IN_WORDS:
        if factor in sweep.factors and factor not in named:
            raise DesignError(f"command: {{{factor}}} is missing, so its levels would be mere labels")


def _check_spellings(sweep: Any, named: set[str]) -> None:
    spelt = ("operation", *_SPELT)
    for factor, spellings in sweep.words.items():
        if factor not in spelt:
            raise DesignError(f'words: "{factor}" has no levels to spell; {nearest(factor, spelt)}')
        if factor not in named:
            raise DesignError(f"words.{factor}: the command has no {{{factor}}}")
        known = list_levels(factor, sweep)
        for level, spelling in spellings.items():
            if level not in known:
                raise DesignError(f'words.{factor}: unknown level "{level}"; {nearest(level, known)}')
            for word in split_words(spelling) if spelling else ():
                _refuse_outside(f"words.{factor}", word)
        for level in known:
            if level not in spellings:
                raise DesignError(f'words.{factor}: has no word for "{level}"; state one, "" for none')
    if "direct_io" in named and "direct_io" not in sweep.words:
        raise DesignError('words.direct_io: is required, as in words: {direct_io: {true: oflag=direct, false: ""}}')


def list_levels(factor: str, sweep: Any) -> list[str]:
    """Return the levels of a factor that a command spells, as text."""
    if factor == "operation":
        return list(sweep.operations)
    stated = sweep.factors.get(factor, FILE_LAYOUTS)
    levels = [level for one in stated for level in ((True, False) if one == "where-possible" else (one,))]
    return list(dict.fromkeys(name_spelling(level) for level in levels))


def name_spelling(level: Any) -> str:
    """Return a level as the key of its word: ``true`` and ``false`` for the two of direct I/O."""
    return str(level).lower() if isinstance(level, bool) else str(level)


def _check_operations(sweep: Any, named: set[str]) -> None:
    each = "operation" in named or len(sweep.operations) == 1
    for name, pattern in sweep.patterns.items():
        for operation in pattern.operation:
            if operation not in sweep.operations:
                known = ", ".join(sweep.operations)
                raise DesignError(f"patterns.{name}.operation: {operation} is none of the sweep's operations, {known}")
        if len(pattern.operation) > 1 and not each:
            raise DesignError(
                f"patterns.{name}.operation: one execution measures all operations, since the command has no "
                "{operation}; name one"
            )
    for operation in sweep.operations:
        if not any(operation in pattern.operation for pattern in sweep.patterns.values()):
            raise DesignError(f"patterns: none states {operation}, which is among the operations")


def _check_files(sweep: Any, named: set[str]) -> None:
    for name in (*sweep.keep, *([] if sweep.log in (OUTPUT, "stdout", "stderr") else [sweep.log])):
        if not _FILE.fullmatch(name) or name in _TAKEN:
            key = "log" if name == sweep.log else "keep"
            raise DesignError(
                f'{key}: "{name}" is no file that the command writes into its folder, such as result.json'
            )
    if sweep.inputs and not _FILE.fullmatch(sweep.inputs.replace("{thread}", "0")):
        raise DesignError(f'inputs: "{sweep.inputs}" is no name such as test_file.{{thread}}')
    reads = [operation for operation in sweep.operations if operation in ("read", "random-read", "random-write")]
    if reads and reads_inputs(sweep, named) and "file_size" not in sweep.factors and "write" not in sweep.operations:
        raise DesignError(f"factors: file_size is required, as {reads[0]} needs files that are there before")


def reads_inputs(sweep: Any, named: set[str]) -> bool:
    """Return whether a command reads files that are laid out before it runs."""
    return bool(sweep.inputs) or "file" in named


def make_form(sweep: Any) -> CommandForm:
    """Return the command of a sweep as tools use it."""
    words = split_words(next(iter(sweep.command.values())))
    named = list_variables("command", words)
    return CommandForm(
        words=words, patterns=tuple(pattern.as_form(name) for name, pattern in sweep.patterns.items()),
        log=sweep.log, keep=tuple(sweep.keep), exit_codes=tuple(sweep.success.exit_codes),
        text=tuple(sweep.success.text), version=sweep.version, inputs=sweep.inputs or "t{thread}",
        reads_inputs=reads_inputs(sweep, named), is_time_bound="seconds" in named, runs_each="operation" in named,
    )  # fmt: skip


def fill_variables(form: CommandForm, factors: Mapping[str, Any], words: Mapping[str, Mapping[str, str]],
                   operation: str, seconds: float) -> dict[str, Any]:  # fmt: skip
    """Return the value of each variable of a command for one combination of levels.

    Parameters
    ----------
    form : CommandForm
        The command.
    factors : mapping
        The level of each factor, in stored units.
    words : mapping
        How the command spells levels, by factor and level.
    operation : str
        What the run measures.
    seconds : float
        How long it is to run, in s.
    """
    size, threads = int(factors.get("file_size", 0)), int(factors["threads"])
    values: dict[str, Any] = {
        **factors, "operation": operation, "folder": ".", "file": f"./{form.name_inputs(threads)[0]}",
        "transfers": size // int(factors.get("transfer_size", 1)), "total_size": size * threads,
        "seconds": f"{seconds:g}",
    }  # fmt: skip
    for factor, spellings in words.items():
        values[factor] = split_words(spelling) if (spelling := spellings[name_spelling(values[factor])]) else ()
    return values
