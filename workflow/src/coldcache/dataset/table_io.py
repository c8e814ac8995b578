"""Write and read long tables as groups of a NetCDF file that xarray opens, too: text has a fixed width.

Strings of variable length, stored one by one in the heap of an HDF5 file, take ten times as long to write and read.
h5netcdf looks up all dimensions of a file for each variable, which takes longer than to write or read a column. HDF5
compresses one chunk after the other, so chunks are compressed here, on all cores.
"""

import zlib
from collections.abc import Collection, Iterable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import h5py
import numpy as np
import numpy.typing as npt
import pandas as pd
from pandas.api.extensions import ExtensionArray

#: Text of a fixed width repeats itself: compression leaves a fiftieth of its bytes and saves time.
_LEVEL = 1
_COMPRESSED: dict[str, Any] = {"compression": "gzip", "compression_opts": _LEVEL, "shuffle": True}

#: Rows per compressed chunk.
_CHUNK = 2**18

#: The name by which NetCDF-4 knows a dimension that has no variable; its size follows.
_NO_VARIABLE = "This is a netCDF dimension but not a netCDF variable."

#: Texts of long tables repeat: rows that share an object take a sixth of the memory of texts side by side.
TEXT = pd.StringDtype("python", na_value=np.nan)

#: Bytes that are compared at once.
_WORD = 8

#: A chunk of a variable: its place, and its compressed bytes.
_Chunk = tuple[h5py.Dataset, tuple[int, ...], Future[bytes]]


def write_table_group(file: h5py.File, name: str, table: pd.DataFrame, row: str) -> None:
    """Write a table as a group of a file, column by column; missing texts become empty.

    Parameters
    ----------
    file : h5py.File
        Open for writing.
    name : str
        The name of the group.
    table : DataFrame
        Columns of numbers, booleans and texts.
    row : str
        The name of the row dimension.
    """
    group = file.create_group(name, track_order=True)
    scales = {row: _create_scale(group, row, len(table))}
    with ThreadPoolExecutor() as pool:
        # A column is packed while the one before it is compressed.
        begun: Iterable[_Chunk] = ()
        for column in table:
            values, attributes = _pack(table[column])
            dims, widths = [row], values.shape[1:]
            for width in widths:
                dims.append(dim := f"string{width}")
                scales[dim] = scales.get(dim) or _create_scale(group, dim, width)
            stored = _create_dataset(group, str(column), (len(table), *widths), values.dtype)
            stored.attrs.update(attributes)
            for place, dim in enumerate(dims):
                stored.dims[place].attach_scale(scales[dim])
            before, begun = begun, _compress_chunks(stored, values, pool)
            _write_chunks(before)
        _write_chunks(begun)


def _create_scale(group: h5py.Group, name: str, size: int) -> h5py.Dataset:
    """Return a dimension without a variable; one without rows is unlimited, since NetCDF knows no other of size 0."""
    scale = group.create_dataset(name, (size,), ">f4", maxshape=(size or None,), track_order=True)
    scale.make_scale(f"{_NO_VARIABLE}{size:10}")
    return scale


def _create_dataset(group: h5py.Group, name: str, shape: tuple[int, ...], dtype: npt.DTypeLike) -> h5py.Dataset:
    rows, *widths = shape
    if not rows:
        return group.create_dataset(name, shape, dtype, maxshape=(None, *widths), track_order=True)
    chunks = (min(rows, _CHUNK), *widths)
    return group.create_dataset(name, shape, dtype, chunks=chunks, track_order=True, **_COMPRESSED)


def read_table_group(
    group: h5py.Group, rows: slice = slice(None), columns: Collection[str] | None = None
) -> pd.DataFrame:
    """Return the table of a group that `write_table_group` wrote, or only some of its rows and columns."""
    row = _find_row(group)
    names = columns or [name for name, stored in group.items() if not stored.is_scale]
    numbers = range(group[row].size)[rows]
    table = {name: _restore(group[name][rows], group[name]) for name in names}
    return pd.DataFrame(table, index=pd.RangeIndex(numbers.start, numbers.stop, name=row), copy=False)


def count_rows(group: h5py.Group) -> int:
    """Return the number of rows of the table of a group."""
    return int(group[_find_row(group)].size)


def find_runs(group: h5py.Group, columns: Collection[str]) -> pd.DataFrame:
    """Return some columns of a table where one of them changes: the first row of each run, numbered as in the table."""
    size = count_rows(group)
    runs = [_find_runs(group, columns, begin, min(size, begin + _CHUNK)) for begin in range(0, size, _CHUNK)]
    return pd.concat(runs) if runs else read_table_group(group, columns=columns)


