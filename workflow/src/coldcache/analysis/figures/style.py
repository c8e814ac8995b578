"""How figures look: one colour and one marker per series, the same in every figure."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
import xarray as xr
from matplotlib.colors import to_hex, to_rgb
from matplotlib.typing import ColorType

#: Okabe and Ito's palette without yellow, distinct for every kind of colour vision.
_BLUE, _VERMILLION, _GREEN, _PURPLE, _SKY, _ORANGE = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"
#: Dark hues of Tol's palette, for operations on names: they differ from those above in lightness, too.
_INDIGO, _WINE = "#332288", "#882255"
INK, FAINT = "#222222", "#6b6b6b"

#: How lines that only join runs are drawn.
FAINT_LINE = {"color": FAINT, "linewidth": 0.8, "alpha": 0.5, "zorder": 1}

#: Least contrast of text with what is behind it (WCAG 2, level AA).
CONTRAST = 4.5


#: Dashes of a line: solid, and two kinds of broken lines.
_SOLID, _DASHED, _DOTTED = "", (4.0, 1.6), (1.4, 1.4)


class Mark(NamedTuple):
    """Colour and marker of a series, and the dashes of its line."""

    colour: str
    marker: str
    dashes: str | tuple[float, float] = _SOLID


#: Operations and levels that mean the same have the same mark in every figure. An operation on directories has the
#: colour of the same on files, and a dashed line.
MARKS = {
    "write": Mark(_BLUE, "o"),
    "read": Mark(_VERMILLION, "s"),
    "random-write": Mark(_GREEN, "^"),
    "random-read": Mark(_PURPLE, "D"),
    "file-create": Mark(_SKY, "o"),
    "file-stat": Mark(_ORANGE, "s"),
    "file-remove": Mark(_INDIGO, "^"),
    "file-read": Mark(_WINE, "D"),
    "directory-create": Mark(_SKY, "p", _DASHED),
    "directory-stat": Mark(_ORANGE, "h", _DASHED),
    "directory-remove": Mark(_INDIGO, "v", _DASHED),
    "writeback": Mark(_BLUE, "o"),
    "writethrough": Mark(FAINT, "s"),
    "unsafe": Mark(_ORANGE, "D"),
}

#: Levels of a factor that has no marks of its own, in their order.
SERIES = (
    Mark(_BLUE, "o"), Mark(_VERMILLION, "s"), Mark(_GREEN, "^"), Mark(_PURPLE, "D"), Mark(_ORANGE, "v"),
    Mark(_SKY, "P"),
)  # fmt: skip

#: What further levels have, and those beside levels with marks of their own, once none of the above is left.
_FURTHER = (Mark(_INDIGO, "X"), Mark(_WINE, "p"), Mark(FAINT, "h"))

#: Lines of one figure that a reader can distinguish at a glance.
MOST_LINES = len(SERIES)

#: The colour of each operation, of each level that has a mark of its own, and of the first series of any other kind.
COLOURS = {**{name: mark.colour for name, mark in MARKS.items()}, "first": _BLUE, "second": _VERMILLION}


#: Colours of what misses a goal (True) and what keeps it.
KEPT = {True: _VERMILLION, False: _BLUE}


#: The end of the name of a line that shows part of an operation: its marker and dashes.
_PARTS: dict[str, tuple[str, str | tuple[float, float]]] = {
    " p50": ("o", _SOLID),
    " p99": ("^", _DASHED),
    ", one file": ("v", _DASHED),
}


def mark_level(level: Any, levels: Sequence[Any]) -> Mark:
    """Return the mark of a level: its own where it has one, else one that no other level of the figure has.

    A percentile of an operation, or its part on one shared file, has the operation's colour.
    """
    name = str(level)
    for end, (marker, dashes) in _PARTS.items():
        if (whole := name.removesuffix(end)) != name and whole in MARKS:
            return Mark(MARKS[whole].colour, marker, dashes)
    if name in MARKS:
        return MARKS[name]
    others = [one for one in levels if str(one) not in MARKS]
    taken = {MARKS[str(one)].colour for one in levels if str(one) in MARKS}
    free = [mark for mark in (*SERIES, *_FURTHER) if mark.colour not in taken]
    return free[others.index(level) % len(free)]


def darken(colour: str) -> str:
    """Return a colour in which text can be read on white: dark enough for a contrast of `CONTRAST`."""
    red, green, blue = to_rgb(colour)
    while find_contrast((red, green, blue)) < CONTRAST:
        red, green, blue = 0.97 * red, 0.97 * green, 0.97 * blue
    return to_hex((red, green, blue))


def find_contrast(colour: ColorType) -> float:
    """Return the contrast of a colour with white, from 1 to 21, as WCAG 2 defines it."""
    channels = np.array(to_rgb(colour))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return float(1.05 / (linear @ (0.2126, 0.7152, 0.0722) + 0.05))


def lines_by(cells: xr.Dataset, factor: str) -> dict[str, Any]:
    """Return the arguments with which `seaborn.lineplot` draws a line per level of a factor in the house style.

    Parameters
    ----------
    cells : Dataset
        Estimates; `factor` is one of their dims. Nothing is aggregated: the estimates are drawn as they are.
    factor : str
        Becomes colour, marker and dashes: each level has the same in every figure.
    """
    levels = cells[factor].values.tolist()
    marks = {level: mark_level(level, levels) for level in levels}
    return {
        "hue": factor, "style": factor, "hue_order": levels, "style_order": levels, "legend": False,
        "dashes": {level: mark.dashes for level, mark in marks.items()},
        "palette": {level: mark.colour for level, mark in marks.items()},
        "markers": {level: mark.marker for level, mark in marks.items()}, "estimator": None, "errorbar": None,
    }  # fmt: skip


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
    "errorbar.capsize": 0,
    # DejaVu Sans is among the widest of its kind: letters of another font are narrower and collide with nothing.
    "svg.fonttype": "none",
    "svg.hashsalt": "coldcache",
}


#: What differs in figures of which four fit in a row: their letters are as large as the text beside them.
_SMALL_RULES: dict[Any, Any] = {
    "figure.figsize": (2.9, 2.1), "font.size": 8.5, "axes.titlesize": 8.5, "axes.titleweight": "normal",
    "lines.linewidth": 1.6, "lines.markersize": 4,
}  # fmt: skip


def set_house_style(is_small: bool = False) -> None:
    """Draw every further figure of this process in the style of the study, so small that four fit in a row if asked."""
    mpl.rcParams.update(_RULES)
    if is_small:
        mpl.rcParams.update(_SMALL_RULES)


@contextmanager
def house_style() -> Iterator[None]:
    """Draw figures in the style of the study while the context lasts."""
    with mpl.rc_context(_RULES):
        yield
