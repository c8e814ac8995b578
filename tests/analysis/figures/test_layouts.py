"""Both layouts of files share a panel."""

from dataclasses import replace

from matplotlib import pyplot as plt

from coldcache.analysis.figures.layouts import draw_layouts, find_shared, join_layouts
from coldcache.analysis.figures.style import MARKS, mark_level


def test_estimates_of_the_shared_file_are_further_operations(sweep):
    shared = sweep.cells.sel(threads=[1, 4]) / 2
    both = join_layouts(sweep.cells, shared)
    assert both.operation.values.tolist() == ["write", "read", "write, one file", "read, one file"]
    assert float(both.estimate.sel(operation="read, one file", threads=4)) == 200e6
    assert bool(both.estimate.sel(operation="read, one file", threads=2).isnull())
    assert int(both.n.sel(operation="read, one file", threads=2)) == 0
    assert join_layouts(sweep.cells, None) is join_layouts(None, sweep.cells) is sweep.cells


def test_runs_of_both_layouts_are_drawn_and_broken_lines_are_explained(sweep):
    _, axes = plt.subplots()
    assert draw_layouts(axes, sweep, None) == draw_layouts(axes, None, sweep) == ""
    alone = len(axes.collections) + len(axes.lines)
    assert alone
    assert draw_layouts(axes, sweep, sweep) == "Broken lines: all threads share one file."
    assert len(axes.collections) + len(axes.lines) == 2 * alone


def test_its_lines_have_the_colour_of_the_operation_and_are_broken():
    mark = mark_level("read, one file", ["read", "read, one file"])
    assert mark.colour == MARKS["read"].colour and mark.dashes and mark.marker != MARKS["read"].marker


def test_only_sweeps_over_threads_alone_share_a_panel(sweep):
    other = replace(sweep, cells=sweep.cells.expand_dims(transfer_size=[1]))
    assert find_shared(sweep, [other, sweep]) is sweep
    assert find_shared(sweep, [other]) is None and find_shared(other, [sweep]) is None


def test_the_sweep_that_was_measured_alike_shares_the_panel(sweep):
    far = replace(sweep, cube=sweep.cube.assign_attrs(tool="ior"))
    assert find_shared(sweep, [far, sweep]) is sweep
    assert find_shared(sweep, [far]) is far
    assert find_shared(sweep, []) is None


def test_the_caption_of_broken_lines_says_what_else_differs(sweep):
    _, axes = plt.subplots()
    own = replace(sweep, cube=sweep.cube.assign_attrs(transfer_size=2**20, nodes=1))
    one = replace(sweep, cube=sweep.cube.assign_attrs(transfer_size=4096, nodes=2))
    assert draw_layouts(axes, own, one) == (
        "Broken lines: all threads share one file, with client nodes 2 and transfer size 4 KiB."
    )
    other = replace(own, cube=own.cube.assign_attrs(tool="ior"))
    assert draw_layouts(axes, own, other) == "Broken lines: all threads share one file, measured by ior."
