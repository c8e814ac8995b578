"""A ring is drawn where a line becomes level."""

from coldcache.analysis.figures.knees import draw_knees
from coldcache.analysis.figures.layouts import ONE_FILE, join_layouts
from coldcache.analysis.figures.style import COLOURS


def test_a_ring_marks_the_first_median_of_a_plateau(axes, rise):
    sweep = rise({"read": [10, 20, 40, 40, 40, 40], "write": [30, 30, 30, 30, 30, 30]})
    assert draw_knees(axes, sweep, sweep.cells) == "Rings: from here on a line is level."
    (ring,) = axes.lines
    assert ring.get_xydata().tolist() == [[4, 40e6]]
    assert (ring.get_markeredgecolor(), ring.get_markerfacecolor()) == (COLOURS["read"], "none")
    assert ring.get_gid() == "series-read"


def test_too_few_numbers_of_threads_have_no_ring(axes, sweep):
    assert draw_knees(axes, sweep, sweep.cells) is None and not axes.lines


def test_a_ring_of_a_shared_file_is_on_its_own_line(axes, rise):
    sweep = rise({"read": [10, 20, 40, 40, 40, 40], "write": [30] * 6})
    draw_knees(axes, sweep, join_layouts(sweep.cells * 2, sweep.cells), of=ONE_FILE)
    (ring,) = axes.lines
    assert (ring.get_ydata()[0], ring.get_gid()) == (40e6, "series-read-one-file")
