"""Cubes in a NetCDF file, a group each, as `xarray.open_dataset` opens them, too.

xarray with h5netcdf asks each variable for all that the format can say of it: to read so takes fifteen times as long,
and to write so a third of the time in which a campaign is collected. A cube has numbers and texts alone, along dims
that each have a variable of their own.
"""

import h5py
import numpy as np
import xarray as xr

#: What a cube says of its variables; other attributes are those of the format.
_DESCRIBED = ("units", "long_name")


def write_cube(file: h5py.File, name: str, cube: xr.Dataset) -> None:
    """Write a cube as a group of a file.

    Parameters
    ----------
    file : h5py.File
        Open for writing.
    name : str
        The group's.
    cube : Dataset
        Variables of numbers and texts; each dim has one of its name.
    """
    group = file.create_group(name, track_order=True)
    # The format keeps one number as a list of one.
    group.attrs.update({key: level if isinstance(level, str) else [level] for key, level in cube.attrs.items()})
    for key, variable in cube.variables.items():
        is_text = variable.dtype.kind in "OU"
        values = variable.to_numpy().astype(object) if is_text else variable.to_numpy()
        stored = group.create_dataset(
            str(key), data=values, dtype=h5py.string_dtype() if is_text else None, track_order=True
        )
        stored.attrs.update(variable.attrs)
        if values.dtype.kind == "f":
            stored.attrs["_FillValue"] = np.array([np.nan], values.dtype)
    for dim in cube.dims:
        group[dim].make_scale(str(dim))
    for key, variable in cube.variables.items():
        for place, dim in enumerate(variable.dims):
            if dim != key:
                group[key].dims[place].attach_scale(group[dim])


def read_cube(group: h5py.Group) -> xr.Dataset:
    """Return the cube that stands in a group."""
    variables = {}
    for name, stored in group.items():
        if stored.is_scale:
            dims = [name]
        else:
            scales = (group.file[scale].id for (scale, *_) in stored.attrs["DIMENSION_LIST"])
            dims = [h5py.h5ds.get_scale_name(scale).decode() for scale in scales]
        values = stored.asstr()[()].astype(str) if stored.dtype.kind == "O" else stored[()]
        attrs = {key: stored.attrs[key] for key in stored.attrs if key in _DESCRIBED}
        variables[name] = xr.Variable(dims, values, attrs)
    attrs = {key: level if isinstance(level, str) else level[0] for key, level in group.attrs.items()}
    return xr.Dataset(variables, attrs=attrs)
