"""Long tables in a NetCDF file: numbers as they are, text as characters of a fixed width, as xarray reads them, too.

Strings of variable length, one by one in the heap of an HDF5 file, take ten times as long to write and to read.
"""

from typing import Any

import h5netcdf
import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.extensions import ExtensionArray

#: Text of a fixed width repeats itself: a fiftieth of its bytes is left, and is written and read in less time.
_COMPRESSED: dict[str, Any] = {"compression": "gzip", "compression_opts": 1, "shuffle": True}

#: Rows that are compressed together.
_CHUNK = 2**18

#: Bytes that are compared at a time.
_WORD = 8


def write_table_group(file: h5netcdf.File, name: str, table: pd.DataFrame, row: str) -> None:
    """Write a table as a group of a file, a column at a time; what is missing among texts becomes empty.

    Parameters
    ----------
    file : h5netcdf.File
        Open for writing.
    name : str
        The group's.
    table : DataFrame
        Columns of numbers, of booleans, and of texts.
    row : str
        The name of the dimension that counts the rows.
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
        # What is never written is read as empty texts.
        data = values if values.dtype.kind != "S" or values.view(np.uint8).any() else None
        variable = group.create_variable(str(column), dims, values.dtype, data=data, **stored)
        variable.attrs.update(attributes)


def read_table_group(group: h5netcdf.Group) -> pd.DataFrame:
    """Return the table that `write_table_group` wrote as a group."""
    names = [name for name, variable in group.variables.items() if name not in group.dimensions]
    columns = {name: _unpack(group.variables[name]) for name in names}
    row = next(iter(group.dimensions))
    return pd.DataFrame(columns, index=pd.RangeIndex(group.dimensions[row].size, name=row), copy=False)


def _pack(column: pd.Series) -> tuple[npt.NDArray[Any], dict[str, Any]]:
    """Return a column as it is stored, and the attributes by which xarray knows it again."""
    if column.dtype == bool:
        return column.to_numpy().astype("int8"), {"dtype": "bool"}
    if column.dtype.kind in "iuf":
        return column.to_numpy(), {}
    # Few texts are repeated often: each is encoded once.
    places, texts = pd.factorize(column.to_numpy(object))
    encoded = [*(_as_text(text).encode() for text in texts), b""]
    # Of whole words, so that a reader compares what it has read as it is.
    width = -(-max(1, *map(len, encoded)) // _WORD) * _WORD
    # What is missing has the place -1, which is the last one.
    return np.take(np.array(encoded, dtype=f"S{width}"), places), {"_Encoding": "utf-8"}


def _as_text(value: Any) -> str:
    """Return a level as text: a column that holds yes and no has neither where a trial has no such factor."""
    return str(value).lower() if isinstance(value, bool | np.bool_) else str(value)


def _unpack(variable: h5netcdf.Variable) -> npt.NDArray[Any] | ExtensionArray:
    values = variable[...]
    if values.dtype.kind == "S":
        return _decode(values)
    return values.astype(bool) if variable.attrs.get("dtype") == "bool" else values


def _decode(characters: npt.NDArray[np.bytes_]) -> ExtensionArray:
    """Return the text of each row of characters; equal rows share one string.

    Rows are told apart eight bytes at a time, so that each text is decoded once and not each row.
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
    """Return rows of characters as words; rows of another width, as another program writes, are padded first."""
    count, width = characters.shape
    if width % _WORD:
        padded = np.zeros((count, -(-width // _WORD) * _WORD), "S1")
        padded[:, :width] = characters
        characters = padded
    return np.ascontiguousarray(characters).view(np.uint64)
