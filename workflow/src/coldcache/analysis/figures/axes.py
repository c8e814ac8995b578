"""Axes: their scale, ticks, quantity and unit, and the names of lines and values."""

from collections.abc import Iterable, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
import numpy.typing as npt
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from coldcache.analysis.figures.marks import assign_series, name_series
from coldcache.analysis.figures.style import darken, mark_level
from coldcache.analysis.format import format_level

#: Ticks that fit on an axis of levels.
_MOST_TICKS = 10

#: Height of a line's name over the size of its letters, and the distance in points between the axes and the names.
_NAME_HEIGHT, _NAME_GAP = 1.35, 6.0


def shorten(value: float) -> str:
    """Return the number of a tick in few letters: ``20 k``, ``1.5 M``."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g} {letter}"
    return f"{value:g}"


def scale_for(unit: str, highest: float) -> tuple[float, str]:
    """Return the divisor of the ticks of an axis that starts at zero, and the unit of its label.

    Parameters
    ----------
    unit : {"B/s", "1/s", "s", "1"}
        The stored unit of what is drawn.
    highest : float
        The end of the axis, in `unit`.
    """
    if unit == "B/s":
        return (1e9, "GB/s") if highest >= 1e9 else (1e6, "MB/s")
    if unit == "1/s":
        if highest >= 1e7:
            return 1e6, "million per second"
        return (1e3, "thousand per second") if highest >= 1e4 else (1.0, "per second")
    if unit == "s":
        return (1.0, "s") if highest >= 1 else (1e-3, "ms") if highest >= 1e-3 else (1e-6, "µs")
    return (0.01, "%") if unit == "%" else (1.0, "")


def set_x(axes: Axes, quantity: str, unit: str = "1", **how: Any) -> None:
    """Set the scale, ticks and label of the x axis once everything is drawn.

    Parameters
    ----------
    axes : Axes
        What is drawn on it is in `unit`, as the dataset stores it.
    quantity : str
        The first words of the label.
    unit : {"B/s", "1/s", "s", "1", "%"}
        The stored unit; ticks and label show a multiple of it, and ``%`` a share in per cent.
    **how
        ``log`` (2 or 10; linear where it is not given), ``start`` (the lower end of a linear axis: 0, or None for
        where the data begin), ``ticks`` (where they are fixed) and ``whole`` (whether ticks are whole numbers).
    """
    _set_axis(axes, "x", quantity, unit, **how)


def set_y(axes: Axes, quantity: str, unit: str = "1", **how: Any) -> None:
    """Set the scale, ticks and label of the y axis once everything is drawn; arguments as for `set_x`."""
    _set_axis(axes, "y", quantity, unit, **how)


def _set_axis(
    axes: Axes, which: str, quantity: str, unit: str, log: int | None = None, start: float | None = 0.0,
    ticks: Sequence[float] | None = None, whole: bool = False,
) -> None:  # fmt: skip
    axis, set_scale, set_limits = (
        (axes.xaxis, axes.set_xscale, axes.set_xlim) if which == "x" else (axes.yaxis, axes.set_yscale, axes.set_ylim)
    )
    if log == 2:
        set_scale("log", base=2)
        _set_powers(axis, sorted({*(_list_places(axes) if ticks is None else ticks)}))
        axis.set_label_text(f"{quantity} (log2)")
    elif log:
        set_scale("log", base=log)
        _set_decades(axis, ticks, 0.01 if unit == "%" else 1.0)
        name = {"1/s": ", per second", "1": "", "%": ", %"}.get(unit, f", {unit}")
        axis.set_label_text(f"{quantity}{name} (log10)")
    else:
        if start is not None:
            set_limits(start, None)
        divisor, name = scale_for(unit, max(axis.get_view_interval()))
        axis.set_major_locator(MaxNLocator(6, integer=whole))
        axis.set_major_formatter(FuncFormatter(lambda value, _: shorten(value / divisor)))
        axis.set_label_text(f"{quantity}, {name}" if name else quantity)


def _points(line: Line2D) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return x and y of the points of a line."""
    return np.asarray(line.get_xdata(), dtype=float), np.asarray(line.get_ydata(), dtype=float)


def _list_series(axes: Axes) -> list[Line2D]:
    """Return the lines of axes whose points are data, without those across all of the axes and without single runs."""
    return [line for line in axes.lines if line.get_transform() == axes.transData and line.get_linestyle() != "None"]


