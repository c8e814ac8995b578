"""Raw logs as HTML: every byte is shown, and the numbers that were read from the log are marked in place."""

import html
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup, escape

#: Logs up to this size, in B, are shown completely.
LONGEST_WHOLE_LOG = 64 * 1024

#: Bytes shown on each side of a number in a longer log, cut at line ends.
_AROUND = 600

#: Most numbers marked in one log; those that tables link to come first.
_MOST = 400


class LogMark(NamedTuple):
    """A number in a log that is marked.

    Attributes
    ----------
    offset, length : int
        Its bytes.
    name : str
        The anchor that pages link to.
    title : str
        A description.
    foremost : bool
        Whether tables and figures link to it.
    """

    offset: int
    length: int
    name: str
    title: str
    foremost: bool


class LogPiece(NamedTuple):
    """A part of a log, from byte `begin` up to byte `end`, as HTML."""

    begin: int
    end: int
    html: Markup


def mark_log(log: bytes, places: Iterable[LogMark], whole: int = LONGEST_WHOLE_LOG, ids: str = "") -> list[LogPiece]:
    """Return a log with its numbers marked: in one piece, or for a long log in pieces around the numbers.

    Parameters
    ----------
    log : bytes
        The content of the file; bytes that are not UTF-8 are shown as replacement characters.
    places : iterable of LogMark
        Its numbers. If some overlap, the first is marked, and the anchors of the others point to it.
    whole : int
        Logs up to this size, in B, are returned in one piece.
    ids : str
        What the anchors begin with, where a page holds several logs.
    """
    named = (place._replace(name=ids + place.name) for place in places) if ids else places
    known = {place.name: place for place in named if 0 <= place.offset <= len(log) - place.length}
    foremost = sorted(known.values(), key=lambda place: not place.foremost)[:_MOST]
    chosen = sorted(foremost, key=lambda place: place.offset)
    spans = [(0, len(log))] if len(log) <= whole else list(_surround(log, chosen))
    return [
        LogPiece(begin, end, _mark(log, begin, end, [place for place in chosen if begin <= place.offset < end]))
        for begin, end in spans
    ]


def _surround(log: bytes, places: Sequence[LogMark]) -> Iterator[tuple[int, int]]:
    """Yield the begin and end of the pieces around the numbers of a log; adjacent pieces are merged."""
    begin = end = -1
    for place in places:
        first, last = _cut_lines(log, place)
        if first > end:
            if end >= 0:
                yield begin, end
            begin = first
        end = max(end, last)
    if end >= 0:
        yield begin, end


def _cut_lines(log: bytes, place: LogMark) -> tuple[int, int]:
    """Return the begin and end of a piece around a number, at line ends if lines are short enough."""
    earliest, latest = max(0, place.offset - _AROUND), min(len(log), place.offset + place.length + _AROUND)
    begin = log.find(b"\n", earliest, place.offset) + 1 if earliest else 0
    end = log.rfind(b"\n", place.offset + place.length, latest) + 1 if latest < len(log) else latest
    return begin or earliest, end or latest


def _mark(log: bytes, begin: int, end: int, places: Sequence[LogMark]) -> Markup:
    # Joining escaped parts takes a fifth of the time of `Markup.format`, which parses its template each time.
    parts = []
    at = begin
    for _, alike in groupby(places, key=lambda place: place.offset):
        first, *others = alike
        targets = "".join(f'<span id="{escape(place.name)}"></span>' for place in others)
        if first.offset < at:
            parts.append(f'<span id="{escape(first.name)}"></span>{targets}')
            continue
        parts.append(_show(log[at : first.offset]) + targets)
        at = first.offset + first.length
        kind = ' class="foremost"' if first.foremost else ""
        number = _show(log[first.offset : at])
        parts.append(f'<mark id="{escape(first.name)}"{kind} title="{escape(first.title)}">{number}</mark>')
    return Markup("".join([*parts, _show(log[at:end])]))


def _show(content: bytes) -> str:
    # Quotes need no escape between tags, and JSON logs are full of them.
    return html.escape(content.decode("utf-8", errors="replace"), quote=False)
