"""The law runs through the rates and beyond them, and only where it is fitted."""

from dataclasses import replace

import numpy as np

from coldcache.analysis.estimates import fit_law, median_interval
from coldcache.analysis.figures.law import draw_law
from coldcache.analysis.figures.style import COLOURS
from coldcache.statistics.scaling.usl import predict


def widen(sweep):
    threads = [1, 2, 4, 8, 16, 32]
    cube = sweep.cube.isel(threads=[0] * len(threads)).assign_coords(threads=threads)
    rates = 1e6 * np.array([[100, 190, 360, 640, 1000, 1400], [50, 95, 180, 320, 500, 700]])
    cube["throughput"] = cube.throughput.copy(data=rates[:, :, None] * np.array([0.99, 1, 1.01, 0.995, 1.005]))
    return replace(sweep, cube=cube, cells=median_interval(cube.throughput))


def test_the_law_is_drawn_to_twice_the_tested_threads(axes, sweep):
    wide = widen(sweep)
    note = draw_law(axes, wide)
    assert note == (
        "Dotted: Universal Scalability Law; beyond 32 threads it is a prediction, with the 95 % interval of the "
        "expected rate."
    )
    for line, operation in zip(axes.lines, wide.operations(), strict=True):
        assert line.get_linestyle() == ":"
        assert line.get_color() == COLOURS[operation]
        assert (line.get_xdata()[0], line.get_xdata()[-1]) == (1, 64)
        expected = predict(fit_law(wide, operation), np.array([1.0, 64.0])).estimate.values
        assert line.get_ydata()[[0, -1]].tolist() == expected.tolist()
    assert all(path.vertices[:, 0].min() >= 31 for band in axes.collections for path in band.get_paths())


def test_few_numbers_of_threads_have_no_law(axes, sweep):
    assert draw_law(axes, sweep) is None
    assert not axes.lines
