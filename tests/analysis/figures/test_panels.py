"""Any factors of a sweep have a place in a figure, and every estimate is drawn where its levels say."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest
import seaborn as sns
import xarray as xr

from coldcache.analysis import figures as fig
from coldcache.analysis.estimates import median_interval


def widen(sweep, **factors):
    """Return a sweep with more factors: a level's position multiplies the runs by 1, 2, ..."""
    cube = sweep.cube
    for name, levels in factors.items():
        parts = [cube.assign(throughput=cube.throughput * (place + 1)) for place in range(len(levels))]
        cube = xr.concat(parts, dim=name).assign_coords({name: levels})
        cube = cube.transpose(
            "operation", "threads", *[dim for dim in factors if dim in cube.dims], "repetition", missing_dims="ignore"
        )
        cube.attrs = sweep.cube.attrs
    return replace(sweep, cube=cube, cells=median_interval(cube.throughput))


def draw(sweep):
    cells = sweep.cells
    roles = fig.assign_roles(cells)
    figure, panels = fig.open_panels(cells, roles)
    for levels, axes in panels:
        part = cells.sel(levels)
        sns.lineplot(part.to_dataframe(), x=roles.x, y="estimate", ax=axes, **fig.lines_by(part, roles.lines))
        fig.draw_bands(axes, part, x=roles.x, by=roles.lines)
    return roles, figure, panels, fig.set_panels(panels, sweep, cells, roles)


@pytest.fixture(autouse=True)
def close_figures():
    with plt.rc_context():
        fig.set_house_style()
        yield
    plt.close("all")


@pytest.mark.parametrize(
    ("factors", "expected"),
    [
        ({}, ("threads", "operation", ())),
        ({"transfer_size": [4096, 65536]}, ("threads", "transfer_size", ("operation",))),
        ({"file_layout": ["shared-file", "file-per-thread"]}, ("threads", "file_layout", ("operation",))),
        (
            {"transfer_size": [4096, 65536], "file_layout": ["shared-file", "file-per-thread"], "queue_depth": [1, 8]},
            ("threads", "transfer_size", ("operation", "file_layout", "queue_depth")),
        ),
    ],
)
def test_the_first_numbers_are_on_x_the_next_factor_makes_lines_and_the_rest_panels(sweep, factors, expected):
    assert tuple(fig.assign_roles(widen(sweep, **factors).cells)) == expected


def test_names_alone_have_no_x(sweep):
    one = replace(sweep, cube=sweep.cube.isel(threads=0, drop=True))
    wide = widen(one, file_layout=["shared-file", "file-per-thread"])
    assert tuple(fig.assign_roles(wide.cells)) == ("", "operation", ("file_layout",))


def test_every_estimate_is_a_point_of_the_line_and_panel_of_its_levels(sweep):
    wide = widen(sweep, transfer_size=[4096, 65536], file_layout=["shared-file", "file-per-thread"])
    _, _, panels, note = draw(wide)
    assert note == "Lines: transfer size."
    assert len(panels) == 4
    drawn = {}
    for levels, axes in panels:
        lines = [line for line in axes.lines if len(line.get_xdata()) == 3]
        for size, line in zip([4096, 65536], lines, strict=True):
            for threads, value in zip(line.get_xdata(), line.get_ydata(), strict=True):
                drawn[levels["operation"], int(threads), size, levels["file_layout"]] = float(value)
    expected = {
        (str(operation), int(threads), int(size), str(layout)): float(wide.cells.estimate.sel(
            operation=operation, threads=threads, transfer_size=size, file_layout=layout
        ))
        for operation in wide.cube.operation.values for threads in wide.cube.threads.values
        for size in wide.cube.transfer_size.values for layout in wide.cube.file_layout.values
    }  # fmt: skip
    assert drawn == expected
    assert [axes.get_title(loc="left") for _, axes in panels] == [
        "write, file layout\nshared-file", "read, file layout\nshared-file",
        "write, file layout file-\nper-thread", "read, file layout file-\nper-thread",
    ]  # fmt: skip


def test_many_panels_of_one_row_are_in_two_columns_and_each_column_ends_with_its_ticks(sweep):
    operations = ["write", "read", "rewrite", "reread", "append"]
    parts = [sweep.cube.sel(operation="read").assign_coords(operation=name) for name in operations]
    cube = xr.concat(parts, "operation").assign_attrs(sweep.cube.attrs)
    many = widen(replace(sweep, cube=cube), transfer_size=[4096, 65536])
    _, figure, panels, _ = draw(many)
    assert [levels["operation"] for levels, _ in panels] == operations
    assert figure.get_figwidth() == pytest.approx(6.4)
    spots = [(axes.get_subplotspec().rowspan.start, axes.get_subplotspec().colspan.start) for _, axes in panels]
    assert spots == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]
    labelled = [axes.xaxis.label.get_visible() for _, axes in panels]
    assert labelled == [False, False, False, True, True]
    assert [axes.xaxis.get_tick_params()["labelbottom"] for _, axes in panels] == labelled


