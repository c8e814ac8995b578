"""Tooltips of the marks of a figure, and the series of each mark."""

import re
from collections.abc import Mapping
from html import escape, unescape
from typing import Any

from matplotlib.artist import Artist

from coldcache.analysis.format import format_factor, format_interval

#: Beginnings of the ids with which matplotlib writes the artists of a series, and the name of a series.
_SERIES, _NAME = "series-", "name-of-"

_LINK = re.compile(r'<a xlink:href="([^" ]+)(?: ([^"]*))?" target="_blank">')


def say(page: str, text: str) -> str:
    """Return the URL of an artist: the page it links to, and its tooltip."""
    return f"{page} {text}"


def say_case(levels: Mapping[str, Any], estimate: float, low: float, high: float, n: int, unit: str) -> str:
    """Return a case in words: its levels, its median with the interval, and its runs."""
    counted = f", {n} runs" if n > 1 else ""
    return f"{say_levels(levels)}: {format_interval(estimate, low, high, unit, n)}{counted}"


def say_levels(levels: Mapping[str, Any]) -> str:
    """Return levels in words: ``read, threads 4``."""
    return ", ".join(
        str(level).replace("-", " ") if name == "operation" else format_factor(name, level)
        for name, level in levels.items()
    )


def assign_series(artist: Artist, level: Any) -> None:
    """Mark an artist as part of a series, so that both show and hide together."""
    artist.set_gid(f"{_SERIES}{_slug(level)}")


def name_series(artist: Artist, level: Any) -> None:
    """Mark a name as the switch of its series."""
    artist.set_gid(f"{_NAME}{_slug(level)}")


def _slug(level: Any) -> str:
    return re.sub(r"[^a-z0-9]+", "-", str(level).lower()).strip("-")


def write_marks(svg: str) -> str:
    """Return a drawing with an attribute on each series and a label on each link.

    The tab key skips links to single trials: the table below the figure has the same.
    """

    def label(match: re.Match[str]) -> str:
        page, text = match[1], unescape(match[2] or "")
        case, name = page.partition("#")[0].split("/")[-2:]
        is_trial = name != "index.html"
        text = text or (f"{name.removesuffix('.html')} of {case}" if is_trial else f"Trials of {case}")
        skipped = ' tabindex="-1"' if is_trial else ""
        return f'<a href="{page}"{skipped} aria-label="{escape(text)}">'

    svg = re.sub(rf' id="{_SERIES}([a-z0-9-]*)"', r' data-series="\1"', svg)
    svg = re.sub(rf' id="{_NAME}([a-z0-9-]*)"', r' data-series-name="\1"', svg)
    return _LINK.sub(label, svg)
