"""What happened in a trial, as its `trial.json` holds it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

#: The format that this version writes and reads.
_FORMAT = 1

#: Keys that every `trial.json` has; without one of them a trial cannot be judged.
_REQUIRED = frozenset({
    "study", "sweep", "case", "repetition", "operations", "factors", "tool", "tool_version", "settings", "failure",
    "timed_out", "time_limit", "exit_status", "start", "end", "seconds", "counters",
})  # fmt: skip


class Failure(NamedTuple):
    """Why a trial could not be run as planned.

    Attributes
    ----------
    code : str
        ``preparation-failed``, ``setting-failed``, ``launch-failed`` or ``target-lost``.
    message : str
        The cause, in words.
    """

    code: str
    message: str


class SettingReading(NamedTuple):
    """A factor's level as the live system has it.

    Attributes
    ----------
    asked : str
        What is read when the level is in force.
    read : str
        What was read before the tool ran; where nodes differ, each value with its nodes.
    where : str
        The file, command or server that it was read from.
    nodes : mapping of str to str
        What each node of the job said; empty where one host answers for the whole system.
    read_after : str or None
        What was read after the tool had ended; None where the setting does not outlast the trial.
    nodes_after : mapping of str to str
        What each node said then.
    """

    asked: str
    read: str
    where: str = ""
    nodes: Mapping[str, str] = {}
    read_after: str | None = None
    nodes_after: Mapping[str, str] = {}

    @property
    def is_in_force(self) -> bool:
        """Whether the system had the level when the tool started."""
        return self.read == self.asked

    def to_json(self) -> dict[str, Any]:
        """Return it as `trial.json` holds it."""
        stated: dict[str, Any] = {"asked": self.asked, "read": self.read, "where": self.where}
        if self.nodes:
            stated["nodes"] = self.nodes
        if self.read_after is not None:
            stated["read_after"] = self.read_after
        if self.nodes_after:
            stated["nodes_after"] = self.nodes_after
        return stated


class ColdState(NamedTuple):
    """What was done to make a trial's files cold, and what memory still held of them.

    Attributes
    ----------
    method : str
        The site's method, such as ``drop-caches``.
    bytes : int
        Size of the files, in B.
    resident_bytes : int
        Bytes of them in the page cache afterwards; the most of any node.
    nodes : mapping of str to int
        The same for each node of the job; empty on a single machine.
    below_bytes : int or None
        Bytes in the page cache of the file behind the target's loop device; None where there is none.
    names : str
        For look-ups of names, whether dentries and inodes were ``dropped`` or ``kept``; else empty.
    """

    method: str
    bytes: int
    resident_bytes: int
    nodes: Mapping[str, int] = {}
    below_bytes: int | None = None
    names: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return it as `trial.json` holds it."""
        stated: dict[str, Any] = {
            "method": self.method, "bytes": self.bytes, "resident_bytes": self.resident_bytes,
        }  # fmt: skip
        if self.nodes:
            stated["nodes"] = self.nodes
        if self.below_bytes is not None:
            stated["below_bytes"] = self.below_bytes
        return {**stated, "names": self.names} if self.names else stated


class Counters(NamedTuple):
    """The counters of a target, read before and after the tool ran.

    Attributes
    ----------
    before, after : mapping of str to int
        Each counter by its name, such as ``read_bytes``.
    of : str
        What counts: ``device``, ``nfs``, …
    crossing : str
        What the counted bytes crossed: ``device``, or ``wire`` where a server has the device.
    """

    before: Mapping[str, int]
    after: Mapping[str, int]
    of: str = "device"
    crossing: str = "device"

    def difference(self, name: str) -> int | None:
        """Return how much a counter grew; None where this kind of target does not have it."""
        if name not in self.before or name not in self.after:
            return None
        return self.after[name] - self.before[name]


class LogPart(NamedTuple):
    """The part of an imported log that holds one trial.

    Attributes
    ----------
    file : str
        The log, relative to the campaign's folder.
    factors : mapping
        The levels that the log states for the trial.
    repetition : int or None
        Its number within the log.
    """

    file: str
    factors: Mapping[str, Any]
    repetition: int | None


#: What `trial.json` holds only where it is known, in this order.
_IF_KNOWN = ("stops", "suspended", "own_cpu", "busy_cpu", "utc_offset", "ramp", "page_cache", "name_cache",
             "inode_readahead", "uncounted", "launch")  # fmt: skip