def test_values_start_at_zero_and_wide_levels_have_a_logarithmic_axis_with_their_own_ticks(sweep):
    one = replace(sweep, cube=sweep.cube.isel(threads=0, drop=True))
    roles, _, panels, _ = draw(widen(one, transfer_size=[4096, 65536, 1048576]))
    assert roles.x == "transfer_size"
    for _, axes in panels:
        assert axes.get_ylim()[0] == 0
        assert axes.get_xscale() == "log"
        assert [text.get_text() for text in axes.get_xticklabels()] == ["4 KiB", "64 KiB", "1 MiB"]
    assert panels[0][1].get_xlabel() == "transfer size (log2)"


def test_values_over_decades_have_a_logarithmic_axis(sweep):
    cube = sweep.cube.assign(throughput=sweep.cube.throughput * np.array([1, 10, 100])[:, None])
    _, _, panels, _ = draw(replace(sweep, cube=cube, cells=median_interval(cube.throughput)))
    assert panels[0][1].get_yscale() == "log"


def test_a_combination_that_was_not_measured_has_no_panel(sweep):
    wide = widen(sweep, transfer_size=[4096, 65536])
    wide.cube.throughput.loc[{"operation": "read"}] = np.nan
    _, _, panels, _ = draw(replace(wide, cells=median_interval(wide.cube.throughput)))
    assert [levels for levels, _ in panels] == [{"operation": "write"}]


SIZES = [4096 * (place + 1) for place in range(9)]
QUEUES = list(range(1, 31))
MODES = [f"mode {number:02d}" for number in range(30)]


@pytest.mark.parametrize(
    ("factors", "expected", "panels"),
    [
        ({"transfer_size": SIZES[:8]}, ("threads", "transfer_size", ("operation",)), 2),
        # Nine lines are too many: the sizes go along x, where they have room.
        ({"transfer_size": SIZES}, ("transfer_size", "threads", ("operation",)), 2),
        # As names have no place along x, they have panels.
        ({"write_mode": MODES[:9]}, ("threads", "operation", ("write_mode",)), 9),
        ({"transfer_size": SIZES[:2], "queue_depth": QUEUES[:12]},
         ("threads", "transfer_size", ("operation", "queue_depth")), 24),
        # Thirteen panels per operation are too many: what has most levels goes along x.
        ({"transfer_size": SIZES[:2], "queue_depth": QUEUES[:13]},
         ("queue_depth", "threads", ("operation", "transfer_size")), 4),
    ],
    ids=str,
)  # fmt: skip
def test_places_are_those_with_few_enough_lines_and_panels(sweep, factors, expected, panels):
    wide = widen(sweep, **factors)
    assert tuple(fig.assign_roles(wide.cells)) == expected
    assert len(draw(wide)[2]) == panels


def test_more_panels_than_a_reader_can_tell_apart_leave_cases_to_the_table_and_say_so(sweep):
    wide = widen(sweep, write_mode=MODES)
    roles = fig.assign_roles(wide.cells)
    assert tuple(roles) == ("threads", "operation", ("write_mode",))
    shown = fig.choose_shown(wide.cells, roles)
    # The last mode has the highest estimate, which the title names.
    assert shown.write_mode.values.tolist() == [*MODES[:23], MODES[29]]
    assert fig.describe_shown(shown, wide.cells) == (
        "Drawn: 144 of 180 cases, as many as a figure can show; the table has all."
    )
    assert fig.describe_shown(wide.cells, wide.cells) is None
    assert shown.estimate.equals(wide.cells.estimate.sel(write_mode=shown.write_mode))


def test_more_operations_than_lines_have_a_panel_each(sweep):
    parts = [sweep.cube.isel(operation=[0]).assign_coords(operation=[f"op-{number}"]) for number in range(9)]
    cube = xr.concat(parts, dim="operation").transpose("operation", "threads", "repetition")
    cube.attrs = sweep.cube.attrs
    many = replace(sweep, cube=cube, cells=median_interval(cube.throughput))
    roles, _, panels, note = draw(many)
    assert tuple(roles) == ("threads", "operation", ("operation",))
    assert [levels for levels, _ in panels] == [{"operation": [f"op-{number}"]} for number in range(9)]
    assert {len(axes.lines) for _, axes in panels} == {1}
    assert note == ""


def test_of_more_rows_than_a_reader_can_tell_apart_the_first_are_drawn(sweep):
    one = replace(sweep, cube=sweep.cube.isel(threads=0, drop=True))
    wide = widen(one, write_mode=MODES[:21])
    every = fig.list_cases(wide.cells, "write_mode")
    rows = every.head(fig.MOST_ROWS)
    assert (len(every), len(rows), rows.attrs) == (42, 40, every.attrs)
    assert fig.describe_shown(rows, every) == (
        "Drawn: 40 of 42 cases, as many as a figure can show; the table has all."
    )