def _list_places(axes: Axes) -> set[float]:
    """Return the places along x at which lines have points with a marker; a law has none."""
    lines = [line for line in _list_series(axes) if line.get_marker() not in ("", "None", None)]
    return {float(x) for line in lines for x in _points(line)[0]}


def _set_powers(axis: Axis, places: list[float]) -> None:
    shown = places if len(places) <= _MOST_TICKS else [place for place in places if np.log2(place) % 1 == 0]
    shown = shown if len(shown) <= _MOST_TICKS else shown[::2]
    axis.set_ticks(shown, [f"{place:,g}" for place in shown])
    axis.set_ticks([], minor=True)
    axis.axes.margins(x=0.06)


def _set_decades(axis: Axis, ticks: Sequence[float] | None, divisor: float) -> None:
    """Set ticks at 1, 2 and 5, fewer over many decades, or where they are fixed."""
    low, high = sorted(axis.get_view_interval())
    decades = np.log10(high / low) if low > 0 else 9
    if ticks is not None:
        axis.set_ticks([tick for tick in ticks if low <= tick <= high])
    elif decades < 0.6:
        axis.set_major_locator(MaxNLocator(4))
    else:
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < 1.7 else (1, 3) if decades < 2.5 else (1,)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: shorten(value / divisor)))
    axis.set_minor_formatter(NullFormatter())
    axis.set_ticks([], minor=True)


def name_lines(axes: Axes, cells: xr.Dataset, by: str) -> None:
    """Write the level of each line at its right end, outside the axes, with room between two names.

    Parameters
    ----------
    axes : Axes
        Its scales are set; `lines_by` chose the colours of its lines.
    cells : Dataset
        What the lines show; `by` is one of its dims.
    by : str
        The factor of which each level is a line.
    """
    axes.figure.canvas.draw()
    levels = cells[by].values.tolist()
    ends = []
    for level in levels:
        colour = mark_level(level, levels).colour
        for line in axes.lines:
            if line.get_color() == colour and not line.get_url():
                assign_series(line, level, levels)
        lines = [_points(line) for line in _list_series(axes) if line.get_color() == colour]
        # A law is drawn beyond the last point of its operation.
        last = [(x[np.isfinite(y)][-1], y[np.isfinite(y)][-1]) for x, y in lines if np.isfinite(y).any()]
        if last:
            pixel = axes.transData.transform(max(last))[1]
            ends.append((float(pixel), _short_name(by, level, levels), colour, level))
    ends.sort(key=lambda end: end[:2])
    pixels = _part([pixel for pixel, *_ in ends], axes)
    for place, (_, name, colour, level) in zip(pixels, ends, strict=True):
        written = axes.annotate(
            name, (1, axes.transAxes.inverted().transform((0, place))[1]), xycoords="axes fraction",
            xytext=(_NAME_GAP, 0), textcoords="offset points", va="center", color=darken(colour), fontweight="bold",
            annotation_clip=False,
        )  # fmt: skip
        name_series(written, level, levels)


def _part(pixels: list[float], axes: Axes) -> list[float]:
    """Return rising places, moved apart by the height of a name and kept within the axes as far as they fit."""
    room = _NAME_HEIGHT * mpl.rcParams["font.size"] * axes.figure.get_dpi() / 72
    top = axes.bbox.y1
    placed: list[float] = []
    for pixel in pixels:
        placed.append(max(pixel, placed[-1] + room) if placed else pixel)
    for index in range(len(placed) - 1, -1, -1):
        most = top if index == len(placed) - 1 else placed[index + 1] - room
        placed[index] = min(placed[index], most)
    return placed


def _short_name(factor: str, level: Any, levels: Sequence[Any]) -> str:
    """Return what a line is called: an operation without its object, unless lines of both objects are there."""
    name = format_level(factor, level)
    what, _, operation = name.partition("-")
    if what not in ("file", "directory"):
        return name
    is_named = what == "directory" and f"file-{operation}" in levels
    return f"{operation} dir" if is_named else operation


def name_values(axes: Axes, x: Iterable[float], y: Iterable[float], template: str) -> None:
    """Write values above their points, such as ``{:.3g}×``; NaN has no text."""
    for place, row in zip(x, y, strict=True):
        if np.isfinite(place):
            axes.annotate(
                template.format(place), (place, row), xytext=(0, 6), textcoords="offset points", ha="center",
                fontsize=10,
            )  # fmt: skip
