"""Limits are dashed lines at their rates where the scale allows, and the caption states all of them."""

from dataclasses import replace

import pytest
import seaborn as sns
from canvas import find_crossed, find_outside, find_overlaps

from coldcache.analysis import figures as fig
from coldcache.analysis.figures.ceilings import draw_ceilings, draw_thresholds


def test_a_near_limit_is_drawn_and_named_and_a_far_one_is_in_the_caption_alone(axes, sweep):
    note = draw_ceilings(axes, replace(sweep, ceilings={"near": 500e6, "far": 50e9}))
    (line,) = axes.lines
    assert list(line.get_ydata()) == [500e6, 500e6]
    assert (line.get_linestyle(), line.get_linewidth(), line.get_zorder()) == ("--", 1.3, 1)
    assert [text.get_text() for text in axes.texts] == ["near, 500 MB/s"]
    assert note == "Dashed where the scale allows: near 500 MB/s; far 50.0 GB/s."


def test_limits_that_are_near_each_other_share_a_name(axes, sweep):
    axes.plot([1, 2], [0, 800e6])
    draw_ceilings(axes, replace(sweep, ceilings={"most": 520e6, "least": 500e6, "half": 250e6}))
    assert [text.get_text() for text in axes.texts] == ["half, 250 MB/s", "least, 500 MB/s; most, 520 MB/s"]
    assert find_overlaps(axes.figure) == []


@pytest.mark.parametrize("rate", [45e6, 105e6, 180e6, 255e6, 330e6, 415e6])
@pytest.mark.parametrize("name", ["limit", "measured, doubtful limit of reads"])
def test_no_name_of_a_limit_is_crossed(axes, sweep, rate, name):
    cells = sweep.cells
    sns.lineplot(cells.to_dataframe(), x="threads", y="estimate", ax=axes, **fig.lines_by(cells, "operation"))
    fig.draw_bands(axes, cells)
    fig.draw_runs(axes, sweep, cells)
    draw_ceilings(axes, replace(sweep, ceilings={name: rate, "least": 0.5 * rate}))
    fig.set_x(axes, "threads", log=2)
    fig.set_y(axes, "throughput", unit="B/s", start=0)
    fig.name_lines(axes, cells, by="operation")
    names = [text for text in axes.texts if " MB/s" in text.get_text()]
    assert names
    assert find_overlaps(axes.figure) == []
    assert find_crossed(axes.figure, names) == []


def test_names_that_do_not_fit_in_a_line_have_one_each_and_all_of_it_is_seen(axes, sweep):
    asked = {"asked of each core (least)": 100e6, "asked of each core (most)": 120e6}
    draw_ceilings(axes, replace(sweep, ceilings=asked))
    axes.set_ylim(0, 500e6)
    (name,) = axes.texts
    # The name of the higher line is above that of the lower.
    assert name.get_text() == "asked of each core (most), 120 MB/s\nasked of each core (least), 100 MB/s"
    assert find_outside(axes.figure) == []
    assert axes.bbox.x0 < name.get_window_extent().x0 < name.get_window_extent().x1 < axes.bbox.x1


def test_a_rate_that_is_asked_of_each_core_is_drawn(axes, sweep):
    draw_ceilings(axes, replace(sweep, ceilings={"asked of each core (least)": 100e6}))
    assert [text.get_text() for text in axes.texts] == ["asked of each core (least), 100 MB/s"]


def test_only_limits_of_what_is_drawn_are_drawn(axes, sweep):
    limited = replace(sweep, ceilings={"limit of reads": 300e6, "limit of writes": 70e6})
    writes = limited.cells.sel(operation=["write"])
    note = draw_ceilings(axes, limited, writes)
    assert [text.get_text() for text in axes.texts] == ["limit of writes, 70.0 MB/s"]
    # One caption serves the panels of all operations.
    assert note == "Dashed where the scale allows: limit of reads 300 MB/s; limit of writes 70.0 MB/s."


def test_limits_along_x_and_in_a_small_figure_are_named_in_the_caption_alone(axes, sweep):
    limited = replace(sweep, ceilings={"limit": 300e6})
    draw_ceilings(axes, limited, along="x")
    draw_ceilings(axes, limited, named=False)
    upright, level = axes.lines
    assert (list(upright.get_xdata()), list(level.get_ydata())) == ([300e6] * 2, [300e6] * 2)
    assert not axes.texts


def test_no_limit_has_no_note(axes, sweep):
    assert draw_ceilings(axes, sweep) is None
    assert not axes.lines


def test_thresholds_are_named_above_the_axes_on_both_sides(axes):
    axes.set_xlim(0, 1e9)
    axes.set_yticks([])
    draw_thresholds(axes, {"125 MB/s": 125e6, "100 MB/s": 100e6})
    assert [list(line.get_xdata()) for line in axes.lines] == [[100e6] * 2, [125e6] * 2]
    assert [text.get_text() for text in axes.texts] == ["100 MB/s", "125 MB/s"]
    assert find_overlaps(axes.figure) == []
