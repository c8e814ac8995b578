"""Say what is wrong with a YAML file in plain words, and in which line."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from coldcache.core.program_files import find_file
from coldcache.core.vocabulary import nearest
from coldcache.core.yaml_loader import compose

#: Names that become parts of paths and of HTML pages.
NAME_PATTERN = "^[a-z0-9][a-z0-9-]{0,62}$"

#: What is wrong with a value, by pydantic's name of the mistake; braces hold what pydantic knows about it.
SENTENCES = {
    "missing": "is required",
    "string_type": "must be text, not {given}",
    "string_too_short": "must not be empty",
    "list_type": "must be a list, as in [{given}]",
    "dict_type": "must hold keys and values, not {given}",
    "model_type": "must hold keys and values, not {given}",
    "model_attributes_type": "must hold keys and values, not {given}",
    "too_short": "must not be empty",
    "too_long": "has {actual_length} entries, where at most {max_length} may be",
    "int_type": "must be a whole number, not {given}",
    "int_parsing": "must be a whole number, not {given}",
    "int_from_float": "must be a whole number, not {given}",
    "int_parsing_size": "{given} is no number that can be meant",
    "float_type": "must be a number, not {given}",
    "float_parsing": "must be a number, not {given}",
    "finite_number": "{given} is no number that can be meant",
    "bool_type": "must be true or false, not {given}",
    "bool_parsing": "must be true or false, not {given}",
    "greater_than": "must be greater than {gt:g}, not {given}",
    "greater_than_equal": "must be at least {ge:g}, not {given}",
    "less_than": "must be less than {lt:g}, not {given}",
    "less_than_equal": "must be at most {le:g}, not {given}",
    "union_tag_invalid": "{given} is of no kind that is known here",
    "union_tag_not_found": "{given} is of no kind that is known here",
}

#: What a text must be, by the pattern that it does not match.
_FORMS = {
    NAME_PATTERN: "has 1 to 63 lower-case letters, digits and hyphens, and begins with no hyphen",
    "^/(sys|proc)/.": "is a path below /sys or /proc",
    "^[A-Z]{2}[0-9]{1,3}$": "is two capital letters and a number, such as QK1",
}

#: The most characters of a wrong value that a message repeats.
_MOST_SHOWN = 60

#: A range of numbers as people write it.
_RANGE = re.compile(r"(\d+)\s*(?:-|\.{2,3}|:)\s*(\d+)")

#: The keys with which a message begins, the word that is unknown, and the value that is wrong.
_KEYS = re.compile(r'(?:(?:[\w.-]|"[^"]*")+: )*')
_KEY = re.compile(r'"([^"]*)"|([^.]+)')
_UNKNOWN_KEY = re.compile(r'unknown (?:key|factor|variable) "([^"]*)"')
_VALUE = re.compile(r'[^;"]*"([^"]*)"|[^;"]*\bnot (-?[\w.]+)$|(-?[0-9.]+|inf|nan)\b')


def explain(error: ValidationError, given: Any) -> str:
    """Return the first error in validating `given` as ``key.key: cause``, in the words of this program."""
    first = error.errors(include_url=False)[0]
    place = ".".join(_list_keys(first["loc"], given, is_missing=first["type"] == "missing"))
    context = first.get("ctx", {})
    if "error" in context:
        cause = str(context["error"])
    elif first["type"] == "literal_error":
        expected = context["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        cause = f'unknown "{first["input"]}"; {nearest(str(first["input"]), expected)}'
    elif first["type"] == "string_pattern_mismatch":
        form = _FORMS.get(context["pattern"], f"matches {context['pattern']}")
        cause = f"{_show(first['input'])} cannot be meant: what belongs here {form}"
    elif first["type"] in SENTENCES:
        shown = _list(first["input"]) if first["type"] == "list_type" else _show(first["input"])
        cause = SENTENCES[first["type"]].format(given=shown, **context)
    else:
        cause = f"{_show(first['input'])} does not fit here: {first['msg']}"
    return f"{place}: {cause}" if place else cause


def _list(given: Any) -> str:
    """Return the entries that a list would have which was given as text, such as ``1, 2`` or ``1-2``."""
    if isinstance(given, str) and (ends := _RANGE.fullmatch(given)):
        return ", ".join(ends.groups())
    return given if isinstance(given, str) and "," in given else _show(given)


def _show(given: Any) -> str:
    """Return a value as YAML has it, on one line and not too long."""
    if given is None:
        return "nothing"
    if isinstance(given, float) and given.is_integer():
        return f"{given:.0f}"
    shown = yaml.safe_dump(given, default_flow_style=True, width=10_000, allow_unicode=True).splitlines()[0]
    shown = f'"{given}"' if isinstance(given, str) else shown
    return shown if len(shown) <= _MOST_SHOWN else f"{shown[:_MOST_SHOWN]}…"


def _list_keys(place: tuple[int | str, ...], given: Any, is_missing: bool) -> list[str]:
    """Return the keys that lead to an error, without the names of unions' members, which pydantic puts between."""
    keys = []
    for number, part in enumerate(place):
        if isinstance(given, list) and isinstance(part, int) and part < len(given):
            given = given[part]
        elif isinstance(given, Mapping) and (part in given or str(part) in map(str, given)):
            given = next(value for key, value in given.items() if str(key) == str(part))
        elif not (is_missing and number == len(place) - 1):
            continue
        keys.append(str(part))
    return keys


