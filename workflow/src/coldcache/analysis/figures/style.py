"""How figures look: one colour and one marker per series, the same wherever it stands."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import matplotlib as mpl

#: Okabe and Ito's palette without yellow, told apart by every kind of colour vision.
_BLUE, _VERMILLION, _GREEN, _PURPLE, _SKY, _ORANGE = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"
INK, FAINT = "#222222", "#6b6b6b"


class Mark(NamedTuple):
    """Colour and marker of a series."""

    colour: str
    marker: str


#: Operations and levels that mean the same have the same mark in every figure.
MARKS = {
    "write": Mark(_BLUE, "o"),
    "read": Mark(_VERMILLION, "s"),
    "random-write": Mark(_GREEN, "^"),
    "random-read": Mark(_PURPLE, "D"),
    "file-create": Mark(_BLUE, "o"),
    "file-stat": Mark(_VERMILLION, "s"),
    "file-remove": Mark(_GREEN, "^"),
    "file-read": Mark(_PURPLE, "D"),
    "directory-create": Mark(_BLUE, "o"),
    "directory-stat": Mark(_VERMILLION, "s"),
    "directory-remove": Mark(_GREEN, "^"),
    "writeback": Mark(_BLUE, "o"),
    "writethrough": Mark(FAINT, "s"),
    "unsafe": Mark(_ORANGE, "D"),
}

#: Levels of a factor that has no marks of its own, in their order.
SERIES = (
    Mark(_BLUE, "o"), Mark(_VERMILLION, "s"), Mark(_GREEN, "^"), Mark(_PURPLE, "D"), Mark(_ORANGE, "v"),
    Mark(_SKY, "P"),
)  # fmt: skip


def mark_of(level: Any, levels: Sequence[Any]) -> Mark:
    """Return the mark of a level: its own where it has one, else by its place among the levels."""
    return MARKS.get(str(level)) or SERIES[list(levels).index(level) % len(SERIES)]


_RULES: dict[Any, Any] = {
    "figure.figsize": (6.0, 4.0),
    "figure.constrained_layout.use": True,
    "figure.dpi": 96,
    "font.size": 12,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.titlesize": 13,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.edgecolor": "#444444",
    "grid.color": "#e6e6e6",
    "grid.linewidth": 1,
    "xtick.bottom": False,
    "ytick.left": False,
    "xtick.minor.bottom": False,
    "ytick.minor.left": False,
    "lines.linewidth": 2,
    "lines.markersize": 6,
    "svg.fonttype": "path",
    "svg.hashsalt": "coldcache",
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw figures in the style of the study while the context lasts."""
    with mpl.rc_context(_RULES):
        yield
