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
        "write, file layout shared-file", "read, file layout shared-file",
        "write, file layout file-per-thread", "read, file layout file-per-thread",
    ]  # fmt: skip


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


@pytest.mark.parametrize(("sizes", "fits"), [(8, True), (9, False)])
def test_more_lines_than_a_reader_can_tell_apart_fit_no_figure(sweep, sizes, fits):
    wide = widen(sweep, transfer_size=[4096 * (place + 1) for place in range(sizes)])
    assert fig.fits_figure(wide.cells) is fits


@pytest.mark.parametrize(("sizes", "fits"), [(12, True), (13, False)])
def test_more_panels_than_a_reader_can_tell_apart_fit_no_figure(sweep, sizes, fits):
    wide = widen(sweep, transfer_size=[4096, 65536], queue_depth=list(range(1, sizes + 1)))
    assert fig.fits_figure(wide.cells) is fits


@pytest.mark.parametrize(("levels", "fits"), [(20, True), (21, False)])
def test_more_rows_than_a_reader_can_tell_apart_fit_no_figure(sweep, levels, fits):
    one = replace(sweep, cube=sweep.cube.isel(threads=0, drop=True))
    wide = widen(one, write_mode=[f"mode {number:02d}" for number in range(levels)])
    assert fig.fits_figure(wide.cells) is fits


def test_lines_are_named_in_the_last_column_and_axes_at_the_edges_alone(sweep):
    wide = widen(sweep, transfer_size=[4096, 65536], file_layout=["shared-file", "file-per-thread"])
    _, _, panels, _ = draw(wide)
    assert [[text.get_text() for text in axes.texts] for _, axes in panels] == [
        [], ["4 KiB", "64 KiB"], [], ["4 KiB", "64 KiB"],
    ]  # fmt: skip
    assert [(axes.get_xlabel(), axes.get_ylabel()) for _, axes in panels] == [
        ("", "throughput,\nMB/s"), ("", ""), ("threads", "throughput,\nMB/s"), ("threads", ""),
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