class Outcome(NamedTuple):
    """What happened in a trial.

    Attributes
    ----------
    study, sweep, case : str
        The case that it belongs to.
    repetition : int
        Its number among the trials of the case, from 0.
    operations : tuple of str
        What the tool was to measure, in the tool's order.
    factors : mapping
        The level of each factor, in stored units.
    tool : str
        The tool's name.
    tool_version : str or None
        None where the tool does not print it.
    scale : str
        How the case was scaled down to fit the site; empty at full scale.
    log : LogPart or None
        Where an imported trial was read from; None for a trial that was measured here.
    contradiction : str or None
        Why a harness and the tool that it ran do not agree; imported trials only.
    argv : tuple of str
        The command line; empty where the tool was not started.
    settings : mapping of str to SettingReading
        The level of each factor that was put in force, as read back.
    cold : ColdState or None
        None for a trial that reads no files.
    counters : Counters or None
        None where nothing counts what crosses the device; `uncounted` says why.
    failure : Failure or None
        Why the trial could not be run as planned.
    start, end : str or None
        When the tool was started and ended, as ISO 8601 in UTC; None where it was not.
    seconds : float or None
        The run time by the steady clock, in s.
    exit_status : int or None
        The tool's; negative for the signal that killed it.
    timed_out : bool
        Whether the tool was ended at `time_limit`.
    time_limit : float or None
        In s.
    sentinel : bool
        Whether the case is repeated through the campaign to show drift.
    free_bytes, size_bytes, own_bytes : int or None
        Of the file system before the trial, in B: free, in all, and held by the campaign's own files.
    load : float or None
        Load average before the tool started.
    target, system : mapping or None
        The target and the machine, as `coldcache.measure.host.inventory` describes them; None for imported trials.
    uncounted : str or None
        Why there are no counters.
    launch : mapping or None
        Which processes ran on which node, for a tool on several nodes.
    guest : mapping or None
        Kind and kernel of the guest that the trial ran in.
    stops : int or None
        How often a process of the tool was stopped by a signal.
    suspended : float or None
        How long the machine slept meanwhile, in s.
    own_cpu, busy_cpu : float or None
        Processor time of the tool and of everything that ran meanwhile, in s.
    utc_offset : float or None
        Local time minus UTC where the tool was started, in s: tools print local time.
    ramp : float or None
        How long the tool moved bytes before it was timed, in s; None for not at all.
    page_cache, name_cache : str or None
        ``dropped`` where pages, or dentries and inodes, were dropped before files were created; else None.
    inode_readahead : int or None
        How many blocks of inodes the file system read ahead while files were created; None where that was left alone.
    more : mapping
        Keys of a later version, kept as they are.
    """

    study: str
    sweep: str
    case: str
    repetition: int
    operations: tuple[str, ...]
    factors: Mapping[str, Any]
    tool: str
    tool_version: str | None = None
    scale: str = ""
    log: LogPart | None = None
    contradiction: str | None = None
    argv: tuple[str, ...] = ()
    settings: Mapping[str, SettingReading] = {}
    cold: ColdState | None = None
    counters: Counters | None = None
    failure: Failure | None = None
    start: str | None = None
    end: str | None = None
    seconds: float | None = None
    exit_status: int | None = None
    timed_out: bool = False
    time_limit: float | None = None
    sentinel: bool = False
    free_bytes: int | None = None
    size_bytes: int | None = None
    own_bytes: int | None = None
    load: float | None = None
    target: Mapping[str, Any] | None = None
    system: Mapping[str, Any] | None = None
    uncounted: str | None = None
    launch: Mapping[str, Any] | None = None
    guest: Mapping[str, Any] | None = None
    stops: int | None = None
    suspended: float | None = None
    own_cpu: float | None = None
    busy_cpu: float | None = None
    utc_offset: float | None = None
    ramp: float | None = None
    page_cache: str | None = None
    name_cache: str | None = None
    inode_readahead: int | None = None
    more: Mapping[str, Any] = {}

    @classmethod
    def from_json(cls, stated: Any) -> "Outcome":
        """Return the outcome that the parsed text of a `trial.json` states.

        Keys that this version does not know are kept in `more`.

        Raises
        ------
        ValueError
            If it is no object, lacks a key, is of another format, or a part of it has the wrong shape.
        """
        if not isinstance(stated, dict):
            raise ValueError("it is no object")
        if not stated.keys() >= _REQUIRED:
            raise ValueError(f"it lacks {next(key for key in Outcome._fields if key in _REQUIRED - stated.keys())}")
        values = _DEFAULTS | stated
        version = values.pop("format", _FORMAT)
        if version != _FORMAT:
            raise ValueError(f"it is of format {version}, this version reads {_FORMAT}")
        try:
            values["operations"], values["argv"] = tuple(values["operations"]), tuple(values["argv"])
            readings = values["settings"].items()
            values["settings"] = {factor: SettingReading(**reading) for factor, reading in readings}
            if cold := values["cold"]:
                values["cold"] = ColdState(**cold)
            if counters := values["counters"]:
                values["counters"] = Counters(**counters)
            if failure := values["failure"]:
                values["failure"] = Failure(**failure)
            if log := values["log"]:
                values["log"] = LogPart(**log)
        except (TypeError, AttributeError) as error:
            raise ValueError(str(error)) from error
        if len(values) > len(_DEFAULTS):
            values["more"] = {key: values.pop(key) for key in stated if key not in ("format", *_DEFAULTS)}
        # Keyword arguments would take five times as long, and a campaign may have 100,000 trials.
        return cls._make(values.values())

    def to_json(self) -> dict[str, Any]:
        """Return what `trial.json` holds, its keys in their order."""
        stated: dict[str, Any] = {
            "format": _FORMAT,
            "study": self.study, "sweep": self.sweep, "case": self.case, "repetition": self.repetition,
            "operations": self.operations, "factors": self.factors,
        }  # fmt: skip
        if self.scale:
            stated["scale"] = self.scale
        stated |= {"tool": self.tool, "tool_version": self.tool_version}
        if self.log:
            part = {"file": self.log.file, "factors": self.log.factors, "repetition": self.log.repetition}
            stated |= {"log": part, "contradiction": self.contradiction}
        stated |= {
            "argv": self.argv,
            "settings": {factor: reading.to_json() for factor, reading in self.settings.items()},
            "cold": self.cold and self.cold.to_json(),
            "counters": self.counters and {
                "of": self.counters.of, "crossing": self.counters.crossing,
                "before": self.counters.before, "after": self.counters.after,
            },
            "failure": self.failure and {"code": self.failure.code, "message": self.failure.message},
            "start": self.start, "end": self.end, "seconds": self.seconds,
            "exit_status": self.exit_status, "timed_out": self.timed_out, "time_limit": self.time_limit,
        }  # fmt: skip
        if self.sentinel:
            stated["sentinel"] = True
        stated["free_bytes"] = self.free_bytes
        if not self.log:
            stated |= {"size_bytes": self.size_bytes, "own_bytes": self.own_bytes}
        stated |= {"load": self.load, "target": self.target, "system": self.system}
        if self.guest is not None:
            stated["guest"] = self.guest
        for name in _IF_KNOWN:
            value = getattr(self, name)
            if value is not None:
                stated[name] = value
        return {**stated, **self.more}

    @property
    def key(self) -> str:
        """The trial's folder below that of its campaign: ``study/sweep/case/r0``."""
        return f"{self.study}/{self.sweep}/{self.case}/r{self.repetition}"

    @property
    def host(self) -> str | None:
        """Name of the machine that ran the tool; None where it was not noted."""
        return self.system.get("host") if self.system else None

    @property
    def kernel(self) -> str | None:
        """The machine's kernel; None where it was not noted."""
        return self.system.get("kernel") if self.system else None

    @property
    def cores(self) -> int | None:
        """Processors of the machine; None where they were not noted."""
        return self.system.get("cores") if self.system else None

    @property
    def filesystem(self) -> str | None:
        """Type of the target's file system, such as ``ext4``; None where it was not noted."""
        return self.target.get("filesystem") if self.target else None

    @property
    def started(self) -> datetime | None:
        """When the tool was started; None where it was not."""
        return datetime.fromisoformat(self.start) if self.start else None

    @property
    def ended(self) -> datetime | None:
        """When the tool ended; None where it was not started."""
        return datetime.fromisoformat(self.end) if self.end else None

    @property
    def fill_level(self) -> float | None:
        """Share of the file system that others' data held before the trial; None where it was not noted."""
        if not self.size_bytes or self.free_bytes is None or self.own_bytes is None:
            return None
        return 1 - min(1.0, (self.free_bytes + self.own_bytes) / self.size_bytes)


#: Every field in its order, so that a parsed file only fills in what it states.
_DEFAULTS: dict[str, Any] = {**dict.fromkeys(Outcome._fields), **Outcome._field_defaults}