def find_changes(values: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which values differ from the one before; the first does."""
    changes = np.zeros(len(values), bool)
    changes[:1] = True
    # Strides of 0: the first row's object is that of all rows.
    if values.strides != (0,):
        changes[1:] = values[1:] != values[:-1]
    return changes


def _find_row(group: h5py.Group) -> str:
    """Return the name of the row dimension, which was created before the widths of texts."""
    return next(name for name, stored in group.items() if stored.is_scale)


def _find_runs(group: h5py.Group, columns: Collection[str], begin: int, end: int) -> pd.DataFrame:
    # The last row before these is compared, too.
    rows = slice(max(0, begin - 1), end)
    stored = {name: group[name][rows] for name in columns}
    starts = np.zeros(rows.stop - rows.start, bool)
    starts[0] = begin == 0
    for values in stored.values():
        differs = values[1:] != values[:-1]
        starts[1:] |= differs.any(axis=tuple(range(1, differs.ndim)))
    found = {name: _restore(values[starts], group[name]) for name, values in stored.items()}
    return pd.DataFrame(found, index=np.flatnonzero(starts) + rows.start)


def _pack(column: pd.Series) -> tuple[npt.NDArray[Any], dict[str, Any]]:
    """Return a column as stored, and the attributes with which xarray restores its type.

    Texts are rows of characters; there are none if all texts are empty.
    """
    if column.dtype == bool:
        return column.to_numpy().astype("int8"), {"dtype": "bool"}
    if column.dtype.kind in "iuf":
        return column.to_numpy(), {}
    values = column.to_numpy(object)
    # Texts repeat often, and most follow an equal one, so each distinct text is encoded once.
    starts = np.flatnonzero(find_changes(values))
    places, texts = pd.factorize(values[starts])
    encoded = [*(_as_text(text).encode() for text in texts), b""]
    # A whole number of words, so that a reader can compare without padding.
    width = -(-max(1, *map(len, encoded)) // _WORD) * _WORD
    attributes = {"_Encoding": "utf-8"}
    if not any(encoded):
        return np.zeros((0, width), "S1"), attributes
    # Missing values have the place -1: the last entry, which is empty.
    stored = np.array(encoded, dtype=f"S{width}")[places]
    rows = np.repeat(stored, np.diff(starts, append=len(values)))
    return rows.view("S1").reshape(-1, width), attributes


def _compress_chunks(stored: h5py.Dataset, values: npt.NDArray[Any], pool: Executor) -> list[_Chunk]:
    """Start to compress a column, and return its chunks; a variable that is never written reads as empty texts."""
    if not len(values):
        return []
    rows, *widths = stored.chunks
    return [
        (stored, (begin, *(0 for _ in widths)), pool.submit(_compress, values[begin : begin + rows], stored.chunks))
        for begin in range(0, len(values), rows)
    ]


def _write_chunks(chunks: Iterable[_Chunk]) -> None:
    for stored, place, compressed in chunks:
        stored.id.write_direct_chunk(place, compressed.result())


def _compress(values: npt.NDArray[Any], shape: tuple[int, ...]) -> bytes:
    """Return values as the chunk that HDF5's filters make of them: first bytes, then second ones, compressed."""
    chunk = np.zeros(shape, values.dtype)
    chunk[: len(values)] = values
    shuffled = chunk.view(np.uint8).reshape(-1, chunk.itemsize).T
    return zlib.compress(np.ascontiguousarray(shuffled).data, _LEVEL)


def _as_text(value: Any) -> str:
    """Return a level as text; columns with missing values hold booleans as objects."""
    return str(value).lower() if isinstance(value, bool | np.bool_) else str(value)


def _restore(values: npt.NDArray[Any], stored: h5py.Dataset) -> npt.NDArray[Any] | ExtensionArray:
    """Return stored values of a variable with the type of their column."""
    if values.dtype.kind == "S":
        return _decode(values)
    return values.astype(bool) if stored.attrs.get("dtype") == "bool" else values


def _decode(characters: npt.NDArray[np.bytes_]) -> ExtensionArray:
    """Return the text of each row of characters; equal rows share one string.

    Rows are compared eight bytes at a time, so that each distinct text is decoded once.
    """
    count = len(characters)
    if not characters.view(np.uint8).any():
        return pd.array(np.broadcast_to(np.array([""], dtype=object), count), dtype=TEXT, copy=False)
    places = np.zeros(count, np.int64)
    for word in _view_words(characters).T:
        found, words = pd.factorize(word)
        if len(words) > 1:
            places = pd.factorize(places * len(words) + found)[0]
    backwards = np.arange(count - 1, -1, -1)
    firsts = np.zeros(places.max() + 1, np.int64)
    firsts[places[backwards]] = backwards
    texts = [row.tobytes().rstrip(b"\0").decode() for row in characters[firsts]]
    return pd.array(texts, dtype=TEXT).take(places)


def _view_words(characters: npt.NDArray[np.bytes_]) -> npt.NDArray[np.uint64]:
    """Return rows of characters as 8-byte words; rows of another width, from other programs, are padded."""
    count, width = characters.shape
    if width % _WORD:
        padded = np.zeros((count, -(-width // _WORD) * _WORD), "S1")
        padded[:, :width] = characters
        characters = padded
    return np.ascontiguousarray(characters).view(np.uint64)
