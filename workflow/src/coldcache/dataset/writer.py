"""Write the dataset of a campaign as one NetCDF-4 file."""

from collections.abc import Mapping
from pathlib import Path

import h5netcdf
import h5py
import pandas as pd
import xarray as xr

from coldcache.campaign.campaign import Campaign
from coldcache.dataset.cube_io import write_cube
from coldcache.dataset.cubes import build_cubes
from coldcache.dataset.table_io import write_table_group
from coldcache.dataset.tables import tabulate_settings


def save_dataset(
    campaign: Campaign, records: pd.DataFrame, path: Path, settings: pd.DataFrame | None = None,
    tables: Mapping[str, pd.DataFrame] | None = None,
) -> dict[str, xr.Dataset]:  # fmt: skip
    """Write one NetCDF-4 file: the long tables as groups ``records`` and ``settings``, and a group per sweep.

    Parameters
    ----------
    campaign : Campaign
        Its name becomes an attribute of the file, and the ceilings of its site attributes of each measured study.
    records : DataFrame
        The long table.
    path : Path
        The file to write.
    settings : DataFrame, optional
        The table that `tabulate_settings` returns.
    tables : mapping of str to DataFrame, optional
        Other tables, by the name of their group.

    Returns
    -------
    dict of str to Dataset
        The cube of each sweep, by the name of its group.
    """
    settings = tabulate_settings([]) if settings is None else settings
    target = campaign.site.target
    limits = {"read_rate": target.read_rate, "write_rate": target.write_rate}
    stated = {name: rate for name, rate in limits.items() if rate is not None}
    cubes = build_cubes(records, settings)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".partial")
    with h5netcdf.File(temporary, "w") as file:
        file.attrs.update(campaign=campaign.name, Conventions="CF-1.11")
        for study in campaign.planned if stated else ():
            file.create_group(study.study).attrs.update(stated)
        for name, table in (tables or {}).items():
            write_table_group(file, name, table, "row")
        write_table_group(file, "records", records, "record")
        write_table_group(file, "settings", settings, "setting")
    with h5py.File(temporary, "a") as file:
        for name, cube in cubes.items():
            write_cube(file, name, cube)
    temporary.rename(path)
    return cubes
