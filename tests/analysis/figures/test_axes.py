"""Axes start where they should, show multiples of the stored unit, and name lines without a collision."""

import numpy as np
import pytest
import seaborn as sns
import xarray as xr
from canvas import find_outside, find_overlaps, list_texts

from coldcache.analysis.figures.axes import name_lines, name_values, scale_for, set_x, set_y, shorten_number
from coldcache.analysis.figures.style import COLOURS, darken, lines_by


def read_ticks(axis):
    axis.axes.figure.canvas.draw()
    return [label.get_text() for label in axis.get_ticklabels()]


def draw_lines(axes, cells):
    sns.lineplot(cells.to_dataframe(), x="threads", y="estimate", ax=axes, **lines_by(cells, "operation"))
    set_x(axes, "threads", log=2)
    set_y(axes, "throughput", unit="B/s", start=0)


def test_a_linear_axis_starts_at_zero_and_ends_above_the_data(axes):
    axes.plot([1, 2], [3e9, 4e9])
    set_y(axes, "throughput", unit="B/s")
    low, high = axes.get_ylim()
    assert low == 0
    assert high > 4e9
    assert axes.get_ylabel() == "throughput, GB/s"
    assert read_ticks(axes.yaxis)[:2] == ["0", "0.8"]


def test_an_axis_may_start_where_the_data_begin(axes):
    axes.plot([10, 12], [1, 2])
    set_x(axes, "trials", start=None, whole=True)
    assert axes.get_xlim()[0] == pytest.approx(9.9)
    assert {float(tick) % 1 for tick in read_ticks(axes.xaxis)} == {0.0}


def test_threads_stand_at_powers_of_two_where_the_lines_have_points(axes):
    axes.plot([1, 2, 4, 8], [1, 2, 3, 4], marker="o")
    axes.plot(np.geomspace(1, 16, 9), np.ones(9))
    set_x(axes, "threads", log=2)
    assert (axes.get_xscale(), axes.get_xlabel()) == ("log", "threads (log2)")
    assert axes.xaxis.get_transform().base == 2
    assert axes.get_xticks().tolist() == [1, 2, 4, 8]
    assert read_ticks(axes.xaxis) == ["1", "2", "4", "8"]


def test_of_many_numbers_of_threads_the_powers_of_two_and_the_most_are_named(axes):
    axes.plot(range(1, 25), range(1, 25), marker="o")
    set_x(axes, "threads", log=2)
    assert axes.get_xticks().tolist() == [1, 2, 4, 8, 16, 24]


def test_a_logarithmic_axis_says_so(axes):
    axes.plot([1, 2], [1e3, 2e6])
    set_y(axes, "files", unit="1/s", log=10)
    assert (axes.get_yscale(), axes.get_ylabel()) == ("log", "files, per second (log10)")
    assert {"1 k", "10 k", "100 k", "1 M"} <= set(read_ticks(axes.yaxis))


def test_ticks_may_be_fixed_and_shares_are_in_per_cent(axes):
    axes.plot([1, 2], [0.05, 0.5])
    set_y(axes, "width", unit="%", log=10, ticks=[0.01, 0.1, 0.2])
    assert read_ticks(axes.yaxis) == ["10", "20"]
    assert axes.get_ylabel() == "width, % (log10)"


@pytest.mark.parametrize(
    ("unit", "highest", "found"),
    [
        ("B/s", 1e9, (1e9, "GB/s")), ("B/s", 0.99e9, (1e6, "MB/s")), ("1/s", 9999, (1.0, "per second")),
        ("1/s", 1e4, (1e3, "thousand per second")), ("1/s", 1e7, (1e6, "million per second")), ("s", 1, (1.0, "s")),
        ("s", 1e-3, (1e-3, "ms")), ("s", 0.9e-3, (1e-6, "µs")), ("1", 5, (1.0, "")), ("%", 5, (0.01, "%")),
    ],
)  # fmt: skip
def test_the_unit_of_an_axis_follows_from_its_end(unit, highest, found):
    assert scale_for(unit, highest) == found


def test_ticks_are_short():
    shown = [shorten_number(value) for value in (0, 0.5, 999, 1e3, 1.5e6, 2e9, 3e12, -2e3)]
    assert shown == ["0", "0.5", "999", "1 k", "1.5 M", "2 G", "3 T", "-2 k"]


def test_each_line_is_named_at_its_end_in_its_colour(axes, sweep):
    draw_lines(axes, sweep.cells)
    name_lines(axes, sweep.cells, by="operation")
    names = {text.get_text(): text for text in axes.texts}
    ends = {"read": 400e6, "write": 75e6}
    assert set(names) == set(ends)
    for name, end in ends.items():
        x, share = names[name].xy
        assert x == 1
        assert share == pytest.approx(end / axes.get_ylim()[1], abs=0.02)
    colours = {line.get_color() for line in axes.lines}
    assert {text.get_color() for text in axes.texts} <= {darken(colour) for colour in colours}


