"""The command line's parser: mistakes in one line, the version, and completion for bash."""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from coldcache.core.vocabulary import nearest

_CHOICE = re.compile(r"argument (.+?): invalid choice: '?([^']*?)'? \(choose from (.*)\)")
_VALUE = re.compile(r"argument (.+?): invalid (\w+) value: '(.*)'")
_REQUIRED = re.compile(r"the following arguments are required: (.*)")

#: What can be completed in place of a value, by the option or the argument.
_COMPLETED = {
    "campaign": "raw/*/", "campaigns": "raw/*/", "study": "config/studies/*.yaml", "studies": "config/studies/*.yaml",
    "site": "config/sites/*.yaml",
}  # fmt: skip

#: Names of what lies in a folder; other arguments are completed as files.
_SCRIPT = """\
# Completion of coldcache for bash: source <(coldcache completion bash)
_coldcache() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words="" path
    COMPREPLY=()
    [ "$word" = "=" ] && word=""
    [ "$before" = "=" ] && before="${{COMP_WORDS[COMP_CWORD-2]}}"
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W "{commands} --help --version" -- "$word"))
        return
    fi
    case "${{COMP_WORDS[1]}} $before" in
{values}
    esac
    if [ -z "$words" ]; then
        case "${{COMP_WORDS[1]}}" in
{options}
        esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
_coldcache_names() {{
    for path in $1; do
        [ -e "$path" ] && path="${{path%/}}" && path="${{path##*/}}" && echo "${{path%.yaml}}"
    done
}}
complete -o default -F _coldcache coldcache
"""


class Parser(argparse.ArgumentParser):
    """A parser whose refusals are one line with a hint."""

    def __init__(self, **more: Any):
        super().__init__(**{"allow_abbrev": False, **more})

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        """Return what the arguments say, as `argparse` does; an unknown one gets the nearest of its subcommand."""
        chosen, unknown = self.parse_known_args(args, namespace)
        if unknown:
            word = unknown[0]
            name = word.partition("=")[0]
            parser = list_subparsers(self).get(getattr(chosen, "command", ""), self)
            known = [option for action in parser._actions for option in action.option_strings]
            if not name.startswith("-"):
                parser.error(f'"{word}" is one argument too many')
            parser.error(f'unknown argument "{name}"; {nearest(name, known)}')
        return chosen

    def error(self, message: str) -> NoReturn:
        """Print a refusal in one line and exit with status 2."""
        if match := _CHOICE.fullmatch(message):
            known = [word.strip("' ") for word in match[3].split(",")]
            what = "unknown command" if match[1] == "COMMAND" else f"{match[1]}: unknown"
            message = f'{what} "{match[2]}"; {nearest(match[2], known)}'
        elif match := _VALUE.fullmatch(message):
            message = f'{match[1]}: "{match[3]}" is no {"number" if match[2] in ("float", "int") else match[2]}'
        elif match := _REQUIRED.fullmatch(message):
            message = f"{match[1]} {'are' if ',' in match[1] else 'is'} required; see {self.prog} --help"
        part = self.prog.partition(" ")[2]
        print(f"coldcache: {part}{': ' if part else ''}{message}", file=sys.stderr)
        sys.exit(2)


def add_overrides(command: argparse.ArgumentParser) -> None:
    """Add options for what replaces values of the site and of the studies."""
    command.add_argument("--target", help="a folder to measure instead of the site's")
    command.add_argument("--size", help="the total size of each sweep's files, such as 8GiB")
    command.add_argument("--seconds", help="how long each timed part lasts, such as 3")
    command.add_argument("--repetitions", help="how often each case runs, such as 20")


def list_subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """Return the parser of each subcommand by its name."""
    return next(
        (dict(action.choices) for action in parser._actions if isinstance(action, argparse._SubParsersAction)), {}
    )


def version_line() -> str:
    """Return the program's version, as ``--version`` prints it."""
    # Importing this takes a quarter of the time of a short command.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"coldcache {version('coldcache')}"
    except PackageNotFoundError:
        return "coldcache (not installed)"


def write_completion(parser: argparse.ArgumentParser) -> str:
    """Return a script of bash that completes subcommands, options, their choices, and names of studies and campaigns.

    Parameters
    ----------
    parser : ArgumentParser
        The program's, with its subcommands.
    """
    commands = list_subparsers(parser)
    values = "\n".join(line for name, command in commands.items() for line in _complete_values(name, command))
    options = "\n".join(
        f'            {name}) words="{" ".join(_list_options(command))}{_list_names(command)}" ;;'
        for name, command in commands.items()
    )
    return _SCRIPT.format(commands=" ".join(commands), values=values, options=options)


def _list_options(command: argparse.ArgumentParser) -> list[str]:
    return [option for action in command._actions for option in action.option_strings if option.startswith("--")]


def _list_names(command: argparse.ArgumentParser) -> str:
    """Return what lists the values of a subcommand's positional arguments."""
    named = [action for action in command._actions if not action.option_strings]
    found = [" ".join(map(str, action.choices)) for action in named if action.choices]
    found += [f"$(_coldcache_names '{_COMPLETED[action.dest]}')" for action in named if action.dest in _COMPLETED]
    return "".join(f" {words}" for words in found)


def _complete_values(name: str, command: argparse.ArgumentParser) -> Iterator[str]:
    for action in command._actions:
        pattern = _COMPLETED.get(action.dest)
        words = " ".join(map(str, action.choices or ())) or (f"$(_coldcache_names '{pattern}')" if pattern else "")
        if words and action.option_strings:
            yield f'        "{name} {action.option_strings[-1]}") words="{words}" ;;'
