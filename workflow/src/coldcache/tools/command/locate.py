"""Find the figures of a pattern in a log: by a regular expression, a path in JSON, or a column of CSV.

Logs are decoded as Latin-1: one character per byte, so positions in the text are offsets in the log.
"""

import re
from collections.abc import Iterator
from json import JSONDecodeError, JSONDecoder
from typing import NamedTuple

from coldcache.core.errors import LogError
from coldcache.tools.command.form import FigurePattern
from coldcache.tools.command.time_limit import limited
from coldcache.tools.json_offsets import scan_array, scan_object

#: A number as programs print it; commas separate thousands.
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)?(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")

#: Computing time that an expression has for a log, in s: most need milliseconds.
REGEX_SECONDS = 10.0

_STEP = re.compile(r"""\.?([A-Za-z_][\w-]*)|\[(-?[0-9]+)\]|\["([^"]*)"\]|\['([^']*)'\]""")

_DOCUMENT = re.compile(r"^[ \t]*([{\[])", re.MULTILINE)
_KEY = re.compile(r'\{\s*"')
_DECODER = JSONDecoder(strict=False)


class LocatedFigure(NamedTuple):
    """A figure in a log.

    Attributes
    ----------
    offset, length : int
        ``log[offset:offset + length]`` is the number.
    unit : str
        As printed; empty if the pattern has no group for it.
    """

    offset: int
    length: int
    unit: str = ""


def find_places(pattern: FigurePattern, text: str) -> list[LocatedFigure]:
    """Return every figure that a pattern finds, in the order of the log.

    Parameters
    ----------
    pattern : FigurePattern
        Where to look.
    text : str
        The log, decoded as Latin-1.

    Raises
    ------
    LogError
        If a regular expression takes longer than `REGEX_SECONDS`, as ``(a+)+b`` does, or a table is cut short.
    """
    if pattern.regex:
        with limited(REGEX_SECONDS, f"patterns.{pattern.name}: regex"):
            return list(_find_matches(pattern.regex, text))
    if pattern.path:
        return list(_find_values(split_path(pattern.path), text))
    return list(_find_cells(pattern, text))


def parse_number(text: str) -> float | None:
    """Return the number that a text is; None if it is none. Commas separate thousands: ``12,345.6``."""
    return float(text.replace(",", "")) if _NUMBER.fullmatch(text) and any(map(str.isdigit, text)) else None


def split_path(path: str) -> tuple[str | int, ...]:
    """Return the steps of a path in JSON: keys as text, places in arrays as numbers.

    Parameters
    ----------
    path : str
        Such as ``jobs[0].read.bw`` or ``$.results["a.b"]``.

    Raises
    ------
    ValueError
        If it is no such path; the message says from where on.
    """
    at = 1 if path.startswith("$") else 0
    steps: list[str | int] = []
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None or (match[0].startswith(".") and not steps and at == 0):
            raise ValueError(f'cannot be read from "{path[at:]}" on; write it as jobs[0].read.bw')
        key, number, *quoted = match.groups()
        steps.append(int(number) if number else next(word for word in (key, *quoted) if word is not None))
        at = match.end()
    if not steps:
        raise ValueError("has no key; write it as jobs[0].read.bw")
    return tuple(steps)


def compile_regex(regex: str) -> re.Pattern[str]:
    """Return a compiled expression of a study, whose ``^`` and ``$`` stand for the ends of a line; raises `re.error`.

    Logs are decoded as Latin-1, and so is the expression: a ``µ`` in it stands for the two bytes of UTF-8.
    """
    return re.compile(regex.encode().decode("latin-1"), re.MULTILINE)


def name_group(expression: re.Pattern[str]) -> str | int:
    """Return the group of an expression that is the number: the one called ``value``, else the first."""
    return "value" if "value" in expression.groupindex else 1


def _find_matches(regex: str, text: str) -> Iterator[LocatedFigure]:
    expression = compile_regex(regex)
    group, has_unit = name_group(expression), "unit" in expression.groupindex
    for match in expression.finditer(text):
        start, end = match.span(group)
        if start >= 0:
            unit = (match["unit"] or "") if has_unit else ""
            yield LocatedFigure(start, end - start, unit.encode("latin-1").decode(errors="replace"))


def _find_values(steps: tuple[str | int, ...], text: str) -> Iterator[LocatedFigure]:
    """Yield the value at a path in each JSON document of a log; what lies inside a broken object is none."""
    end, broken = 0, None
    for match in _DOCUMENT.finditer(text):
        start = match.start(1)
        indent = start - match.start()
        if start < end or (broken is not None and indent > broken):
            continue
        broken = None
        try:
            end = scan_object(text, start)[1] if match[1] == "{" else scan_array(text, start)[1]
            span = _descend(text, start, end, steps)
        except (ValueError, RecursionError):
            end, is_broken = _find_break(text, start)
            # Brackets of a message, such as [INFO], hold nothing.
            broken = indent if is_broken and _KEY.match(text, start) else None
            continue
        if span:
            yield LocatedFigure(span[0], span[1] - span[0])


def _find_break(text: str, start: int) -> tuple[int, bool]:
    """Return where the JSON that begins at a place ends or breaks off, and whether it breaks off."""
    try:
        return _DECODER.raw_decode(text, start)[1], False
    except JSONDecodeError as error:
        return error.pos, True
    except RecursionError:
        return len(text), True


def _descend(text: str, start: int, end: int, steps: tuple[str | int, ...]) -> tuple[int, int] | None:
    """Return where the value at a path is, without quotation marks; None if the document has no such path."""
    for step in steps:
        if isinstance(step, int):
            if text[start] != "[":
                return None
            elements = scan_array(text, start)[0]
            if not -len(elements) <= step < len(elements):
                return None
            start, end = elements[step].start, elements[step].end
        else:
            if text[start] != "{":
                return None
            members = scan_object(text, start)[0]
            if step not in members:
                return None
            start, end = members[step].start, members[step].end
    return (start + 1, end - 1) if text[start] == '"' else (start, end)


def _find_cells(pattern: FigurePattern, text: str) -> Iterator[LocatedFigure]:
    """Yield the cells of a column below each line of headings that has it."""
    heads: dict[str, int] = {}
    delimiter = ","
    wanted = {pattern.column, *pattern.rows}
    for line in re.finditer(r"[^\r\n]+", text):
        guessed = next((mark for mark in ("\t", ";") if mark in line[0]), ",")
        words = [cell for cell, _, _ in _split_cells(line[0], guessed)]
        if wanted <= set(words):
            for name in sorted(wanted):
                if words.count(name) > 1:
                    raise LogError(f'pattern {pattern.name}: several columns are called "{name}"')
            heads, delimiter = {word: place for place, word in enumerate(words)}, guessed
            continue
        cells = _split_cells(line[0], delimiter)
        # A last column of free text may hold more delimiters.
        if len(cells) < len(heads):
            if line.end() == len(text):
                cause = f"the last line has {len(cells)} of {len(heads)} cells and no end: the log is cut short"
                raise LogError(f"pattern {pattern.name}: {cause}")
            heads = {}
        elif heads and all(cells[heads[name]][0] == level for name, level in pattern.rows.items()):
            word, begin, length = cells[heads[pattern.column]]
            if word:
                yield LocatedFigure(line.start() + begin, length)


def _split_cells(line: str, delimiter: str) -> list[tuple[str, int, int]]:
    """Return the cells of a line of CSV: the text of each, where it starts in the line, and its length."""
    cells, at = [], 0
    while True:
        begin = at + len(line[at:]) - len(line[at:].lstrip(" "))
        if line[begin : begin + 1] == '"':
            close = _find_quote(line, begin + 1)
            cells.append((line[begin + 1 : close].replace('""', '"'), begin + 1, close - begin - 1))
            end = line.find(delimiter, close)
        else:
            end = line.find(delimiter, begin)
            word = line[begin : end if end >= 0 else len(line)].rstrip(" ")
            cells.append((word, begin, len(word)))
        if end < 0:
            return cells
        at = end + 1


def _find_quote(line: str, start: int) -> int:
    """Return where a quoted cell ends: at a quotation mark that is not doubled, or at the end of the line."""
    match = re.compile(r'(?:[^"]|"")*').match(line, start)
    assert match is not None
    return match.end()
