"""Rows of a figure: their order, their names, and the room that they have."""

import numpy as np
import pytest
import xarray as xr
from canvas import find_outside, find_overlaps

from coldcache.analysis.figures.cases import join_levels, list_cases, open_rows
from coldcache.analysis.figures.style import house_style


def make_cells(**levels):
    shape = [len(values) for values in levels.values()]
    values = np.arange(1.0, np.prod(shape) + 1).reshape(shape)
    return xr.Dataset(
        {name: (tuple(levels), values + shift) for name, shift in (("estimate", 0), ("low", -0.5), ("high", 0.5))},
        levels,
    )


def test_rows_are_by_operation_the_fastest_first_and_levels_by_size():
    cells = make_cells(operation=["write", "read"], stripe_count=[24, 2, 8])
    rows = list_cases(cells, "stripe_count")
    assert rows.case.tolist() == ["read\n2", "read\n8", "read\n24", "write\n2", "write\n8", "write\n24"]
    assert rows.row.tolist() == [0, 1, 2, 3, 4, 5]
    assert rows.estimate.tolist() == [5, 6, 4, 2, 3, 1]
    assert (rows.high - rows.estimate).tolist() == (rows.estimate - rows.low).tolist() == [0.5] * 6
    assert rows.attrs["label"] == "stripe count"


def test_the_fastest_operation_is_first_whatever_its_name():
    rows = list_cases(make_cells(operation=["read", "write"], stripe_count=[2, 8]), "stripe_count")
    assert rows.case.tolist() == ["write\n2", "write\n8", "read\n2", "read\n8"]
    assert rows.estimate.tolist() == [3, 4, 1, 2]


def test_instances_are_by_family_and_size():
    names = ["r5.large", "m5.8xlarge", "m5.2xlarge", "m5.xlarge", "m5.large", "c5"]
    rows = list_cases(make_cells(operation=["write"], instance_type=names), "instance_type")
    assert rows.case.tolist() == ["c5", "m5.large", "m5.xlarge", "m5.2xlarge", "m5.8xlarge", "r5.large"]


def test_a_level_that_logs_do_not_state_is_first_and_says_so():
    rows = list_cases(make_cells(operation=["write", "read"], threads=[4.0, np.nan, 1.0]), "threads")
    levels = ("not stated", "1", "4")
    assert rows.case.tolist() == [f"{name}\n{level}" for name in ("read", "write") for level in levels]


def test_levels_that_are_compared_are_neighbours_and_long_names_are_wrapped():
    cells = make_cells(operation=["file-stat"], write_mode=["sync", "async"], network_delay=[0.002, 0.0])
    rows = list_cases(cells, "write_mode")
    assert rows.write_mode.tolist() == ["async", "sync"] * 2
    assert rows.network_delay.tolist() == [0, 0, 0.002, 0.002]
    assert rows.case[0] == "network delay each way 0\nms\nasync"


def test_a_case_without_an_estimate_has_no_row_and_ratios_are_joined():
    cells = make_cells(operation=["write"], write_cache=["off", "on", "unsafe"])
    cells["estimate"][0, 1] = np.nan
    rows = list_cases(cells, "write_cache", cells / 2)
    assert rows.case.tolist() == ["off", "unsafe"]
    assert rows.ratio.tolist() == [0.5, 1.5]
    assert rows.ratio_low.tolist() == [0.25, 1.25]
    assert rows.ratio_high.tolist() == [0.75, 1.75]


def test_lines_are_named_by_both_factors_in_their_order_and_have_their_intervals():
    cells = make_cells(operation=["write"], threads=[1, 2], stripe_count=[24, 1], stripe_size=[2**20, 2**22])
    cells = cells.where((cells.stripe_count == 1) | (cells.stripe_size == 2**20))
    joined = join_levels(cells, ["stripe_count", "stripe_size"])
    assert joined.line.values.tolist() == ["1 × 1 MiB", "1 × 4 MiB", "24 × 1 MiB"]
    found = joined.sel(operation="write", line="24 × 1 MiB")
    assert (found.estimate.values.tolist(), found.low.values.tolist()) == ([1.0, 5.0], [0.5, 4.5])


def test_lines_are_named_by_the_factors_that_vary_alone():
    cells = make_cells(operation=["write"], threads=[1, 2], stripe_count=[24, 1])
    joined = join_levels(cells, ["stripe_count", "stripe_size"])
    assert joined.line.values.tolist() == ["1", "24"]
    assert joined.sel(operation="write", line="24").estimate.values.tolist() == [1.0, 3.0]


@pytest.mark.parametrize("levels", [[1, 2], list(range(1, 20))])
def test_every_row_is_named_at_its_height_and_has_room(levels):
    cells = make_cells(operation=["file-create", "file-stat"], network_delay=[0.1, 0.2], stripe_count=levels)
    rows = list_cases(cells, "stripe_count")
    with house_style():
        figure, (values, over) = open_rows(rows, panels=2)
        values.plot(rows.estimate, rows.row, "o")
    assert values.get_yticks().tolist() == rows.row.tolist()
    assert [label.get_text() for label in values.get_yticklabels()] == rows.case.tolist()
    assert values.get_ylim() == (len(rows) - 0.5, -0.5)
    assert over.get_lines()[0].get_xdata() == [1, 1]
    assert find_overlaps(figure) == []
    assert find_outside(figure) == []
