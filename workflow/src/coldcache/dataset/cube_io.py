"""Write and read cubes as groups of a NetCDF file that `xarray.open_dataset` opens, too.

xarray with h5netcdf queries every property that the format allows for each variable: reading that way takes fifteen
times as long, and writing takes a third of the time of `collect`. A cube has only numbers and texts, and a coordinate
for each dim (docs/decisions/0019).
"""

import h5py
import numpy as np
import xarray as xr

#: Attributes of a cube's variables; all others belong to the file format.
_DESCRIBED = ("units", "long_name")


def write_cube(file: h5py.File, name: str, cube: xr.Dataset) -> None:
    """Write a cube as a group of a file.

    Parameters
    ----------
    file : h5py.File
        Open for writing.
    name : str
        The name of the group.
    cube : Dataset
        Variables of numbers and texts; each dim has a coordinate.
    """
    group = file.create_group(name, track_order=True)
    # netCDF stores a single number as an array of length 1.
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
    """Return the cube of a group that `write_cube` wrote."""
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
