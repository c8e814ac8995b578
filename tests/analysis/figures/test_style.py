"""Each level has the same colour and marker in every figure."""

import matplotlib as mpl
import pytest
import seaborn as sns
from matplotlib.lines import Line2D

from coldcache.analysis.figures.style import (
    COLOURS,
    CONTRAST,
    FAINT,
    INK,
    MARKS,
    SERIES,
    darken,
    find_contrast,
    house_style,
    lines_by,
    mark_level,
    set_house_style,
)  # fmt: skip


def test_known_levels_have_their_own_mark_and_others_one_by_position():
    assert mark_level("read", ["write", "read"]) == MARKS["read"]
    assert mark_level("b", ["a", "b"]) == SERIES[1]
    levels = list(range(9))
    marks = [mark_level(level, levels) for level in levels]
    assert tuple(marks[: len(SERIES)]) == SERIES
    assert len({mark.colour for mark in marks}) == len({mark.marker for mark in marks}) == len(levels)


def test_a_level_without_a_mark_of_its_own_has_the_colour_of_no_other():
    levels = ["read", "reread", "rewrite", "write", "random-read", "stride-read"]
    assert len({mark_level(level, levels).colour for level in levels}) == len(levels)
    assert mark_level("read", levels) == MARKS["read"]


def test_the_style_lasts_as_long_as_its_context():
    before = mpl.rcParams["svg.hashsalt"]
    with house_style():
        assert mpl.rcParams["svg.hashsalt"] == "coldcache"
        assert mpl.rcParams["axes.spines.top"] is False
    assert mpl.rcParams["svg.hashsalt"] == before
    with mpl.rc_context():
        set_house_style()
        assert mpl.rcParams["svg.hashsalt"] == "coldcache"


def test_seaborn_draws_the_estimates_as_they_are_a_line_per_level(axes, sweep):
    sns.lineplot(sweep.cells.to_dataframe(), x="threads", y="estimate", ax=axes, **lines_by(sweep.cells, "operation"))
    drawn = {line.get_color(): (line.get_xdata().tolist(), line.get_ydata().tolist()) for line in axes.lines}
    assert drawn == {
        COLOURS[name]: ([1, 2, 4], pytest.approx(sweep.cells.estimate.sel(operation=name).values.tolist()))
        for name in ("write", "read")
    }
    assert [line.get_marker() for line in axes.lines] == [MARKS["write"].marker, MARKS["read"].marker]
    assert axes.get_legend() is None


def test_text_in_every_colour_can_be_read_on_white():
    assert find_contrast("#ffffff") == pytest.approx(1)
    assert find_contrast("#000000") == pytest.approx(21)
    assert find_contrast("#E69F00") == pytest.approx(2.25, abs=0.01)
    for colour in (*COLOURS.values(), *(mark.colour for mark in SERIES), INK, FAINT):
        assert find_contrast(darken(colour)) >= CONTRAST
    assert darken("#0072B2") == "#0072b2"


def test_every_mark_is_one_that_matplotlib_draws_and_marks_of_other_levels_differ():
    assert {mark.marker for mark in (*MARKS.values(), *SERIES)} <= set(Line2D.markers)
    assert [mark.marker for mark in SERIES] == ["o", "s", "^", "D", "v", "P"]