def name_place(path: Path, message: str) -> str:
    """Return a message that begins with its file, and its line if the file has what the message is about.

    Parameters
    ----------
    path : Path
        A YAML file.
    message : str
        As `explain` returns it, such as ``sweeps.a: factors.threads: cause``.
    """
    try:
        line = find_line(find_file(path).read_text(encoding="utf-8"), message)
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        line = None
    return f"{path}, line {line}, {message}" if line else f"{path}, {message}"


def find_line(text: str, message: str) -> int | None:
    """Return the line of YAML that a message of `explain` is about: that of the wrong value, or of its key.

    Parameters
    ----------
    text : str
        The YAML.
    message : str
        Such as ``sweeps.a: factors.threads: cause``; the word of ``unknown key "x"`` counts, too, and the value that
        the cause repeats.

    Returns
    -------
    int or None
        From 1 on; None if none of the keys is there.
    """
    keys = _KEYS.match(message)
    assert keys is not None
    steps = [quoted or plain for part in keys[0].split(": ") for quoted, plain in _KEY.findall(part)]
    unknown = _UNKNOWN_KEY.match(message, keys.end())
    node, line = compose(text), None
    for step in [*steps, *(unknown.groups() if unknown else ())]:
        found = _find_child(node, step)
        if found is None:
            break
        key, node = found
        line = (node if isinstance(node, yaml.ScalarNode) else key).start_mark.line + 1
    else:
        value = None if unknown else _VALUE.match(message, keys.end())
        word = next((group for group in value.groups() if group is not None), None) if value else None
        # The last one: of two equal levels the second is wrong.
        line = max((line_of for name, line_of in _list_scalars(node) if name == word), default=line)
    return line


def _find_child(node: Any, step: str) -> tuple[Any, Any] | None:
    """Return the node that names a child of a node, and the child; None if it has no such child."""
    if isinstance(node, yaml.MappingNode):
        return next(((key, value) for key, value in node.value if key.value == step), None)
    if isinstance(node, yaml.SequenceNode) and step.isdecimal() and int(step) < len(node.value):
        return node.value[int(step)], node.value[int(step)]
    return None


def _list_scalars(node: Any) -> Iterator[tuple[str, int]]:
    """Yield each plain value below a node as it is written, and its line, from 1 on."""
    if isinstance(node, yaml.ScalarNode):
        yield node.value, node.start_mark.line + 1
    elif isinstance(node, yaml.SequenceNode):
        for child in node.value:
            yield from _list_scalars(child)
    elif isinstance(node, yaml.MappingNode):
        for key, child in node.value:
            yield from _list_scalars(key)
            yield from _list_scalars(child)
