"""Each level has the same colour and marker in every figure."""

import matplotlib as mpl
import pytest
import seaborn as sns

from coldcache.analysis.figures.style import COLOURS, MARKS, SERIES, house_style, lines_by, mark_level, set_house_style


def test_known_levels_have_their_own_mark_and_others_one_by_position():
    assert mark_level("read", ["write", "read"]) == MARKS["read"]
    assert mark_level("b", ["a", "b"]) == SERIES[1]
    assert mark_level(7, list(range(8))) == SERIES[7 % len(SERIES)]


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
