"""`dataset.nc` as notebooks and people open it: the long table of all records, and one cube per sweep."""

from pathlib import Path

import h5netcdf
import pandas as pd
import xarray as xr

from coldcache.long_tables import read_table

#: Trials that count in estimates; suspect ones are marked wherever they stand.
COUNTED = ("valid", "suspect")


def open_records(path: Path) -> pd.DataFrame:
    """Return the long table of a `dataset.nc`."""
    return open_table(path, "records")


def open_table(path: Path, name: str) -> pd.DataFrame:
    """Return one of the tables of a `dataset.nc`, such as ``records``, ``sweeps`` or ``published``.

    Raises
    ------
    KeyError
        If the dataset has none of that name.
    """
    try:
        with h5netcdf.File(path) as file:
            return read_table(file[name])
    except (OSError, KeyError) as error:
        raise KeyError(f"{path} has no table {name}: collect the campaign again") from error


def open_limits(path: Path, study: str) -> dict[str, float]:
    """Return the most that the target of a study can do, in B/s, as its site states: ``read_rate`` and ``write_rate``.

    It is not known of studies whose logs were imported.
    """
    with h5netcdf.File(path) as file:
        attrs = file[study].attrs if study in file else {}
        return {name: float(attrs[name]) for name in ("read_rate", "write_rate") if name in attrs}


def open_settings(path: Path) -> pd.DataFrame:
    """Return what was read of each level that was put in force, as `cubes.tabulate_settings` returns it."""
    return open_table(path, "settings")


def list_sweeps(path: Path, study: str) -> list[str]:
    """Return the sweeps of a study in a `dataset.nc`; none where it has no such study."""
    with xr.open_datatree(path, engine="h5netcdf") as tree:
        return [str(name) for name in tree[study].children] if study in tree.children else []


def open_sweep(path: Path, study: str, sweep: str) -> xr.Dataset:
    """Return the cube of one sweep of a `dataset.nc`.

    Raises
    ------
    KeyError
        If the campaign has no such sweep; the message names those that it has.
    """
    try:
        with xr.open_dataset(path, group=f"{study}/{sweep}", engine="h5netcdf") as cube:
            return cube.load()
    except (OSError, KeyError) as error:
        raise KeyError(f"{path} has no sweep {study}/{sweep}") from error
