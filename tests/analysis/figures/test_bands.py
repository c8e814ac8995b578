"""A band reaches from the lower to the upper end of each interval."""

import numpy as np
from matplotlib.colors import to_hex

from coldcache.analysis.figures.bands import draw_bands
from coldcache.analysis.figures.style import COLOURS


def test_bands_reach_from_the_lower_to_the_upper_ends(axes, sweep):
    draw_bands(axes, sweep.cells, x="threads", by="operation")
    for band, operation in zip(axes.collections, ["write", "read"], strict=True):
        cells = sweep.cells.sel(operation=operation)
        (path,) = band.get_paths()
        for threads in (1, 2, 4):
            cell = cells.sel(threads=threads)
            drawn = sorted(set(path.vertices[path.vertices[:, 0] == threads][:, 1]))
            assert drawn == [float(cell.low), float(cell.high)]
            assert drawn[0] < float(cell.estimate) < drawn[1]
        assert to_hex(band.get_facecolor()[0]) == COLOURS[operation].lower()


def test_one_run_has_no_band(axes, sweep):
    cells = sweep.cells.copy(deep=True)
    cells["low"][:], cells["high"][:] = np.nan, np.nan
    draw_bands(axes, cells)
    assert all(len(path.vertices) == 0 for band in axes.collections for path in band.get_paths())
