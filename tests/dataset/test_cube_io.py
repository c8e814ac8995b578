"""A cube that was written is the cube that is read, by this package and by xarray."""

import h5py
import numpy as np
import pytest
import xarray as xr

from coldcache.dataset.cube_io import read_cube, write_cube


@pytest.fixture
def cube():
    rates = np.array([[[1.5], [np.nan]], [[3e9], [4.0]], [[5.0], [6.0]]])
    return xr.Dataset(
        {
            "case": (("operation", "threads", "repetition"), np.full((3, 2, 1), "threads=1, é")),
            "cold": (("operation", "threads", "repetition"), np.full((3, 2, 1), "")),
            "throughput": (("operation", "threads", "repetition"), rates, {"units": "B/s"}),
        },
        {
            "operation": ["read", "write", "random-read"],
            "threads": ("threads", [1, 16], {"units": "1", "long_name": "threads"}),
            "repetition": [0],
        },
        {"study": "quick", "files": 50, "queue_depth": 1.5, "direct_io": "true"},
    )


@pytest.fixture
def path(tmp_path, cube):
    path = tmp_path / "dataset.nc"
    with h5py.File(path, "w") as file:
        write_cube(file, "/quick/reads", cube)
    return path


def test_what_was_written_is_read_with_its_order_and_types(path, cube):
    with h5py.File(path) as file:
        found = read_cube(file["quick/reads"])
    xr.testing.assert_identical(found, cube)
    assert list(found.variables) == list(cube.variables)
    assert {name: variable.dtype.kind for name, variable in found.variables.items()} == {
        "case": "U", "cold": "U", "throughput": "f", "operation": "U", "threads": "i", "repetition": "i",
    }  # fmt: skip
    assert found.attrs["files"] == 50


@pytest.mark.parametrize("name", ["quick/reads", "/quick/reads"])
def test_xarray_opens_the_same(path, cube, name):
    with xr.open_dataset(path, group=name, engine="h5netcdf") as found:
        xr.testing.assert_identical(found.load(), cube)
