"""A name of a level line moves to where no data and no other text are, and reads well where there is no such place."""

import numpy as np
import pytest
from canvas import find_crossed, find_outside, find_overlaps
from matplotlib.backends.backend_agg import FigureCanvasAgg

from coldcache.analysis.figures.free_name import FreeName


@pytest.fixture
def named(axes):
    """Return a function that draws lines, then a name at 100 with some length, and returns it as it was drawn."""

    def name(*lines, text="a limit, 100 MB/s"):
        for x, y, style in lines:
            axes.plot(x, y, **style)
        axes.axhline(100, color="grey", linestyle="--")
        found = FreeName(axes, text, 100, 100)
        axes.set_xlim(1, 64)
        axes.set_ylim(0, 200)
        axes.set_xscale("log")
        axes.figure.canvas.draw()
        return found

    return name


def side(axes, name):
    """Return where the middle of a name is, as shares of the axes' width and height."""
    box = name.get_window_extent()
    return axes.transAxes.inverted().transform(((box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2))


def test_a_name_is_above_its_line_at_the_left(axes, named):
    x, y = side(axes, named())
    assert x < 0.3
    assert 0.5 < y < 0.6


@pytest.mark.parametrize(
    "line",
    [
        ([1, 8], [110, 110], {}),
        ([1, 4], [112, 112], {"linestyle": "none", "marker": "o"}),
        ([1, 8, 9], [0, 200, 100], {}),
        ([1, 64], [110, 110], {}),
    ],
)
def test_a_name_gives_way_to_lines_and_marks_and_stays_beside_its_line(axes, named, line):
    name = named(line)
    assert 0.42 < side(axes, name)[1] < 0.58
    assert find_crossed(axes.figure, [name]) == []


def test_a_name_that_has_no_room_beside_its_line_is_further_off(axes, named):
    name = named(([1, 64], [110, 110], {}), ([1, 64], [92, 92], {}))
    assert 0.06 < abs(side(axes, name)[1] - 0.5) < 0.15
    assert find_crossed(axes.figure, [name]) == []


def test_a_name_gives_way_to_bars_points_and_texts(axes, named):
    axes.vlines([1.5, 4], 60, 140, color="black")
    axes.scatter([10], [108], color="black")
    axes.text(30, 102, "beside")
    name = named()
    assert find_crossed(axes.figure, [name]) == []
    assert find_overlaps(axes.figure) == []


def test_a_line_outside_the_axes_has_no_name(axes, named):
    name = named()
    assert name.get_visible()
    axes.set_ylim(0, 90)
    axes.figure.canvas.draw()
    assert not name.get_visible()


def test_a_name_stays_within_the_axes(axes, named):
    name = named()
    axes.set_ylim(0, 101)
    assert side(axes, name)[1] < 1
    axes.figure.canvas.draw()
    assert find_outside(axes.figure) == []
    assert side(axes, name)[1] < 0.98


def test_a_thin_line_leads_from_a_name_that_is_apart_to_its_line(axes, named):
    name = named(*(([1, 64], [y, y], {"color": "white"}) for y in range(80, 125, 5)))
    canvas = FigureCanvasAgg(axes.figure)
    canvas.draw()
    box, (_, line) = name.get_window_extent(), axes.transData.transform((1, 100))
    low, high = (box.y1 + 3, line - 3) if box.y1 < line else (line + 3, box.y0 - 3)
    assert high - low > 10
    middle = round((box.x0 + box.x1) / 2)
    pixels = np.asarray(canvas.buffer_rgba())[::-1, middle - 1 : middle + 2, :3].min(axis=(1, 2))
    assert (pixels[round(low) : round(high)] < 0xE0).all()


def test_a_name_that_finds_no_free_place_covers_what_is_behind_it(axes, named):
    name = named(*(([1, 64], [y, y], {"color": "black"}) for y in range(0, 200, 8)))
    assert find_crossed(axes.figure, [name]) == []


def test_a_crossed_text_is_noticed(axes):
    axes.plot([0, 1], [0.5, 0.6], color="black", zorder=9)
    axes.set_ylim(0, 1)
    crossed, free = axes.text(0.1, 0.48, "crossed"), axes.text(0.1, 0.8, "free")
    assert find_crossed(axes.figure, [crossed, free]) == ["crossed"]