def test_a_line_of_one_shared_file_is_named_at_its_own_end_and_not_at_that_of_the_operations_law(axes, sweep):
    shared = sweep.cells.sel(operation=["read"]).assign_coords(operation=["read, one file"])
    cells = xr.concat([sweep.cells.sel(operation=["read"]), shared.assign(estimate=shared.estimate / 8)], "operation")
    draw_lines(axes, cells)
    law = axes.plot([1, 16], [100e6, 300e6], color=COLOURS["read"], linestyle=":")[0]
    name_lines(axes, cells, by="operation")
    ends = {text.get_text(): text.xy[1] * axes.get_ylim()[1] for text in axes.texts}
    assert ends == {"read": pytest.approx(300e6, rel=0.02), "read, one file": pytest.approx(50e6, rel=0.1)}
    assert law.get_gid() == "series-read"


def test_directories_are_named_only_beside_lines_of_files(axes, sweep):
    found = []
    for levels in (["file-create", "directory-create"], ["directory-create", "directory-stat"]):
        axes.clear()
        cells = sweep.cells.assign_coords(operation=levels)
        draw_lines(axes, cells)
        name_lines(axes, cells, by="operation")
        found.append({text.get_text() for text in axes.texts})
    assert found == [{"create", "create dir"}, {"create", "stat"}]


def test_names_of_lines_that_end_together_do_not_collide(axes, sweep):
    cells = sweep.cells.copy(deep=True)
    cells["estimate"].loc[{"threads": 4}] = 400e6
    draw_lines(axes, cells)
    name_lines(axes, cells, by="operation")
    assert {"read", "write"} <= {text for text, _ in list_texts(axes.figure)}
    assert find_overlaps(axes.figure) == []
    assert find_outside(axes.figure) == []


def test_of_names_that_would_collide_the_lower_one_stays_at_its_line(axes, sweep):
    cells = sweep.cells.copy(deep=True)
    cells["estimate"].loc[{"threads": 4}] = 100e6
    draw_lines(axes, cells)
    name_lines(axes, cells, by="operation")
    lower, upper = sorted(text.xy[1] for text in axes.texts)
    assert lower == pytest.approx(100e6 / axes.get_ylim()[1], abs=0.01)
    assert upper - lower > 0.05


def test_values_are_named_above_their_points_and_nan_is_not(axes):
    axes.plot([1, 2, 3], [0, 1, 2])
    name_values(axes, [1.5, np.nan], [0, 1], "{:.3g}×")
    (text,) = axes.texts
    assert (text.get_text(), text.xy) == ("1.5×", (1.5, 0))
    assert (text.xyann, text.get_ha(), text.get_fontsize()) == ((0, 6), "center", 10)


def test_ten_numbers_of_threads_are_named_where_there_is_room_and_of_more_the_powers_of_two(axes):
    (line,) = axes.plot(range(1, 11), range(1, 11), marker="o")
    set_x(axes, "threads", log=2)
    assert axes.get_xticks().tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 10]
    line.set_data(range(1, 12), range(1, 12))
    set_x(axes, "threads", log=2)
    assert axes.get_xticks().tolist() == [1, 2, 4, 8, 11]
    powers = [2**power for power in range(11)]
    line.set_data(powers, powers)
    set_x(axes, "threads", log=2)
    assert axes.get_xticks().tolist() == [*powers[:8], 1024]
    line.set_data(powers[:10], powers[:10])
    set_x(axes, "threads", log=2)
    assert axes.get_xticks().tolist() == powers[:10]
    assert axes.margins() == (0.06, 0.05)


@pytest.mark.parametrize(
    ("highest", "ticks"),
    [(3.5, [1.6, 2.4, 3.2]), (4.1, [1, 2]), (40, [1, 2, 5, 10, 20]), (60, [1, 3, 10, 30]), (250, [1, 3, 10, 30, 100]),
     (1e3, [1, 10, 100, 1000])],
)  # fmt: skip
def test_a_logarithmic_axis_has_fewer_ticks_over_more_decades(axes, highest, ticks):
    axes.plot([1, 2], [1, highest])
    axes.set_ylim(1, highest)
    set_y(axes, "times", unit="s", log=10)
    axes.figure.canvas.draw()
    assert [tick for tick in axes.get_yticks() if 1 <= tick <= highest] == pytest.approx(ticks)
    assert axes.yaxis.get_minor_ticks() == []
    assert axes.get_ylabel() == "times, s (log10)"


def test_names_lie_beside_the_axes_in_bold(axes, sweep):
    draw_lines(axes, sweep.cells)
    name_lines(axes, sweep.cells, by="operation")
    assert {(text.xyann, text.get_va(), text.get_fontweight(), text.get_annotation_clip()) for text in axes.texts} == {
        ((6.0, 0), "center", "bold", False)
    }
