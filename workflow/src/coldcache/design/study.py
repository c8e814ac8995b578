"""What a study asks: its sweeps, their factors and levels, as `config/studies/<id>.yaml` states them."""

from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Discriminator, Field, Tag, WithJsonSchema, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.vocabulary import FACTORS, nearest
from coldcache.core.yaml_models import Name, Seconds, Strict, read_named
from coldcache.design.claim import Claim
from coldcache.design.command_sweep import Pattern, Success, check_command_sweep, make_form, name_spelling
from coldcache.design.command_template import check_command, check_options
from coldcache.design.left_out import check_left_out
from coldcache.design.levels import Level, Levels, Lookup, Share, check_levels
from coldcache.design.settings import SettingKind, refuse_unknown_name
from coldcache.design.sweep_factors import check_kind, check_settings
from coldcache.statistics.stopping import LEAST_REPETITIONS
from coldcache.tools import REFUSED_TOOLS, TOOLS, find_tool
from coldcache.tools.command.form import CommandForm
from coldcache.tools.command.tool import NAME as COMMAND
from coldcache.tools.protocols import Tool

_TOOLS = [*TOOLS, COMMAND]


def _refuse_unknown_tool(given: Any) -> Any:
    if isinstance(given, str) and given in REFUSED_TOOLS and given not in _TOOLS:
        raise DesignError(f'"{given}" cannot be used: {REFUSED_TOOLS[given]}')
    if not isinstance(given, str) or given not in _TOOLS:
        raise DesignError(f'unknown "{given}"; {nearest(str(given), _TOOLS)}')
    return given


ToolName = Annotated[str, BeforeValidator(_refuse_unknown_tool), WithJsonSchema({"type": "string", "enum": _TOOLS})]
Commands = Annotated[
    dict[ToolName, str],
    WithJsonSchema({
        "anyOf": [
            {"type": "string"},
            {"type": "object", "additionalProperties": {"type": "string"}, "propertyNames": {"enum": _TOOLS}},
        ]
    }),
]  # fmt: skip
Spelling = Annotated[str, BeforeValidator(name_spelling)]

#: Keys of a sweep that belong to ``tool: command``.
_OF_COMMANDS = ("patterns", "success", "log", "keep", "words", "inputs", "version")

OperationName = Literal[
    "write", "read", "random-write", "random-read",
    "file-create", "file-stat", "file-read", "file-remove", "directory-create", "directory-stat", "directory-remove",
]  # fmt: skip
ColdMethod = Literal["eviction", "drop-caches", "remount", "direct-io", "commands", "none"]
SettingName = Literal["qemu-nbd", "site"]
NamedSetting = Annotated[
    Annotated[SettingName, Tag("kind:name")] | Annotated[SettingKind, Tag("kind:stated")],
    Discriminator(lambda given: "kind:name" if isinstance(given, str) else "kind:stated"),
    BeforeValidator(refuse_unknown_name(("qemu-nbd", "site"))),
]


class RepeatUntil(Strict):
    """When a case has been repeated often enough; its `repetitions` are then the minimum."""

    relative_width: float = Field(
        gt=0,
        description="The wanted width of the median's 99.5 % interval, over the median: 0.1 means 5 % to either side.",
    )
    most: int = Field(ge=2, lt=2**63, description="The most trials of a case.")
    seconds: Seconds | None = Field(
        None, gt=0, description="The time that all trials of one case may take, without writing their input files."
    )


