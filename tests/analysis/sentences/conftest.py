"""The invented campaign of one document, and sweeps with known rates over threads."""

from dataclasses import replace

import numpy as np
import pytest

from coldcache.analysis.estimates import median_interval


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
