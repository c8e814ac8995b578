"""The table of levels as the live system had them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import xarray as xr

from coldcache.analysis.questions.settings_read_back import tabulate_read_back
from coldcache.core.errors import NoData


@pytest.fixture
def dataset(measured):
    collect = [sys.executable, "-m", "coldcache", "collect", "--campaign=tiny", "--results=results/tiny"]
    subprocess.run(collect, check=True, env=os.environ)
    return Path("results/tiny/dataset.nc")


def test_each_level_stands_beside_what_the_system_said_and_where(dataset):
    table = tabulate_read_back(dataset, "tiny", "write_cache")
    assert table.shown.to_dict("records") == [
        {"sweep": "cache", "level": level, "read before the run": level, "read from": "command line of qemu-nbd",
         "trials": 2}
        for level in ("unsafe", "writeback")
    ]  # fmt: skip
    assert table.caption == "Write cache: what was asked for, and what the system said of it"


def test_the_cube_holds_what_was_read_for_each_trial(dataset):
    with xr.open_dataset(dataset, group="tiny/cache", engine="h5netcdf") as cube:
        read = cube["write_cache_read"]
        assert read.dims == ("operation", "write_cache", "repetition")
        assert (read == cube["write_cache"]).all()
    with xr.open_dataset(dataset, group="tiny/transfers", engine="h5netcdf") as cube:
        assert not [name for name in cube if name.endswith("_read")]


def test_a_study_without_settings_has_no_such_table(dataset):
    with pytest.raises(NoData, match="no trial of tiny had its io scheduler put in force"):
        tabulate_read_back(dataset, "tiny", "io_scheduler")
