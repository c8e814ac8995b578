"""Read JSON with the position of each value: a record points to the bytes of its number.

The standard library's scanner reads the values; this module walks the members of the relevant objects, one level at a
time, and notes where each value starts and ends. Logs are decoded as Latin-1: one character per byte, so positions in
the text are offsets in the log.
"""

import re
from itertools import islice
from json import JSONDecoder
from typing import Any, NamedTuple

from coldcache.core.errors import LogError
from coldcache.tools.lines import name_line

# Strings may hold raw tabs: fio does not escape control characters.
_scan_once = JSONDecoder(strict=False).scan_once  # type: ignore[attr-defined]

_FIRST = re.compile(r'\{[ \t\r\n]*+(?:"([^"\\]*+(?:\\.[^"\\]*+)*+)"[ \t\r\n]*+:[ \t\r\n]*+|\})', re.DOTALL)
_NEXT = re.compile(r'[ \t\r\n]*+(?:,[ \t\r\n]*+"([^"\\]*+(?:\\.[^"\\]*+)*+)"[ \t\r\n]*+:[ \t\r\n]*+|\})', re.DOTALL)
_OPEN = re.compile(r"\[[ \t\r\n]*+(\])?")
_COMMA = re.compile(r"[ \t\r\n]*+(?:,[ \t\r\n]*+|(\]))")

_FIGURE = re.compile(r'"([^"\\]*+)"[ \t\r\n]*+:[ \t\r\n]*+(-?[0-9][0-9.eE+-]*+)')

# One line of pretty-printed JSON, after quotation marks of mail; group 2 is a number that is invalid in JSON.
_STRING = r'"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
_JSON_LINE = re.compile(
    rf"([>| \t]*+)(?:{_STRING}[ \t]*+:[ \t]*+)?"
    rf"(?:(-?(?:nan|inf))|-?[0-9][0-9.eE+-]*+|{_STRING}|true|false|null"
    r"|\[[ \t]*\]|\{[ \t]*\}|[\[{]|[\]}]{1,9}),?[ \t\r]*+\n?",
)
_MEMBER = re.compile(r'[>| \t]*+"|.*?"[ \t]*+:')


class Member(NamedTuple):
    """A value of a JSON document and its place.

    Attributes
    ----------
    value : Any
        The value; objects and arrays are plain dictionaries and lists.
    start, end : int
        ``text[start:end]`` is the value as printed.
    """

    value: Any
    start: int
    end: int


def scan_object(text: str, start: int, lists: tuple[str, ...] = ()) -> tuple[dict[str, Member], int]:
    """Return the members of the object that starts at `start`, and where the object ends.

    Parameters
    ----------
    text : str
        A log, decoded as Latin-1.
    start : int
        Position of the opening brace.
    lists : tuple of str
        Keys whose value is an array of objects; each of those is returned as a `Member` whose value is again a
        dictionary of `Member`.

    Raises
    ------
    ValueError
        If the text is not a JSON object, ends too early, or has two values for one key.
    """
    members: dict[str, Member] = {}
    match = _FIRST.match(text, start)
    while match:
        key = match[1]
        if key is None:
            return members, match.end()
        begin = match.end()
        try:
            value, end = scan_array(text, begin) if key in lists else _scan_once(text, begin)
        except StopIteration as stop:
            raise ValueError(f"no value at {begin}") from stop
        if key in members and members[key].value != value:
            raise ValueError(f"two values for {key} at {begin}")
        members[key] = Member(value, begin, end)
        match = _NEXT.match(text, end)
    raise ValueError(f"broken after {next(reversed(members), 'the start')}")


def scan_array(text: str, start: int) -> tuple[list[Member], int]:
    """Return the elements of the array that starts at `start`, and where it ends; objects as in `scan_object`.

    Raises
    ------
    ValueError
        If the text is not a JSON array or ends too early.
    """
    match = _OPEN.match(text, start)
    elements: list[Member] = []
    while match:
        if match[1]:
            return elements, match.end()
        begin = match.end()
        value: Any
        try:
            value, end = scan_object(text, begin) if text[begin : begin + 1] == "{" else _scan_once(text, begin)
        except StopIteration as stop:
            raise ValueError(f"no value at {begin}") from stop
        elements.append(Member(value, begin, end))
        match = _COMMA.match(text, end)
    raise ValueError(f"broken in an array at {start}")


def match_figure(text: str, start: int) -> re.Match[str] | None:
    """Return the key that starts at `start` and its number, as groups 1 and 2; None if there is no number."""
    return _FIGURE.match(text, start)


def find_figures(text: str, start: int, end: int, keys: list[str]) -> list[re.Match[str]]:
    """Return the first numbers between two places, in the order of the text.

    Parameters
    ----------
    text : str
        A log, decoded as Latin-1.
    start, end : int
        Where valid JSON starts, and the latest place at which it ends.
    keys : list of str
        The keys of the numbers.

    Returns
    -------
    list of Match
        Group 1 is the key, group 2 the number as printed.

    Raises
    ------
    ValueError
        If the first numbers have other keys.
    """
    figures = list(islice(_FIGURE.finditer(text, start, end), len(keys)))
    if [figure[1] for figure in figures] != keys:
        raise ValueError(f"other keys of numbers at {start}")
    return figures


def scan_document(text: str, start: int, lists: tuple[str, ...]) -> tuple[dict[str, Member], int, str]:
    """Return the members of a document, where it ends, and the text without foreign lines.

    Foreign lines (schedulers, kernel messages) between the lines of pretty-printed JSON, and quotation marks before
    them, are replaced by blanks, so positions stay.

    Parameters
    ----------
    text, start, lists
        As for `scan_object`.

    Returns
    -------
    members : dict of Member
        The members of the document.
    end : int
        Where it ends.
    clean : str
        `text` itself if the document has no foreign lines.

    Raises
    ------
    LogError
        If the JSON is broken or cut short, or a line contains foreign text.
    """
    try:
        return *scan_object(text, start, lists), text
    except (ValueError, RecursionError):
        clean = blank_foreign_lines(text, start)
    try:
        return *scan_object(clean, start, lists), clean
    except (ValueError, RecursionError) as error:
        raise LogError(f"{name_line(text, start)}: the JSON that starts here is cut short or broken") from error


def blank_foreign_lines(text: str, start: int) -> str:
    """Return `text` with blanks, from `start` on, instead of every line that is not JSON.

    A line that holds a key, or starts like one, always stays: a message inside it breaks the JSON. C's text for not a
    number (``-nan``) becomes null.
    """
    parts = [text[:start]]
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        line = text[start:end]
        match = _JSON_LINE.fullmatch(line)
        if not match:
            if not _MEMBER.match(line):
                line = " " * (end - start - 1) + "\n"
        else:
            if match[2]:
                line = line[: match.start(2)] + ("NaN", "null")[len(match[2]) - 3] + line[match.end(2) :]
            line = " " * len(match[1]) + line[len(match[1]) :]
        parts.append(line)
        start = end
    return "".join(parts)
