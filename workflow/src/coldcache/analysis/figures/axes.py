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
from coldcache.analysis.figures.style import Mark, darken, mark_level
from coldcache.analysis.format import name_setting_level

#: Ticks that fit on an axis of levels.
_MOST_TICKS = 10

#: The share of the width of axes that the names of lines leave.
_WIDTH_LEFT = 0.8

#: Height of a line's name over the size of its letters, and the distance in points between the axes and the names.
_NAME_HEIGHT, _NAME_GAP = 1.35, 6.0

#: Heights of a name by which it may lie beside the end of its line before a thin line joins the two.
_FAR = 0.8


def shorten_number(value: float) -> str:
    """Return the number of a tick in few letters: ``20 k``, ``1.5 M``."""
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g} {letter}"
    return f"{value:g}"


#: Axes along x that are less wide than this, in inches, have fewer ticks.
_NARROW = 3.0


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
        where the data begin), ``highest`` (the value that decides its unit; by default its own end), ``ticks`` (where
        they are fixed) and ``whole`` (whether ticks are whole numbers).
    """
    _set_axis(axes, "x", quantity, unit, **how)


def set_y(axes: Axes, quantity: str, unit: str = "1", **how: Any) -> None:
    """Set the scale, ticks and label of the y axis once everything is drawn; arguments as for `set_x`."""
    _set_axis(axes, "y", quantity, unit, **how)


def _set_axis(
    axes: Axes, which: str, quantity: str, unit: str, log: int | None = None, start: float | None = 0.0,
    ticks: Sequence[float] | None = None, whole: bool = False, highest: float | None = None,
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
        divisor, name = scale_for(unit, highest or max(axis.get_view_interval()))
        inches = axes.get_window_extent().width / axes.figure.dpi
        axis.set_major_locator(MaxNLocator(4 if which == "x" and inches < _NARROW else 6, integer=whole))
        axis.set_major_formatter(FuncFormatter(lambda value, _: shorten_number(value / divisor)))
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
    is_x = axis is axis.axes.xaxis
    shown = _thin_out(axis, places) if is_x else places[:: 1 + len(places) // _MOST_TICKS]
    axis.set_ticks(shown, [f"{place:,g}" for place in shown])
    axis.set_ticks([], minor=True)
    axis.axes.margins(x=0.06)


def _thin_out(axis: Axis, places: list[float]) -> list[float]:
    """Return the ticks of a logarithmic axis whose names have room: the ends, powers of two, and others if few."""
    known = [place for place in places if place > 0]
    if len(known) < 2:
        return known
    if len(known) > _MOST_TICKS:
        known = [place for place in known if place in (known[0], known[-1]) or np.log2(place) % 1 == 0]
    # The names of lines will take a part of the width.
    width = _WIDTH_LEFT * axis.axes.bbox.width * 72 / axis.axes.figure.get_dpi()
    scale = width / np.log2(known[-1] / known[0])
    letter = 0.62 * mpl.rcParams["font.size"]
    room = {place: letter * (len(f"{place:,g}") + 0.8) / 2 for place in known}
    chosen: list[float] = []
    ranked = sorted(known, key=lambda place: (place not in (known[0], known[-1]), np.log2(place) % 1 != 0))
    for place in ranked:
        if all(abs(np.log2(place / other)) * scale >= room[place] + room[other] for other in chosen):
            chosen.append(place)
    return sorted(chosen)


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
    axis.set_major_formatter(FuncFormatter(lambda value, _: shorten_number(value / divisor)))
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
    _lay_out(axes)
    levels = cells[by].values.tolist()
    ends = []
    marks = {level: mark_level(level, levels) for level in levels}
    for level, mark in marks.items():
        # Of lines of one colour the first is the operation's own, and has its law.
        has_law = level == next(one for one in levels if marks[one].colour == mark.colour)
        for line in axes.lines:
            if _is_of(line, mark, has_law) and not line.get_url() and not line.get_gid():
                assign_series(line, level)
        lines = [_points(line) for line in _list_series(axes) if _is_of(line, mark, has_law)]
        # A law is drawn beyond the last point of its operation.
        last = [(x[np.isfinite(y)][-1], y[np.isfinite(y)][-1]) for x, y in lines if np.isfinite(y).any()]
        if last:
            at = axes.transData.transform(max(last))
            ends.append((float(at[1]), _short_name(by, level, levels), mark.colour, level, float(at[0])))
    ends.sort(key=lambda end: end[:2])
    pixels = _part([pixel for pixel, *_ in ends], axes)
    for place, (pixel, name, colour, level, across) in zip(pixels, ends, strict=True):
        x, y = axes.transAxes.inverted().transform((axes.bbox.x1, place))
        if abs(place - pixel) > _FAR * _name_room(axes):
            begin = axes.transAxes.inverted().transform((across, pixel))
            axes.plot(
                [begin[0], x + 0.01], [begin[1], y], transform=axes.transAxes, color=colour, linewidth=0.6, alpha=0.7,
                clip_on=False, zorder=1,
            )  # fmt: skip
        written = axes.annotate(
            name, (x, y), xycoords="axes fraction", xytext=(_NAME_GAP, 0), textcoords="offset points", va="center",
            color=darken(colour), fontweight="bold", annotation_clip=False,
        )  # fmt: skip
        name_series(written, level)


def _lay_out(axes: Axes) -> None:
    """Place the axes of a figure where they will be drawn."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    if engine := figure.get_layout_engine():
        engine.execute(figure)


def _is_of(line: Line2D, mark: Mark, has_law: bool) -> bool:
    """Return whether a line has the colour and the marker of a mark; a law or a prediction has no marker."""
    plain = ("None", "", None) if has_law else ()
    return line.get_color() == mark.colour and line.get_marker() in (mark.marker, *plain)


def _name_room(axes: Axes) -> float:
    """Return the pixels that the name of a line takes."""
    return _NAME_HEIGHT * mpl.rcParams["font.size"] * axes.figure.get_dpi() / 72


def _part(pixels: list[float], axes: Axes) -> list[float]:
    """Spread rising places by the height of a name, and keep them within the axes if they fit."""
    room = _name_room(axes)
    top = axes.bbox.y1 - room / 2
    placed: list[float] = []
    for pixel in pixels:
        placed.append(max(pixel, placed[-1] + room) if placed else pixel)
    for index in range(len(placed) - 1, -1, -1):
        most = top if index == len(placed) - 1 else placed[index + 1] - room
        placed[index] = min(placed[index], most)
    return placed


def _short_name(factor: str, level: Any, levels: Sequence[Any]) -> str:
    """Return the name of a line: an operation in words, with its object if the figure has files and directories."""
    name = name_setting_level(factor, level)
    if factor not in ("operation", "line"):
        return name
    what, _, operation = name.partition("-")
    if what not in ("file", "directory"):
        return name.replace("-", " ")
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
