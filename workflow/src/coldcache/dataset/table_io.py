"""Write and read long tables as groups of a NetCDF file that xarray opens, too: text has a fixed width.

Strings of variable length, stored one by one in the heap of an HDF5 file, take ten times as long to write and read.
h5netcdf looks up all dimensions of a file for each variable, which takes longer than to write or read a column. HDF5
compresses one chunk after the other, so chunks are compressed here, on all cores.
"""

import zlib
from collections.abc import Callable, Collection
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, NamedTuple

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
        for column in table:
            packed = _pack(table[column])
            dims = [row]
            for width in packed.widths:
                dims.append(dim := f"string{width}")
                scales[dim] = scales.get(dim) or _create_scale(group, dim, width)
            stored = _create_dataset(group, str(column), (len(table), *packed.widths), packed.dtype)
            stored.attrs.update(packed.attributes)
            for place, dim in enumerate(dims):
                stored.dims[place].attach_scale(scales[dim])
            # A variable that is never written reads as empty texts.
            if packed.rows is not None:
                _write_chunks(stored, packed.rows, pool)


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
    stored = ((name, group[name]) for name in columns) if columns else group.items()
    numbers = range(group[row].size)[rows]
    table = {name: _restore(column[rows], column) for name, column in stored if not column.is_scale}
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
    if values.strides == (0,):
        return changes
    if values.dtype == object and values.flags.c_contiguous:
        # Rows that share an object are equal, and comparing addresses takes an eighth of the time.
        objects = np.ndarray(values.shape, np.intp, values)
        others = np.flatnonzero(objects[1:] != objects[:-1])
        if len(others) < len(values) // 4:
            changes[others + 1] = values[others + 1] != values[others]
            return changes
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


class _Packed(NamedTuple):
    """A column as stored.

    Attributes
    ----------
    dtype : dtype
        Of its values.
    widths : tuple of int
        The dims of a value; of a text its characters.
    attributes : dict
        With which xarray restores its type.
    rows : callable or None
        Returns some of its rows: those of a large table are never all in memory. None if all texts are empty.
    """

    dtype: npt.DTypeLike
    widths: tuple[int, ...]
    attributes: dict[str, Any]
    rows: Callable[[slice], npt.NDArray[Any]] | None


def _pack(column: pd.Series) -> _Packed:
    """Return a column as stored; texts are rows of characters."""
    if column.dtype == bool or column.dtype.kind in "iuf":
        is_flag = column.dtype == bool
        numbers = column.to_numpy().astype("int8") if is_flag else column.to_numpy()
        attributes = {"dtype": "bool"} if is_flag else {}
        return _Packed(numbers.dtype, (), attributes, numbers.__getitem__ if len(numbers) else None)
    values = column.to_numpy(object)
    # Texts repeat often, and most follow an equal one, so each distinct text is encoded once.
    starts = np.flatnonzero(find_changes(values))
    places, texts = pd.factorize(values[starts])
    encoded = [*(_as_text(text).encode() for text in texts), b""]
    # A whole number of words, so that a reader can compare without padding.
    width = -(-max(1, *map(len, encoded)) // _WORD) * _WORD
    # Missing values have the place -1: the last entry, which is empty. NumPy takes bytes faster than texts.
    distinct = np.array(encoded, dtype=f"S{width}").view(f"V{width}")
    of_rows = np.repeat(places.astype("int32"), np.diff(starts, append=len(values)))

    def rows(chosen: slice) -> npt.NDArray[Any]:
        return distinct.take(of_rows[chosen]).view("S1").reshape(-1, width)

    return _Packed("S1", (width,), {"_Encoding": "utf-8"}, rows if any(encoded) else None)


def _write_chunks(stored: h5py.Dataset, rows: Callable[[slice], npt.NDArray[Any]], pool: Executor) -> None:
    count, *widths = stored.chunks
    begins = range(0, len(stored), count)

    def compress(begin: int) -> bytes:
        return _compress(rows(slice(begin, begin + count)), stored.chunks)

    for begin, chunk in zip(begins, pool.map(compress, begins), strict=True):
        stored.id.write_direct_chunk((begin, *(0 for _ in widths)), chunk)


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