def test_lines_are_named_in_the_last_column_and_axes_at_the_edges_alone(sweep):
    wide = widen(sweep, transfer_size=[4096, 65536], file_layout=["shared-file", "file-per-thread"])
    _, _, panels, _ = draw(wide)
    assert [[text.get_text() for text in axes.texts] for _, axes in panels] == [
        [], ["4 KiB", "64 KiB"], [], ["4 KiB", "64 KiB"],
    ]  # fmt: skip
    assert [(axes.get_xlabel(), axes.get_ylabel()) for _, axes in panels] == [
        ("", "throughput, GB/s"), ("", ""), ("threads", "throughput, GB/s"), ("threads", ""),
    ]  # fmt: skip


@pytest.mark.parametrize(("share", "scale"), [(49, "linear"), (50, "log")])
def test_fifty_times_the_lowest_makes_an_axis_logarithmic(sweep, share, scale):
    cube = sweep.cube.isel(operation=[0]).copy(deep=True)
    cube["throughput"][:] = np.array([1, 2, share])[None, :, None] * 1e6
    _, _, panels, _ = draw(replace(sweep, cube=cube, cells=median_interval(cube.throughput)))
    assert panels[0][1].get_yscale() == scale


@pytest.mark.parametrize(("levels", "scale"), [([1, 2, 7], "linear"), ([1, 2, 8], "log"), ([0, 2, 8], "linear")])
def test_levels_over_eight_times_the_least_make_an_axis_logarithmic(sweep, levels, scale):
    one = replace(sweep, cube=sweep.cube.assign_coords(threads=levels))
    _, _, panels, _ = draw(replace(one, cells=median_interval(one.cube.throughput)))
    assert panels[0][1].get_xscale() == scale
    assert [text.get_text() for text in panels[0][1].get_xticklabels()] == [str(level) for level in levels]


@pytest.mark.parametrize(("levels", "angle"), [([1, 2, 999], 0), ([1, 2, 1000], 45)])
def test_names_of_levels_are_slanted_where_one_has_more_than_four_letters(sweep, levels, angle):
    one = replace(sweep, cube=sweep.cube.assign_coords(threads=levels))
    _, _, panels, _ = draw(replace(one, cells=median_interval(one.cube.throughput)))
    assert {label.get_rotation() for label in panels[0][1].get_xticklabels()} == {angle}


def test_one_panel_of_a_single_operation_keeps_the_places_of_x_and_lines(sweep):
    cells = widen(sweep, transfer_size=[4096, 65536]).cells.sel(operation=["read"])
    kept, roles = fig.keep_first(cells)
    assert roles == ("threads", "transfer_size", ("operation",))
    assert kept.estimate.dims == ("threads", "transfer_size") and kept.operation.item() == "read"
    assert kept.estimate.values.tolist() == cells.estimate.sel(operation="read").values.tolist()


def test_a_factor_that_some_logs_do_not_state_makes_panels_and_no_lines(sweep):
    wide = widen(sweep, queue_depth=[np.nan, 8.0])
    roles, _, panels, _ = draw(wide)
    assert tuple(roles) == ("threads", "operation", ("queue_depth",))
    assert len(panels) == 2


def test_panels_of_a_row_share_the_unit_that_the_first_one_names(sweep):
    cube = sweep.cube.assign(throughput=sweep.cube.throughput * np.array([1, 3])[:, None, None])
    slow = widen(replace(sweep, cube=cube), transfer_size=[4096, 65536])
    _, figure, panels, _ = draw(slow)
    figure.canvas.draw()
    highest = {levels["operation"]: max(axes.get_ylim()) for levels, axes in panels}
    assert highest["write"] < 1e9 < highest["read"]
    for levels, axes in panels:
        shown = axes.yaxis.get_major_formatter()(1e9, 0)
        assert shown == "1", levels
        assert axes.get_ylabel() == ("throughput, GB/s" if levels["operation"] == "write" else "")


def test_the_names_of_as_many_lines_as_fit_stand_at_the_ends_of_their_own(sweep):
    wide = widen(replace(sweep, cube=sweep.cube.sel(operation=["read"])), transfer_size=SIZES[:8])
    ((_, axes),) = draw(wide)[2]
    ends = [400e6 * (place + 1) for place in range(8)]
    names = {text.get_text(): text for text in axes.texts}
    assert list(names) == [f"{4 * (place + 1)} KiB" for place in range(8)]
    assert [text.xy[1] * axes.get_ylim()[1] for text in names.values()] == pytest.approx(ends, abs=40e6)
    lines = {line.get_gid(): line for line in axes.lines}
    assert [lines[f"series-{size}"].get_ydata()[-1] for size in SIZES[:8]] == pytest.approx(ends)
