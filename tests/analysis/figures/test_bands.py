"""A band reaches from the lower to the upper end of each interval."""

import numpy as np
import seaborn as sns
from matplotlib.colors import to_hex

from coldcache.analysis.figures.bands import draw_bands
from coldcache.analysis.figures.style import COLOURS


def test_fewer_than_eight_runs_of_any_point_have_thin_bars(axes, sweep):
    runs = sweep.cells.n.copy(data=[[8, 8, 8], [8, 8, 7]])
    draw_bands(axes, sweep.cells.assign(n=runs))
    band, bars = axes.collections
    assert len(band.get_paths()[0].vertices) > 2
    assert [path.vertices.tolist() for path in bars.get_paths()] == [
        [[threads, float(cell.low)], [threads, float(cell.high)]]
        for threads in (1, 2, 4) for cell in [sweep.cells.sel(operation="read", threads=threads)]
    ]  # fmt: skip
    assert to_hex(bars.get_color()[0]) == COLOURS["read"].lower()


def test_bands_reach_from_the_lower_to_the_upper_ends(axes, sweep):
    draw_bands(axes, sweep.cells.assign(n=sweep.cells.n + 3), x="threads", by="operation")
    for band, operation in zip(axes.collections, ["write", "read"], strict=True):
        cells = sweep.cells.sel(operation=operation)
        (path,) = band.get_paths()
        for threads in (1, 2, 4):
            cell = cells.sel(threads=threads)
            drawn = sorted(set(path.vertices[path.vertices[:, 0] == threads][:, 1]))
            assert drawn == [float(cell.low), float(cell.high)]
            assert drawn[0] < float(cell.estimate) < drawn[1]
        assert to_hex(band.get_facecolor()[0]) == COLOURS[operation].lower()


def test_ends_far_above_every_estimate_are_cut_at_the_edge_of_the_figure(axes, sweep):
    highest = float(sweep.cells.estimate.max())
    cells = sweep.cells.copy(deep=True)
    cells["high"].loc[{"operation": "read", "threads": 4}] = 40 * highest
    sns.lineplot(cells.to_dataframe(), x="threads", y="estimate", hue="operation", ax=axes)
    draw_bands(axes, cells)
    axes.set_ylim(0, None)
    assert 3 * highest <= axes.get_ylim()[1] < 3.5 * highest
    ends = [path.vertices[-1][1] for bars in axes.collections for path in bars.get_paths()]
    assert max(ends) == 40 * highest


def test_one_run_has_neither_band_nor_bar(axes, sweep):
    cells = sweep.cells.copy(deep=True)
    cells["low"][:], cells["high"][:] = np.nan, np.nan
    draw_bands(axes, cells)
    assert all(len(path.vertices) == 0 for band in axes.collections for path in band.get_paths())
