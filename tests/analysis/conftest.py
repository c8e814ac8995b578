"""A small sweep with known runs, and figures in the house style."""

from dataclasses import replace

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr

from coldcache.analysis.estimates import Estimates, median_interval
from coldcache.analysis.figures.style import house_style
from coldcache.analysis.question import Question

#: Rates in MB/s of five repetitions, by operation and threads.
RATES = {
    "read": [[90, 100, 130, 100, 100], [180, 200, 260, 200, 200], [390, 400, 410, 400, 400]],
    "write": [[40, 50, 55, 50, 50], [60, 70, 80, 70, 70], [50, 75, 90, 75, 75]],
}


@pytest.fixture
def sweep():
    """Return the estimates of reads and writes at 1, 2 and 4 threads; writes are listed first."""
    operations, threads = ["write", "read"], [1, 2, 4]
    dims = ("operation", "threads", "repetition")
    cases = [[[f"operation={name},threads={count}"] * 5 for count in threads] for name in operations]
    cube = xr.Dataset(
        {
            "throughput": (dims, 1e6 * np.array([RATES[name] for name in operations], dtype=float)),
            "verdict": (dims, np.full((2, 3, 5), "valid", dtype=object)),
            "cold": (dims, np.full((2, 3, 5), "cold", dtype=object)),
            "case": (dims, np.array(cases, dtype=object)),
        },
        {"operation": operations, "threads": threads, "repetition": [0, 1, 2, 3, 4]},
        {"study": "s", "sweep": "w", "tool": "fio", "tool_version": "3.33"},
    )
    question = Question("s", "w", "A sweep")
    return Estimates(cube, "throughput", "B/s", median_interval(cube.throughput), question)


@pytest.fixture
def axes():
    """Return empty axes in the house style."""
    with house_style():
        _, axes = plt.subplots()
        yield axes
    plt.close(axes.figure)


@pytest.fixture
def dell(invent):
    return invent("dell-lustre")


@pytest.fixture
def rise(sweep):
    """Return a sweep with rates in MB/s by operation at 1, 2, 4, ... threads, alike in five repetitions."""

    def raised(rates):
        count = len(next(iter(rates.values())))
        cube = sweep.cube.isel(threads=[0] * count).assign_coords(threads=[2**power for power in range(count)])
        values = 1e6 * np.array([rates[str(name)] for name in cube.operation.values], dtype=float)
        cube["throughput"] = cube.throughput.copy(data=values[:, :, None] * np.array([0.999, 1, 1.001, 1, 1]))
        return replace(sweep, cube=cube, cells=median_interval(cube.throughput))

    return raised
