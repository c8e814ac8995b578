"""Open a `dataset.nc`: its long table of records, its other tables, and one cube per sweep."""

from pathlib import Path

import h5netcdf
import h5py
import pandas as pd
import xarray as xr

from coldcache.core.errors import DatasetError
from coldcache.dataset.cube_io import read_cube
from coldcache.dataset.slices import note_read, slice_of_limits, slice_of_sweep, slice_of_table
from coldcache.dataset.table_io import read_table_group

#: Verdicts of trials that count in estimates; figures and tables mark suspect ones.
COUNTED = ("valid", "suspect")


def open_records(path: Path, study: str | None = None) -> pd.DataFrame:
    """Return the long table of a `dataset.nc`, or only the rows of one study."""
    return open_table(path, "records", study)


def open_table(path: Path, name: str, study: str | None = None) -> pd.DataFrame:
    """Return one of the tables of a `dataset.nc`, such as ``records``, ``sweeps`` or ``published``.

    Parameters
    ----------
    path : Path
        The dataset.
    name : str
        The table.
    study : str, optional
        Return only the rows of this study; by default those of all studies.

    Raises
    ------
    DatasetError
        If the dataset cannot be read, or has no such table.
    """
    note_read(slice_of_table(name, study))
    try:
        with h5netcdf.File(path) as file:
            table = read_table_group(file[name])
    except (OSError, KeyError) as error:
        raise DatasetError(f"{path} has no table {name}: collect the campaign again") from error
    return table if study is None else rows_of(table, study)


def rows_of(table: pd.DataFrame, study: str) -> pd.DataFrame:
    """Return the rows of a study, numbered from 0; tables of documents name the study in the column ``source``."""
    of = table.study if "study" in table else table.source
    return table[of == study].reset_index(drop=True)


def open_limits(path: Path, study: str) -> dict[str, float]:
    """Return the ceilings that the site states for a study's target: ``read_rate`` and ``write_rate``, in B/s.

    The dict lacks a rate that the site does not state, and is empty for imported studies.
    """
    note_read(slice_of_limits(study))
    with h5netcdf.File(path) as file:
        attrs = file[study].attrs if study in file else {}
        return {name: float(attrs[name]) for name in ("read_rate", "write_rate") if name in attrs}


def open_settings(path: Path, study: str | None = None) -> pd.DataFrame:
    """Return the table of settings as read back, with the columns of `tables.tabulate_settings`."""
    return open_table(path, "settings", study)


def list_sweeps(path: Path, study: str) -> list[str]:
    """Return the sweeps of a study in a `dataset.nc`; an empty list if it has no such study."""
    # A sweep has a cube exactly if it has records.
    note_read(slice_of_table("records", study))
    with h5py.File(path) as file:
        return [name for name, group in file[study].items() if isinstance(group, h5py.Group)] if study in file else []


def open_sweep(path: Path, study: str, sweep: str) -> xr.Dataset:
    """Return the cube of one sweep of a `dataset.nc`.

    Raises
    ------
    DatasetError
        If the dataset cannot be read, or has no such sweep.
    """
    note_read(slice_of_sweep(study, sweep))
    try:
        with h5py.File(path) as file:
            return read_cube(file[f"{study}/{sweep}"])
    except (OSError, KeyError) as error:
        raise DatasetError(f"{path} has no sweep {study}/{sweep}") from error
