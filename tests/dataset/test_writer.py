"""The file of a dataset opens with plain xarray."""

import xarray as xr


def test_the_file_opens_with_plain_xarray(collected):
    tree = xr.open_datatree(collected(), engine="h5netcdf")
    assert tree.attrs == {"campaign": "tiny", "Conventions": "CF-1.11"}
    assert {"/records", "/tiny/transfers", "/tiny/files", "/tiny/cache"} <= set(tree.groups)
    tree.close()
