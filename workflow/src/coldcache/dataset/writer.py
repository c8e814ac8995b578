"""Write the dataset of a campaign as one NetCDF-4 file."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path

import h5netcdf
import h5py
import pandas as pd
import xarray as xr

from coldcache.campaign.campaign import Campaign
from coldcache.core.beside import computing_beside
from coldcache.dataset.cube_io import write_cube
from coldcache.dataset.cubes import build_cubes
from coldcache.dataset.reader import LIMIT_NAMES
from coldcache.dataset.table_io import write_table_group
from coldcache.dataset.tables import tabulate_settings
from coldcache.design.site import Site


def save_dataset(
    campaign: Campaign, records: pd.DataFrame, path: Path, settings: pd.DataFrame | None = None,
    tables: Mapping[str, pd.DataFrame] | None = None, limits: Mapping[str, Mapping[str, float]] | None = None,
) -> dict[str, xr.Dataset]:  # fmt: skip
    """Write one NetCDF-4 file: the long tables as groups ``records`` and ``settings``, and a group per sweep.

    Parameters
    ----------
    campaign : Campaign
        Its name becomes an attribute of the file; the ceilings of its target, and the scale model that this measures,
        become attributes of each measured study.
    records : DataFrame
        The long table.
    path : Path
        The file to write.
    settings : DataFrame, optional
        The table that `tabulate_settings` returns.
    tables : mapping of str to DataFrame, optional
        Other tables, by the name of their group.
    limits : mapping of str to mapping, optional
        The limits that were in force while each study was measured, as `find_limits` returns them.

    Returns
    -------
    dict of str to Dataset
        The cube of each sweep, by the name of its group.
    """
    settings = tabulate_settings([]) if settings is None else settings
    target = campaign.site.target
    stated: dict[str, float | str] = {name: rate for name in LIMIT_NAMES if (rate := getattr(target, name)) is not None}
    if campaign.site.model:
        stated["model"] = _state_model(campaign.site)
    foreign = {study.study for study in campaign.foreign}
    building = partial(build_cubes, records, settings, campaign.site.thresholds, foreign)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".partial")
    try:
        with computing_beside(building) as found, h5py.File(temporary, "w", track_order=True) as file:
            with h5netcdf.File(file, "w") as netcdf:
                netcdf.attrs.update(campaign=campaign.name, Conventions="CF-1.11")
                for study in campaign.planned:
                    if attributes := {**stated, **(limits or {}).get(study.study, {})}:
                        netcdf.create_group(study.study).attrs.update(attributes)
            for name, table in (tables or {}).items():
                write_table_group(file, name, table, "row")
            write_table_group(file, "records", records, "record")
            write_table_group(file, "settings", settings, "setting")
            cubes: dict[str, xr.Dataset] = found[0].result()
            for name, cube in cubes.items():
                write_cube(file, name, cube)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    temporary.rename(path)
    return cubes


def _state_model(site: Site) -> str:
    """Return a site's scale model, and the settings that change it, as JSON."""
    assert site.model is not None
    kinds = {factor: kind for factor, kind in site.settings.items() if kind.kind == "model"}
    settings = {factor: kind.model_dump(mode="json") for factor, kind in kinds.items()}
    return json.dumps({"specification": site.model.model_dump(mode="json"), "settings": settings}, sort_keys=True)
