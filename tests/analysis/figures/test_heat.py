"""A map of two numbers has a cell per case, which leads there."""

from dataclasses import replace

import numpy as np
import pytest
import seaborn as sns
import xarray as xr
from canvas import find_outside, find_overlaps

from coldcache.analysis.estimates import Estimates, median_interval
from coldcache.analysis.figures.heat import find_axes_of_map, map_of, open_map, set_map
from coldcache.analysis.figures.style import house_style
from coldcache.analysis.question import Question


@pytest.fixture
def grid():
    """Return rates of reads at three transfer sizes and three numbers of threads, two runs each."""
    sizes, threads, dims = [4096, 65536, 1048576], [1, 2, 4], ("operation", "transfer_size", "threads", "repetition")
    values = 1e6 * np.arange(1, 10, dtype=float).reshape(1, 3, 3, 1) * np.array([1.0, 1.0])
    names = np.array([[[f"transfer_size={s},threads={t}"] * 2 for t in threads] for s in sizes], dtype=object)[None]
    cube = xr.Dataset(
        {"throughput": (dims, values), "verdict": (dims, np.full(values.shape, "valid", dtype=object)),
         "cold": (dims, np.full(values.shape, "cold", dtype=object)), "case": (dims, names)},
        {"operation": ["read"], "transfer_size": sizes, "threads": threads, "repetition": [0, 1]},
        {"study": "s", "sweep": "w", "tool": "fio", "tool_version": "3.33"},
    )  # fmt: skip
    return Estimates(cube, "throughput", "B/s", median_interval(cube.throughput), Question("s", "w", "A sweep"))


def test_threads_are_along_x_and_the_other_number_along_y(grid):
    assert find_axes_of_map(grid.cells) == ("threads", "transfer_size")
    frame = map_of(grid, "read", ("threads", "transfer_size"))
    assert frame.index.tolist() == ["4 KiB", "64 KiB", "1 MiB"] and frame.columns.tolist() == ["1", "2", "4"]
    assert frame.loc["64 KiB"].tolist() == [4, 5, 6]


def test_few_levels_or_other_numbers_of_factors_are_no_map(grid):
    assert find_axes_of_map(grid.cells.isel(threads=[0, 1])) is None
    assert find_axes_of_map(grid.cells.isel(threads=[0])) is None
    assert find_axes_of_map(grid.cells.assign_coords(threads=["a", "b", "c"])) is None


def test_each_cell_of_a_map_leads_to_its_case_and_says_its_value(grid):
    over = ("threads", "transfer_size")
    with house_style():
        figure, panels = open_map(grid.cells, over)
        sns.heatmap(map_of(grid, "read", over), annot=True, cbar=False, ax=panels["read"])
        set_map(panels["read"], replace(grid), "read", over)
        said = {spots.get_urls()[0]: tuple(spots.get_offsets()[0]) for spots in panels["read"].collections[1:]}
        assert find_overlaps(figure) == [] and find_outside(figure) == []
    url = (
        "../trials/s/w/transfer_size=65536,threads=4/index.html#read-throughput "
        "read, threads 4, transfer size 64 KiB: 6.00 MB/s, 2 runs"
    )
    assert said[url] == (2.5, 1.5) and len(said) == 9
    assert panels["read"].get_title("left") == "read, MB/s"


def test_cells_show_three_digits_and_whole_numbers_above_a_thousand(grid):
    sweep, over = replace(grid, unit="1/s", cells=grid.cells * 0.2926e-3), ("threads", "transfer_size")
    with house_style():
        _, panels = open_map(sweep.cells, over)
        sns.heatmap(map_of(sweep, "read", over), annot=True, fmt=".3g", cbar=False, ax=panels["read"])
        set_map(panels["read"], sweep, "read", over)
    shown = [text.get_text() for text in panels["read"].texts]
    assert shown == ["293", "585", "878", "1,170", "1,463", "1,756", "2,048", "2,341", "2,633"]


def test_the_median_of_a_case_with_two_modes_is_in_brackets(grid):
    codes = grid.cube.verdict.copy(data=np.full(grid.cube.verdict.shape, "", dtype=object))
    codes.loc[{"transfer_size": 65536, "threads": 4}] = "two-modes"
    sweep, over = replace(grid, cube=grid.cube.assign(codes=codes)), ("threads", "transfer_size")
    with house_style():
        _, panels = open_map(sweep.cells, over)
        sns.heatmap(map_of(sweep, "read", over), annot=True, fmt=".3g", cbar=False, ax=panels["read"])
        set_map(panels["read"], sweep, "read", over)
    assert [text.get_text() for text in panels["read"].texts] == ["1", "2", "3", "4", "5", "(6)", "7", "8", "9"]
    assert "In brackets: 1 case with two modes, whose median describes neither." in sweep.caption_cells()
    assert "brackets" not in grid.caption_cells()
