"""A name of a level line, at the place near the line where nothing else is drawn."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.collections import Collection, LineCollection, PathCollection
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Bbox, IdentityTransform

#: Points between a name and its line, and around a name where nothing is drawn.
_GAP, _MARGIN = 3.0, 1.0

#: Places along the line that are tried, from the left, and the share of the axes' width before the first.
_PLACES, _INDENT = 16, 0.01

#: Distances from the line that are tried, and points between two of them.
_DISTANCES, _STEP = 12, 6.0

#: Points between a name and its line from which a thin line joins them.
_APART = 12.0

#: Names lie above everything, on white: what none of the places avoids does not strike them through.
_ABOVE_DATA = 5


class FreeName(Text):
    """A text that moves, whenever it is drawn, to where neither data nor other texts are.

    It is above the line or below it, as near as there is room within the axes. Scales and limits may be set after it
    was made. Where they leave the line out of the axes, the name is left out, too.

    Parameters
    ----------
    axes : Axes
        Where the line is; the text is added to it.
    text : str
        The name.
    lowest, highest : float
        Where the line is along y, or the outer two of several lines with one name.
    **style
        As `Text` takes it.
    """

    def __init__(self, axes: Axes, text: str, lowest: float, highest: float, **style: Any):
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
        super().__init__(0, 0, text, va="bottom", bbox=box, zorder=_ABOVE_DATA, **style)
        self.lowest, self.highest = lowest, highest
        axes.add_artist(self)
        self.set_transform(IdentityTransform())
        self.set_clip_on(False)
        # It is within the axes: their size does not depend on it.
        self.set_in_layout(False)

    def draw(self, renderer: RendererBase) -> None:
        """Move to the freest place, and draw."""
        axes = self.axes
        if isinstance(axes, Axes) and self.get_visible():
            self.set_visible(_shows(axes, self.lowest, self.highest))
        if isinstance(axes, Axes) and self.get_visible():
            self.set_position(self._find_place(axes, renderer))
            self._lead_to_line(axes, renderer)
        super().draw(renderer)

    def _lead_to_line(self, axes: Axes, renderer: RendererBase) -> None:
        """Draw a thin line between the name and its line where they are apart."""
        box = super().get_window_extent(renderer)
        (_, below), (_, above) = np.asarray(axes.transData.transform([(1, self.lowest), (1, self.highest)])).tolist()
        near, end = (box.y0, above) if box.y0 > above else (box.y1, below)
        if abs(near - end) < _APART * float(np.asarray(renderer.points_to_pixels(1))):
            return
        middle = (box.x0 + box.x1) / 2
        leader = Line2D([middle, middle], [near, end], color=str(self.get_color()), linewidth=0.8)
        leader.set_figure(axes.figure)
        leader.draw(renderer)

    def _find_place(self, axes: Axes, renderer: RendererBase) -> tuple[float, float]:
        """Return the lower left corner in pixels: of the freest places, the nearest and then the leftmost."""
        pixel = float(np.asarray(renderer.points_to_pixels(1)))
        size = super().get_window_extent(renderer)
        first = axes.bbox.x0 + _INDENT * axes.bbox.width
        across = np.linspace(first, max(first, axes.bbox.x1 - size.width), _PLACES)
        places = [(float(x), y) for y in self._list_heights(axes, pixel, size.height) for x in across]
        lines, marks = list(_list_lines(axes)), np.array([*_list_marks(axes, pixel), *self._list_texts(axes, renderer)])
        counts = []
        for x, y in places:
            box = Bbox.from_bounds(x, y, size.width, size.height).padded(_MARGIN * pixel)
            counts.append(sum(line.intersects_bbox(box, filled=False) for line in lines) + _count_within(box, marks))
            if not counts[-1]:
                break
        return places[counts.index(min(counts))]

    def _list_heights(self, axes: Axes, pixel: float, height: float) -> list[float]:
        """Return heights within the axes, above the line and below it, the nearest first."""
        ends = np.asarray(axes.transData.transform([(1, self.lowest), (1, self.highest)]), dtype=float)
        below, above = ends[:, 1].tolist()
        gaps = [(_GAP + step * _STEP) * pixel for step in range(_DISTANCES)]
        heights = [y for gap in gaps for y in (above + gap, below - gap - height)]
        return [y for y in heights if axes.bbox.y0 <= y and y + height <= axes.bbox.y1] or heights[:1]

    def _list_texts(self, axes: Axes, renderer: RendererBase) -> Iterator[tuple[float, ...]]:
        """Yield the extents of the texts before this one: those after it give way to it."""
        for text in filter(Text.get_visible, axes.texts[: axes.texts.index(self)]):
            yield Text.get_window_extent(text, renderer).extents


def _shows(axes: Axes, lowest: float, highest: float) -> bool:
    """Return whether the limits of y leave any of the lines between two values within the axes."""
    bottom, top = sorted(axes.get_ylim())
    return highest >= bottom and lowest <= top


def _list_lines(axes: Axes) -> Iterator[Path]:
    """Yield the lines and bars of axes in pixels."""
    for line in filter(Line2D.get_visible, axes.lines):
        if line.get_linestyle() != "None":
            yield line.get_transform().transform_path(line.get_path())
    for bars in filter(Collection.get_visible, axes.collections):
        if isinstance(bars, LineCollection):
            yield from map(bars.get_transform().transform_path, bars.get_paths())


def _list_marks(axes: Axes, pixel: float) -> Iterator[tuple[float, ...]]:
    """Yield the extents of markers in pixels."""
    for line in filter(Line2D.get_visible, axes.lines):
        if line.get_marker() not in ("None", "", None):
            path = line.get_transform().transform_path(line.get_path())
            yield from _frame(path.vertices, float(line.get_markersize()) * pixel / 2)
    for drawn in filter(Collection.get_visible, axes.collections):
        if isinstance(drawn, PathCollection):
            half = float(np.sqrt(np.max(drawn.get_sizes(), initial=0))) * pixel / 2
            yield from _frame(drawn.get_offset_transform().transform(np.asarray(drawn.get_offsets())), half)


def _frame(points: npt.ArrayLike, half: float) -> Iterator[tuple[float, ...]]:
    for x, y in np.asarray(points, dtype=float):
        yield x - half, y - half, x + half, y + half


def _count_within(box: Bbox, extents: npt.NDArray[np.float64]) -> int:
    """Return how many of some extents reach into a box."""
    if not extents.size:
        return 0
    left, bottom, right, top = extents.T
    return int(((left < box.x1) & (right > box.x0) & (bottom < box.y1) & (top > box.y0)).sum())
