"""Command lines as a document states them: its own words, with variables in braces.

People share studies. So what a study adds to a command line must not start another program or name a file outside the
target.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from coldcache.core.errors import DesignError
from coldcache.core.vocabulary import FACTORS, nearest
from coldcache.tools import find_tool
from coldcache.tools.protocols import Traits

#: Variables besides the factors: launcher, program, folder, iterations, test and files.
TEMPLATE_VARIABLES = ("launcher", "program", "directory", "iterations", "test", "files")

_VARIABLE = re.compile(r"\{([a-z_]*)(?::([kKmMgG]))?\}")
#: A variable, or a brace that is doubled to mean itself.
_BRACES = re.compile(r"\{\{|\}\}|\{([a-z_]+)(?::([kKmMgG]))?\}")
_POWERS = {"k": 1, "m": 2, "g": 3}

#: A file in the folder that a trial is given.
_INSIDE = re.compile(r"\{directory\}/?(?:\w[\w.]*)?")


def check_options(where: str, tool: str, options: Sequence[str]) -> None:
    """Raise `DesignError` for an option that lets a tool run a program or use files outside the target.

    Parameters
    ----------
    where : str
        Begins each message.
    tool : str
        The tool that receives them.
    options : sequence of str
        Word by word.
    """
    traits = find_tool(tool).TRAITS
    for word in options:
        _refuse_path(where, word, word)
        if traits.has_long_options and not word.startswith("--"):
            raise DesignError(f'{where}: "{word}" is no option of {tool}: these start with two hyphens')
        if _is_refused(word, traits):
            raise DesignError(f'{where}: "{word}" lets {tool} run a program or use files elsewhere; leave it out')


def _is_refused(word: str, traits: Traits) -> bool:
    """Return whether an option, or a longer one that it may abbreviate, is among those that a tool refuses."""
    if not traits.has_long_options:
        return word.startswith(traits.refused_options)
    option = word.removeprefix("--")
    name = option.partition("=")[0]
    by_value = any(refused.startswith(f"{name}=") for refused in traits.refused_options)
    return any(refused.startswith(option if by_value else name) for refused in traits.refused_options)


def _refuse_path(where: str, word: str, outside: str) -> None:
    """Raise `DesignError` for a word that names, or may name, a path outside the target's folder."""
    if "/" in outside or "\\" in outside or ".." in outside or outside.startswith("~"):
        raise DesignError(f'{where}: "{word}" names a path; files lie in the target, which the site names')


def check_command(where: str, tool: str, command: str, factors: Mapping[str, Any]) -> None:
    """Raise `DesignError` for another program, a path, an unknown variable, or a missing factor.

    Parameters
    ----------
    where : str
        Begins each message.
    tool : str
        The tool whose command line it is.
    command : str
        The command line.
    factors : mapping
        The levels of each factor of the sweep.
    """
    words = command.split()
    program = next((word for word in words if word != "{launcher}"), "")
    if program not in ("{program}", tool):
        raise DesignError(f'{where}: begins with "{program}"; it starts {tool}, which {{program}} stands for')
    for word in words:
        _refuse_path(where, word, _INSIDE.sub("", word))
    known = [*TEMPLATE_VARIABLES, *(factor for factor in factors if factor in FACTORS)]
    named = {match[1] for match in _VARIABLE.finditer(command)}
    for name in named:
        if name not in known:
            raise DesignError(f'{where}: unknown variable "{name}"; {nearest(name, known)}')
    for word in words:
        if "{" in _VARIABLE.sub("", word) or "}" in _VARIABLE.sub("", word):
            raise DesignError(f'{where}: "{word}" is no variable such as {{threads}} or {{file_size:G}}')
    for factor in ("threads", "transfer_size", "file_size", "directories_per_thread", "items_per_directory", "files"):
        # The launcher states the number of threads.
        stated = named | ({"threads"} if "launcher" in named else set())
        if factor in factors and factor not in stated:
            raise DesignError(f"{where}: {{{factor}}} is missing, so its levels would be mere labels")


def fill(command: str, values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the words of a command line, its variables replaced.

    Parameters
    ----------
    command : str
        Such as ``iozone -i 0 -r {transfer_size:K} -t {threads} {launcher}``. The letter after a colon is the unit of a
        size, as the tool's suffix writes it; a size that is no whole number of that unit takes the next smaller one.
    values : mapping
        The value of each variable. A list replaces a word by its items, by none if it is empty.
    """
    return fill_words(command.split(), values)


def fill_words(command: Iterable[str], values: Mapping[str, Any]) -> tuple[str, ...]:
    """Return words with their variables replaced, as `fill`; a doubled brace becomes a single one."""
    words: list[str] = []
    for word in command:
        whole = _VARIABLE.fullmatch(word)
        if whole and isinstance(values[whole[1]], list | tuple):
            words += values[whole[1]]
        else:
            words.append(_BRACES.sub(lambda match: _replace(match, values), word))
    return tuple(words)


def _replace(match: re.Match[str], values: Mapping[str, Any]) -> str:
    if match[0] in ("{{", "}}"):
        return match[0][0]
    value = values[match[1]]
    return " ".join(value) if isinstance(value, list | tuple) else _show(value, match[2])


def list_variables(where: str, words: Iterable[str]) -> set[str]:
    """Return the variables in words; raises `DesignError`, beginning with `where`, for a brace that is of none."""
    named = set()
    for word in words:
        named |= {match[1] for match in _BRACES.finditer(word) if match[1] is not None}
        if "{" in (rest := _BRACES.sub("", word)) or "}" in rest:
            raise DesignError(
                f'{where}: "{word}" is no variable such as {{threads}} or {{file_size:G}}; double a brace that is meant'
            )
    return named


def _show(value: Any, letter: str | None) -> str:
    if letter is None:
        return str(value)
    units = "gmk"[3 - _POWERS[letter.lower()] :]
    for unit in units:
        if value % 1024 ** _POWERS[unit] == 0:
            return f"{value // 1024 ** _POWERS[unit]}{unit.upper() if letter.isupper() else unit}"
    raise DesignError(f"{value} B is no whole number of KiB, as the command's sizes need")
