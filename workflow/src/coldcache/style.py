"""How figures look: one colour and one marker per series, the same wherever it stands."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import matplotlib as mpl
import seaborn as sns

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
    "writeback": Mark(_BLUE, "o"),
    "writethrough": Mark(FAINT, "s"),
    "unsafe": Mark(_ORANGE, "D"),
}

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
    "lines.linewidth": 2,
    "lines.markersize": 6,
    "svg.fonttype": "path",
    "svg.hashsalt": "coldcache",
}


@contextmanager
def house_style() -> Iterator[None]:
    """Draw figures in the style of the study while the context lasts."""
    with sns.axes_style("whitegrid", {"grid.color": "#e6e6e6", "axes.edgecolor": "#444444"}), mpl.rc_context(_RULES):
        yield
