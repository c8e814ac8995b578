"""Open a `dataset.nc`: its long table of records, its other tables, and one cube per sweep."""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import h5netcdf
import h5py
import numpy as np
import pandas as pd
import xarray as xr

from coldcache.core.errors import DatasetError
from coldcache.dataset.cube_io import read_cube
from coldcache.dataset.slices import note_read, slice_of_limits, slice_of_sweep, slice_of_table
from coldcache.dataset.table_io import count_rows, find_runs, read_table_group
from coldcache.statistics.dependence import Rounds, measure_rounds
from coldcache.statistics.stopping import LEAST_REPETITIONS

#: What a target's ceilings bound.
LIMIT_NAMES = ("read_rate", "write_rate", "read_iops", "write_iops")

#: Verdicts of trials that count in estimates; figures and tables mark suspect ones.
COUNTED = ("valid", "suspect")

#: The dim of cases that share an operation which no factor separates: their own operations, such as ``write+read``.
OPERATIONS_DIM = "operations"

#: So many figures of each round tell a drift that several sweeps share from chance, by which few resemble those before.
_LEAST_FIGURES = 6


def open_records(path: Path, study: str | None = None, columns: Collection[str] | None = None) -> pd.DataFrame:
    """Return the long table of a `dataset.nc`, or only the rows of one study, or some columns beside ``study``.

    Raises
    ------
    DatasetError
        If the dataset cannot be read, or lacks a column.
    """
    return open_table(path, "records", study, columns)


def find_trials(path: Path) -> dict[str, slice]:
    """Return the rows of each trial in the long table of a `dataset.nc`, by its key ``study/sweep/case/r<k>``.

    Raises
    ------
    DatasetError
        If the dataset cannot be read.
    """
    note_read(slice_of_table("records", None))
    with _open_group(path, "records") as group:
        runs = find_runs(group, ("study", "sweep", "case", "repetition"))
        ends = [*runs.index[1:], count_rows(group)]
    keys = runs.study + "/" + runs.sweep + "/" + runs.case + "/r" + runs.repetition.astype(str)
    return {key: slice(begin, end) for key, begin, end in zip(keys, runs.index, ends, strict=True)}


def open_rows(path: Path, rows: slice, columns: Collection[str]) -> pd.DataFrame:
    """Return some rows and columns of the long table of a `dataset.nc`.

    Raises
    ------
    DatasetError
        If the dataset cannot be read, or lacks a column.
    """
    note_read(slice_of_table("records", None))
    with _open_group(path, "records") as group:
        return read_table_group(group, rows, columns)


def open_table(path: Path, name: str, study: str | None = None, columns: Collection[str] | None = None) -> pd.DataFrame:
    """Return one of the tables of a `dataset.nc`, such as ``records``, ``sweeps`` or ``published``.

    Parameters
    ----------
    path : Path
        The dataset.
    name : str
        The table.
    study : str, optional
        Return only the rows of this study; by default those of all studies.
    columns : collection of str, optional
        Return only these columns and ``study``, which takes a large table less time and memory; by default all.

    Raises
    ------
    DatasetError
        If the dataset cannot be read, or has no such table or column.
    """
    note_read(slice_of_table(name, study))
    with _open_group(path, name) as group:
        table = read_table_group(group, columns=columns and ["study", *columns])
    return table if study is None else rows_of(table, study)


@contextmanager
def _open_group(path: Path, name: str) -> Iterator[h5py.Group]:
    try:
        with h5py.File(path) as file:
            yield file[name]
    except (OSError, KeyError) as error:
        raise DatasetError(f"{path} has no table {name}: collect the campaign again") from error


def rows_of(table: pd.DataFrame, study: str) -> pd.DataFrame:
    """Return the rows of a study, numbered from 0; tables of documents name the study in the column ``source``."""
    of = table.study if "study" in table else table.source
    return table[of == study].reset_index(drop=True)