class Sweep(Strict):
    """One benchmark over a grid of factors."""

    title: str = Field(description="What is swept, in a few words.")
    item: str = Field("", description="The tables and figures of the source that it serves, separated by semicolons.")
    tool: ToolName | None = Field(
        None, exclude=True, description="A single tool, in place of tools; command: the study's own command."
    )
    tools: list[ToolName] = Field(
        default_factory=list, description="In order of preference; the first installed one is used."
    )
    operations: list[OperationName] = Field(min_length=1)
    factors: dict[str, Levels] = Field(description="Levels of each factor; threads is required.")
    leave_out: list[dict[str, Level]] = Field(
        default_factory=list,
        description="Cases that do not run, by their operation and the levels that they share.",
    )
    options: dict[ToolName, list[str]] = Field(default_factory=dict, description="Further arguments, word by word.")
    command: Commands = Field(
        default_factory=dict,
        description="A tool's command line as a document has it, with its variables in braces; of tool: command the "
        "command itself.",
    )
    patterns: dict[Name, Pattern] = Field(
        default_factory=dict, description="Where the log of tool: command states its figures, by a name of each."
    )
    success: Success = Field(default_factory=Success, description="What counts as success of tool: command.")
    log: str = Field(
        "output",
        description="What states the figures of tool: command: output (both outputs, as on a terminal), stdout, "
        "stderr, or a file that it writes.",
    )
    keep: list[str] = Field(
        default_factory=list, description="Further files of tool: command to keep with the log, such as *.csv."
    )
    words: dict[str, dict[Spelling, str]] = Field(
        default_factory=dict,
        description="How tool: command spells levels of direct_io and file_layout, and operations, by level.",
    )
    inputs: str = Field(
        "", description="Names of the files that tool: command reads, with {thread}; without it all threads share one."
    )
    version: str = Field("", description="The argument that makes tool: command print its version, such as --version.")
    settings: dict[str, NamedSetting] = Field(
        default_factory=dict, description="How the levels of a factor are put in force; site: as the site states it."
    )
    cold: ColdMethod | None = Field(None, description="How files become cold before a read, if not as the site states.")
    preparation: list[str] = Field(
        default_factory=list, description="What the document did before each trial; it is only shown, not carried out."
    )
    keeps_sizes: bool = Field(
        False,
        description="Whether its sizes stay at full scale on every site, because the counts depend on them.",
    )
    needs: list[str] = Field(
        default_factory=list, description="What the system must have; a site lists what it offers in the same words."
    )
    own_directories: bool = Field(
        False, description="Whether each thread of an operation on files has a directory of its own; mdtest has -u."
    )
    iterations: int = Field(
        1, ge=1, lt=2**63, description="Repetitions that the document's tool makes in one execution."
    )
    seconds: Seconds = Field(10.0, gt=0, description="How long tools that are bound by time are timed.")
    ramp: Seconds = Field(
        0.0,
        ge=0,
        description="How long they run before that, so that the burst of a throttle or a cache passes; fio's transfers "
        "that end by time only.",
    )
    series: Seconds | None = Field(
        None, gt=0, description="Length of the windows over which fio notes the rate of each process; shorter here."
    )
    repetitions: int | None = Field(None, ge=1, lt=2**63, description="Trials of each case, when not the study's.")
    repeat_until: RepeatUntil | None = Field(None, description="When to stop repeating, when not the study's.")

    @model_validator(mode="before")
    @classmethod
    def _name_tools(cls, given: Any) -> Any:
        """Let ``tool`` stand for a list of one; the threads of a command are 1 unless it states them."""
        if not isinstance(given, dict):
            return given
        given = dict(given)
        tool = given.get("tool")
        if tool is not None:
            if given.get("tools"):
                raise DesignError("tools: state either tool or tools")
            try:
                given["tools"] = [_refuse_unknown_tool(tool)]
            except DesignError as error:
                raise DesignError(f"tool: {error}") from error
        if not given.get("tools"):
            raise DesignError("tools: is required; state one, as in tool: fio, or several in order of preference")
        command, is_own = given.get("command"), given["tools"] == [COMMAND]
        if isinstance(command, str):
            if not is_own:
                raise DesignError("command: state it by tool, as in command: {iozone: ...}, or state tool: command")
            given["command"] = {COMMAND: command}
        if is_own and isinstance(given.get("factors"), dict):
            given["factors"] = {"threads": [1], **given["factors"]}
        return given

    @model_validator(mode="after")
    def _check_command(self) -> "Sweep":
        if self.tools == [COMMAND]:
            return self
        if COMMAND in self.tools:
            raise DesignError(f"tools: {COMMAND} stands alone, since what it measures depends on its words")
        # What is not stated has its default, which takes long to look up.
        for key in (key for key in _OF_COMMANDS if key in self.model_fields_set):
            if getattr(self, key) != type(self).model_fields[key].get_default(call_default_factory=True):
                raise DesignError(f"{key}: belongs to a sweep with tool: command")
        return self

    @cached_property
    def form(self) -> CommandForm | None:
        """The command of the study's own; None for a sweep of known tools."""
        return make_form(self) if self.tools == [COMMAND] else None

    @property
    def tool_names(self) -> list[str]:
        """The names of its tools in records: a command has that of its program."""
        return [self.name_tool(tool) for tool in self.tools]

    def name_tool(self, tool: str) -> str:
        """Return the name of one of its tools in records."""
        if self.form is None:
            return tool
        # Its logs are not read by the parser of a tool of the same name.
        return f"{self.form.program} ({COMMAND})" if self.form.program in TOOLS else self.form.program

    def find_tool(self, tool: str, operations: tuple[str, ...] = ()) -> Tool:
        """Return one of its tools by its name; `operations` is what a run measures whose log is to be read."""
        return find_tool(self.name_tool(tool), self.form, operations)

    @model_validator(mode="after")
    def _check_factors(self) -> "Sweep":
        for factor, levels in self.factors.items():
            if factor not in FACTORS:
                raise DesignError(f'factors: unknown factor "{factor}"; {nearest(factor, list(FACTORS))}')
            try:
                check_levels(factor, levels)
            except DesignError as error:
                raise DesignError(f"factors.{factor}: {error}") from error
        if isinstance(self.factors.get("threads"), Share):
            raise DesignError("factors.threads: cannot be a share of the threads")
        for factor, levels in self.factors.items():
            if isinstance(levels, Lookup) and not isinstance(self.factors.get(levels.by), list):
                raise DesignError(f"factors.{factor}.by: {levels.by} is no factor of the sweep whose levels are listed")
        for factor, levels in self.factors.items():
            by = levels.times if isinstance(levels, Share) else None
            if by is not None and not isinstance(self.factors.get(by), list):
                raise DesignError(f"factors.{factor}.times: {by} is no factor of the sweep whose levels are listed")
            if by is not None and FACTORS[by].unit != "1":
                raise DesignError(
                    f"factors.{factor}.times: {by} is no count, and a total is multiplied by a count, such as "
                    "stripe_count; name one"
                )
        check_kind(self.operations, self.factors, self.settings, is_own=COMMAND in self.tools)
        check_settings(self.settings, self.factors)
        check_left_out(self.leave_out, self.operations, self.factors)
        if COMMAND in self.tools:
            check_command_sweep(self)
            return self
        for tool, command in self.command.items():
            if tool not in self.tools:
                raise DesignError(f"command: {tool} is none of the sweep's tools, {', '.join(self.tools)}")
            check_command(f"command.{tool}", tool, command, self.factors)
        for tool, options in self.options.items():
            check_options(f"options.{tool}", tool, options)
        return self


