"""`coldcache.yaml`, which a user puts beside imported logs: what the logs do not state."""

import re
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from coldcache.core.errors import DesignError
from coldcache.core.vocabulary import FACTORS, nearest
from coldcache.core.yaml_models import Name, Strict, read_model
from coldcache.design.imported_study import LOGS
from coldcache.design.levels import Level, stored_level

#: The file's name, in the folder that is imported.
NOTES = "coldcache.yaml"

_WILDCARD = re.compile(r"(\*\*/)|(\*\*)|(\*)|(\?)|\{([^{}]*)\}")
_MEANING = ("(?:.*/)?", ".*", "[^/]*", "[^/]")


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """Return a pattern of paths as a regular expression.

    Parameters
    ----------
    pattern : str
        As in a shell: ``*`` and ``?`` stay inside a folder, ``**`` does not. ``{threads}`` matches a level of that
        factor, which is read from the path.

    Raises
    ------
    DesignError
        If it names an unknown factor, or one factor twice.
    """
    parts, end, names = [], 0, []
    for wildcard in _WILDCARD.finditer(pattern):
        parts.append(re.escape(pattern[end : wildcard.start()]))
        end = wildcard.end()
        if wildcard[5] is None:
            parts.append(next(meaning for meaning, found in zip(_MEANING, wildcard.groups(), strict=False) if found))
            continue
        _check_factor(wildcard[5])
        names.append(wildcard[5])
        parts.append(f"(?P<{wildcard[5]}>[^/]+?)")
    if len(set(names)) < len(names):
        raise DesignError(f'"{pattern}" names a factor twice')
    return re.compile("".join(parts) + re.escape(pattern[end:]), re.DOTALL)


class SweepNotes(Strict):
    """Logs that belong to one sweep."""

    title: str = ""
    logs: list[str] = Field(min_length=1, description="Patterns of their paths, relative to the imported folder.")
    source: Name | None = Field(None, description="The document that has the items; the study where left out.")
    item: str = Field("", description="The tables and figures of the source that they serve, parted by semicolons.")


class Notes(Strict):
    """What a user adds to logs."""

    study: Name = Field("imported", description="The id of the study that the logs become.")
    title: str = ""
    question: str = ""
    system: str = Field("A system elsewhere", description="What was measured.")
    notebooks: list[Name] = Field(
        ["what-logs-state", "every-sweep"], description="The notebooks of the report, in their order."
    )
    sweeps: dict[Name, SweepNotes] = Field(default_factory=dict, description="Logs in no sweep go by their tool.")
    factors: dict[str, dict[str, Level]] = Field(
        default_factory=dict, description="Levels of factors for the logs that a pattern matches."
    )

    @model_validator(mode="after")
    def _check(self) -> "Notes":
        if LOGS in self.sweeps:
            raise DesignError(f'sweeps: "{LOGS}" is the folder of the logs; choose another id')
        for name, sweep in self.sweeps.items():
            for pattern in sweep.logs:
                if compile_pattern(pattern).groups:
                    raise DesignError(f'sweeps.{name}.logs: "{pattern}" reads a factor; that belongs to factors')
        for pattern, levels in self.factors.items():
            compile_pattern(pattern)
            for factor, level in levels.items():
                _store(factor, level, pattern)
        return self

    def sweep_of(self, log: str) -> str | None:
        """Return the sweep that a log's path belongs to; None if no pattern matches.

        Raises
        ------
        DesignError
            If it belongs to two.
        """
        names = [
            name for name, sweep in self.sweeps.items()
            if any(compile_pattern(pattern).fullmatch(log) for pattern in sweep.logs)
        ]  # fmt: skip
        if len(names) > 1:
            raise DesignError(f"sweeps.{names[1]}.logs: {log} belongs to the sweep {names[0]}, too")
        return names[0] if names else None

    def factors_of(self, log: str) -> dict[str, tuple[Level, str]]:
        """Return the levels that the notes give a log, in stored units, each with the pattern that gives it.

        Raises
        ------
        DesignError
            If two patterns give it different levels of a factor, or its path has no valid level.
        """
        found: dict[str, tuple[Level, str]] = {}
        for pattern, levels in self.factors.items():
            match = compile_pattern(pattern).fullmatch(log)
            if match is None:
                continue
            for factor, level in {**levels, **match.groupdict()}.items():
                stored = _store(factor, level, pattern)
                other, earlier = found.setdefault(factor, (stored, pattern))
                if other != stored:
                    raise DesignError(f'{_place(pattern, factor)}: {log} has {stored} here, and {other} by "{earlier}"')
        return found

    def idle_pattern(self, logs: list[str]) -> str | None:
        """Return the first pattern that matches none of the logs, with its place; None if each matches one."""
        patterns = [(f"sweeps.{name}.logs", pattern) for name, sweep in self.sweeps.items() for pattern in sweep.logs]
        patterns += [("factors", pattern) for pattern in self.factors]
        for place, pattern in patterns:
            compiled = compile_pattern(pattern)
            if not any(compiled.fullmatch(log) for log in logs):
                return f'{place}: "{pattern}"'
        return None


def _check_factor(factor: str) -> None:
    if factor not in FACTORS:
        raise DesignError(f'unknown factor "{factor}"; {nearest(factor, list(FACTORS))}')


def _store(factor: str, level: Any, pattern: str) -> Level:
    try:
        _check_factor(factor)
        if factor == "direct_io" and not isinstance(level, bool):
            raise DesignError(f'unknown level "{level}"; known are true, false')
        return stored_level(factor, level)
    except DesignError as error:
        raise DesignError(f"{_place(pattern, factor)}: {error}") from error


def _place(pattern: str, factor: str) -> str:
    return f'factors."{pattern}".{factor}'


def read_notes(folder: Path) -> Notes:
    """Return the notes in a folder of logs; empty notes if there are none.

    Raises
    ------
    DesignError
        As `read_model`, and if the file is a symbolic link, which might lead out of the folder.
    """
    path = folder / NOTES
    if path.is_symlink():
        raise DesignError(f"{path}: a symbolic link: put the file itself there")
    return read_model(path, Notes) if path.exists() else Notes()
