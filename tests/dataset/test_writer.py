"""The file of a dataset opens with plain xarray, or is not there."""

import pytest
import xarray as xr

from coldcache.campaign.campaign import RAW, read_campaign
from coldcache.dataset import writer
from coldcache.dataset.reader import open_records


def test_the_file_opens_with_plain_xarray(collected):
    tree = xr.open_datatree(collected(), engine="h5netcdf")
    assert tree.attrs == {"campaign": "tiny", "Conventions": "CF-1.11"}
    assert {"/records", "/tiny/transfers", "/tiny/files", "/tiny/cache"} <= set(tree.groups)
    tree.close()


def test_a_cube_that_cannot_be_built_leaves_no_part_of_a_file(collected, tmp_path, monkeypatch):
    def fail(*_):
        raise MemoryError("no room")

    records = open_records(collected())
    monkeypatch.setattr(writer, "build_cubes", fail)
    with pytest.raises(MemoryError, match="no room"):
        writer.save_dataset(read_campaign(RAW / "tiny"), records, tmp_path / "results/dataset.nc")
    assert list(tmp_path.glob("results/*")) == []