class Sentinel(Strict):
    """A case that is repeated throughout the campaign to detect drift of the system."""

    sweep: Name = Field(description="A sweep of one case. It has no block of its own: its trials run between others.")
    every: int = Field(
        20,
        ge=1,
        lt=2**63,
        description="It begins each sweep's part of a round, and runs again in it after this number of other trials.",
    )
    repeats: int = Field(
        2,
        ge=0,
        le=100,
        description="How many rounds are measured once more at the end because the sentinel drifted in them.",
    )


class Study(Strict):
    """A question and its design."""

    study: Name = Field(description="The study's id; the file's name without its ending.")
    title: str
    question: str = Field(description="What a reader wants to know.")
    repetitions: int = Field(5, ge=1, lt=2**63, description="Trials of each case.")
    repeat_until: RepeatUntil | None = Field(
        None, description="Repeats each case until its interval is narrow enough or the budget is spent."
    )
    scale: Literal["fixed", "site"] = Field(
        "fixed", description="Whether a site's limits scale the study down (site) or refuse what exceeds them (fixed)."
    )
    sentinel: Sentinel | None = Field(
        None, description="A case that is repeated throughout the campaign to detect drift."
    )
    sweeps: dict[Name, Sweep] = Field(min_length=1)
    notebooks: list[Name] = Field(
        default_factory=lambda: ["every-sweep"],
        description="The notebooks that answer the question, in the order of the report; by default one that draws"
        " every sweep, whatever it varies.",
    )
    # Not part of a campaign's design: claims may change after the measurement, the design may not.
    claims: list[Claim] = Field(
        default_factory=list, exclude=True, description="Claims that the study's data confirm, refute or leave open."
    )

    @model_validator(mode="after")
    def _check_repetitions(self) -> "Study":
        for name, sweep in self.sweeps.items():
            until, least = sweep.repeat_until or self.repeat_until, sweep.repetitions or self.repetitions
            # The sweep states a value itself, or has that of the study.
            until_of = f"sweeps.{name}." if sweep.repeat_until else ""
            least_of = f"sweeps.{name}." if sweep.repetitions else ""
            if until and until.most < least:
                raise DesignError(
                    f"{until_of}repeat_until.most: {until.most} are fewer than the {least} repetitions of {name}"
                )
            if until and least < LEAST_REPETITIONS:
                raise DesignError(
                    f"{least_of}repetitions: {least} of {name} are too few for repeat_until: no interval of fewer than "
                    f"{LEAST_REPETITIONS} is believed"
                )
        return self

    @model_validator(mode="after")
    def _check_sentinel(self) -> "Study":
        if self.sentinel is None:
            return self
        name = self.sentinel.sweep
        if name not in self.sweeps:
            raise DesignError(f'sentinel.sweep: unknown sweep "{name}"; {nearest(name, list(self.sweeps))}')
        if len(self.sweeps) == 1:
            raise DesignError(f"sentinel.sweep: {name} is the only sweep, so nothing runs around it")
        return self


def read_study(folder: Path, name: str) -> Study:
    """Return the study `name` of a folder of studies.

    Raises
    ------
    DesignError
        As `read_named`.
    """
    return read_named(folder, name, Study, "study")
