"""A small sweep with known runs, and figures in the house style."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import xarray as xr

from coldcache.analysis.estimates import Estimates, Question, median_interval
from coldcache.analysis.figures.style import house_style

#: Rates in MB/s of three repetitions, by operation and threads.
RATES = {
    "read": [[90, 100, 130], [180, 200, 260], [390, 400, 410]],
    "write": [[40, 50, 55], [60, 70, 80], [50, 75, 90]],
}


@pytest.fixture
def sweep():
    """Return the estimates of reads and writes at 1, 2 and 4 threads; writes are listed first."""
    operations, threads = ["write", "read"], [1, 2, 4]
    dims = ("operation", "threads", "repetition")
    cases = [[[f"operation={name},threads={count}"] * 3 for count in threads] for name in operations]
    cube = xr.Dataset(
        {
            "throughput": (dims, 1e6 * np.array([RATES[name] for name in operations], dtype=float)),
            "verdict": (dims, np.full((2, 3, 3), "valid", dtype=object)),
            "cold": (dims, np.full((2, 3, 3), "cold", dtype=object)),
            "case": (dims, np.array(cases, dtype=object)),
        },
        {"operation": operations, "threads": threads, "repetition": [0, 1, 2]},
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
