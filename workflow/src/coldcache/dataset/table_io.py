"""Write and read long tables as groups of a NetCDF file that xarray opens, too: text has a fixed width.

Strings of variable length, stored one by one in the heap of an HDF5 file, take ten times as long to write and read.
"""

from typing import Any

import h5netcdf
import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.extensions import ExtensionArray

#: Text of a fixed width repeats itself: compression leaves a fiftieth of its bytes and saves time.
_COMPRESSED: dict[str, Any] = {"compression": "gzip", "compression_opts": 1, "shuffle": True}

#: Rows per compressed chunk.
_CHUNK = 2**18

#: Bytes that are compared at once.
_WORD = 8


def write_table_group(file: h5netcdf.File, name: str, table: pd.DataFrame, row: str) -> None:
    """Write a table as a group of a file, column by column; missing texts become empty.

    Parameters
    ----------
    file : h5netcdf.File
        Open for writing.
    name : str
        The name of the group.
    table : DataFrame
        Columns of numbers, booleans and texts.
    row : str
        The name of the row dimension.
    """
    group = file.create_group(name)
    group.dimensions[row] = len(table)
    for column in table:
        values, attributes = _pack(table[column])
        dims: tuple[str, ...] = (row,)
        if values.dtype.kind == "S":
            width = values.itemsize
            dims = (row, f"string{width}")
            group.dimensions.setdefault(dims[1], width)
            values = values.view("S1").reshape(len(table), width)
        stored = {**_COMPRESSED, "chunks": (min(len(table), _CHUNK), *values.shape[1:])} if values.size else {}
        # A variable that is never written reads as empty texts.
        data = values if values.dtype.kind != "S" or values.view(np.uint8).any() else None
        variable = group.create_variable(str(column), dims, values.dtype, data=data, **stored)
        variable.attrs.update(attributes)


def read_table_group(group: h5netcdf.Group) -> pd.DataFrame:
    """Return the table of a group that `write_table_group` wrote."""
    names = [name for name, variable in group.variables.items() if name not in group.dimensions]
    columns = {name: _unpack(group.variables[name]) for name in names}
    row = next(iter(group.dimensions))
    return pd.DataFrame(columns, index=pd.RangeIndex(group.dimensions[row].size, name=row), copy=False)


def _pack(column: pd.Series) -> tuple[npt.NDArray[Any], dict[str, Any]]:
    """Return a column as stored, and the attributes with which xarray restores its type."""
    if column.dtype == bool:
        return column.to_numpy().astype("int8"), {"dtype": "bool"}
    if column.dtype.kind in "iuf":
        return column.to_numpy(), {}
    # Texts repeat often, so each distinct text is encoded once.
    places, texts = pd.factorize(column.to_numpy(object))
    encoded = [*(_as_text(text).encode() for text in texts), b""]
    # A whole number of words, so that a reader can compare without padding.
    width = -(-max(1, *map(len, encoded)) // _WORD) * _WORD
    # Missing values have the place -1: the last entry, which is empty.
    return np.take(np.array(encoded, dtype=f"S{width}"), places), {"_Encoding": "utf-8"}


def _as_text(value: Any) -> str:
    """Return a level as text; columns with missing values hold booleans as objects."""
    return str(value).lower() if isinstance(value, bool | np.bool_) else str(value)


def _unpack(variable: h5netcdf.Variable) -> npt.NDArray[Any] | ExtensionArray:
    values = variable[...]
    if values.dtype.kind == "S":
        return _decode(values)
    return values.astype(bool) if variable.attrs.get("dtype") == "bool" else values


def _decode(characters: npt.NDArray[np.bytes_]) -> ExtensionArray:
    """Return the text of each row of characters; equal rows share one string.

    Rows are compared eight bytes at a time, so that each distinct text is decoded once.
    """
    count = len(characters)
    if not characters.view(np.uint8).any():
        return pd.array([""], dtype="str").take(np.zeros(count, np.intp))
    places = np.zeros(count, np.int64)
    for word in _view_words(characters).T:
        found, words = pd.factorize(word)
        if len(words) > 1:
            places = pd.factorize(places * len(words) + found)[0]
    backwards = np.arange(count - 1, -1, -1)
    firsts = np.zeros(places.max() + 1, np.int64)
    firsts[places[backwards]] = backwards
    texts = [row.tobytes().rstrip(b"\0").decode() for row in characters[firsts]]
    return pd.array(texts, dtype="str").take(places)


def _view_words(characters: npt.NDArray[np.bytes_]) -> npt.NDArray[np.uint64]:
    """Return rows of characters as 8-byte words; rows of another width, from other programs, are padded."""
    count, width = characters.shape
    if width % _WORD:
        padded = np.zeros((count, -(-width // _WORD) * _WORD), "S1")
        padded[:, :width] = characters
        characters = padded
    return np.ascontiguousarray(characters).view(np.uint64)