def open_limits(path: Path, study: str) -> dict[str, float]:
    """Return the ceilings of a study's target.

    Returns
    -------
    dict of str to float
        ``read_rate`` and ``write_rate`` in B/s, ``read_iops`` and ``write_iops`` in 1/s, as far as the site states
        them; the same names after ``found_`` for the lowest limits that were in force when it was measured, and after
        ``measured_``, or ``doubtful_`` if trials showed more, for what was measured first. Empty for imported studies.
    """
    note_read(slice_of_limits(study))
    with h5netcdf.File(path) as file:
        attrs = file[study].attrs if study in file else {}
        names = (f"{prefix}{name}" for prefix in ("", "found_", "measured_", "doubtful_") for name in LIMIT_NAMES)
        return {name: float(attrs[name]) for name in names if name in attrs}


def open_model(path: Path, study: str) -> dict[str, Any]:
    """Return the ``specification`` and the ``settings`` of the scale model that a study was measured on, if any."""
    note_read(slice_of_limits(study))
    with h5netcdf.File(path) as file:
        stated = file[study].attrs.get("model") if study in file else None
    return json.loads(stated) if stated else {}


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

    Each metric with enough rounds has the attribute ``rounds``, a `Rounds`: how runs depend on their rounds, measured
    over all cases of the sweep.

    Raises
    ------
    DatasetError
        If the dataset cannot be read, or has no such sweep.
    """
    note_read(slice_of_sweep(study, sweep))
    try:
        with h5py.File(path) as file:
            cube = read_cube(file[f"{study}/{sweep}"])
    except (OSError, KeyError) as error:
        raise DatasetError(f"{path} has no sweep {study}/{sweep}") from error
    return state_rounds(cube)


def narrow_to(cube: xr.Dataset, metric: str) -> xr.Dataset:
    """Return what a cube tells of a metric, without the dim ``operations`` where none of its operations needs it.

    Parameters
    ----------
    cube : Dataset
        A sweep, as `open_sweep` returns it, or some of its operations.
    metric : str
        A variable of it.
    """
    if OPERATIONS_DIM not in cube.dims:
        return cube
    others = [dim for dim in cube.case.dims if dim not in ("operation", OPERATIONS_DIM)]
    there = (cube.case != "").any(others)
    alone = there.sum(OPERATIONS_DIM) <= 1
    if OPERATIONS_DIM in cube[metric].dims and not bool(alone.all()):
        return cube
    # The operations left out are those of several cases; a metric without the dim has no figure of them.
    narrow = cube.isel({OPERATIONS_DIM: there.argmax(OPERATIONS_DIM)}).drop_vars(OPERATIONS_DIM)
    return narrow.isel(operation=alone.values).transpose("operation", ..., "repetition")


def state_rounds(cube: xr.Dataset) -> xr.Dataset:
    """Add to each metric of a cube how its runs depend on their rounds, and return the cube."""
    for values in cube.data_vars.values():
        if values.dtype.kind == "f" and values.sizes.get("repetition", 0) >= LEAST_REPETITIONS:
            values.attrs["rounds"] = measure_rounds_of_sweeps(values)
    return cube


def measure_rounds_of_sweeps(*sweeps: xr.DataArray) -> Rounds:
    """Return how runs depend on their rounds, measured over all cases of some sweeps of one campaign.

    Of sweeps that have fewer than `_LEAST_FIGURES` together each is measured alone, and the more dependent counts.

    Parameters
    ----------
    *sweeps : DataArray
        A metric of each sweep. Dims: ``operation``, its factors and ``repetition``; NaN is missing.
    """
    if len(sweeps) > 1 and sum(int(one.notnull().any("repetition").sum()) for one in sweeps) < _LEAST_FIGURES:
        return max(map(measure_rounds_of_sweeps, sweeps), key=lambda rounds: rounds.of_logarithms)
    factors = {str(dim) for values in sweeps for dim in values.dims} - {"repetition"}
    figures = []
    for values in xr.align(*sweeps, join="outer", exclude=factors):
        of_sweep = values.transpose("operation", ..., "repetition").values
        figures.append(of_sweep.reshape(len(of_sweep), -1, of_sweep.shape[-1]))
    # A case has no figure of an operation that only another sweep has.
    most = max(map(len, figures))
    padded = [np.pad(one, ((0, most - len(one)), (0, 0), (0, 0)), constant_values=np.nan) for one in figures]
    return measure_rounds(np.concatenate(padded, axis=1))
