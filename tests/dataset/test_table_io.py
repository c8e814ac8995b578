"""A long table is read as it was written, by this program and by xarray alone."""

import h5netcdf
import h5py
import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

from coldcache.dataset.table_io import find_changes, find_runs, read_table_group, write_table_group


def write(path, table):
    with h5py.File(path, "w", track_order=True) as file:
        write_table_group(file, "records", table, "record")
    return path


def read(path):
    with h5py.File(path) as file:
        return read_table_group(file["records"])


@given(st.lists(st.sampled_from(["", "ü", "read", "random-read", "random-write, of 16 threads"]) | st.text(
    st.characters(exclude_characters="\0", exclude_categories=["Cs"])), max_size=40))  # fmt: skip
@settings(deadline=None)
def test_texts_come_back_as_they_were(tmp_path_factory, texts):
    path = write(tmp_path_factory.mktemp("tables") / "t.nc", pd.DataFrame({"text": pd.Series(texts, dtype=object)}))
    assert read(path).text.tolist() == texts


def test_texts_that_lie_apart_in_memory_and_equal_ones_that_are_different_objects_are_one(tmp_path):
    words = ["".join(("re", "ad")), "write", "".join(("re", "ad")), None]
    assert words[0] is not words[2]
    rows = np.array([[word, "x"] for word in words], dtype=object)
    columns = {
        name: pd.Series(rows[:, place], dtype=object, copy=False) for place, name in enumerate(("operation", "metric"))
    }
    table = pd.DataFrame(columns, copy=False)
    assert not table.operation.to_numpy().flags.c_contiguous
    back = read(write(tmp_path / "t.nc", table))
    assert back.operation.tolist() == ["read", "write", "read", ""]
    assert back.metric.tolist() == ["x"] * 4


def test_numbers_come_back_to_the_last_digit_with_their_kinds(tmp_path):
    table = pd.DataFrame({"value": [0.1, np.nan, 1e300], "offset": [-1, 0, 2**60], "direct_io": [True, False, True]})
    back = read(write(tmp_path / "t.nc", table))
    pd.testing.assert_frame_equal(back, table, check_names=False)
    assert back.index.name == "record"


def test_levels_that_are_missing_are_empty_and_mixed_ones_are_words(tmp_path):
    table = pd.DataFrame({"direct_io": [True, None, False], "file_layout": ["shared-file", np.nan, None]})
    back = read(write(tmp_path / "t.nc", table))
    assert back.direct_io.tolist() == ["true", "", "false"]
    assert back.file_layout.tolist() == ["shared-file", "", ""]


def test_a_table_without_rows_keeps_its_columns(tmp_path):
    table = pd.DataFrame(columns=["study", "sweep"])
    back = read(write(tmp_path / "t.nc", table))
    assert (list(back.columns), len(back)) == (["study", "sweep"], 0)


def test_xarray_alone_reads_a_table_without_rows(tmp_path):
    path = write(tmp_path / "t.nc", pd.DataFrame({"study": pd.Series([], dtype=object), "value": []}))
    with xr.open_dataset(path, group="records", engine="h5netcdf") as found:
        assert dict(found.sizes) == {"record": 0} and found.encoding["unlimited_dims"] == {"record"}
        assert (found.study.dtype.kind, found.value.dtype) == ("O", float)


@pytest.mark.parametrize("rows", [1, 3])
def test_xarray_alone_reads_the_same(tmp_path, rows):
    table = pd.DataFrame({
        "metric": ["throughput", "", "Rate in µs"][:rows], "value": [1.5, np.nan, 2.0][:rows],
        "direct_io": [True, False, True][:rows], "offset": [1, 2, 3][:rows],
    })  # fmt: skip
    path = write(tmp_path / "t.nc", table)
    with xr.open_dataset(path, group="records", engine="h5netcdf") as found:
        pd.testing.assert_frame_equal(found.load().to_dataframe()[list(table)], read(path), check_dtype=False)
        assert found.metric.values.tolist() == table.metric.tolist()
        assert found.direct_io.dtype == bool


@pytest.mark.parametrize("rows", [7, 8, 15])
def test_chunks_end_where_the_table_does_for_every_reader(tmp_path, monkeypatch, rows):
    monkeypatch.setattr("coldcache.dataset.table_io._CHUNK", 7)
    table = pd.DataFrame({
        "metric": [f"m{number}" for number in range(rows)], "value": [number / 3 for number in range(rows)],
        "direct_io": [number % 2 == 0 for number in range(rows)], "offset": [2**60 + number for number in range(rows)],
    })  # fmt: skip
    path = write(tmp_path / "t.nc", table)
    pd.testing.assert_frame_equal(read(path), table, check_dtype=False, check_names=False)
    with xr.open_dataset(path, group="records", engine="h5netcdf") as found:
        pd.testing.assert_frame_equal(
            found.load().to_dataframe()[list(table)], table, check_dtype=False, check_names=False
        )


def test_texts_of_another_width_are_read_too(tmp_path):
    with h5netcdf.File(tmp_path / "t.nc", "w") as file:
        group = file.create_group("records")
        group.dimensions["record"], group.dimensions["string5"] = 2, 5
        rows = np.array(["write", "read"], "S5").view("S1").reshape(2, 5)
        group.create_variable("operation", ("record", "string5"), rows.dtype, data=rows)
    assert read(tmp_path / "t.nc").operation.tolist() == ["write", "read"]


def test_some_rows_and_columns_are_read_as_in_the_whole_table(tmp_path):
    table = pd.DataFrame({"case": [*"aabbb"], "value": [1.0, 2.0, 3.0, 4.0, 5.0], "n": [*range(5)]})
    with h5py.File(write(tmp_path / "t.nc", table)) as file:
        some = read_table_group(file["records"], slice(1, 4), ("value", "case"))
    assert some.to_dict("split") == {"index": [1, 2, 3], "columns": ["value", "case"],
                                     "data": [[2.0, "a"], [3.0, "b"], [4.0, "b"]]}  # fmt: skip


@given(st.lists(st.sampled_from(["a", "b", "", None]), max_size=30))
def test_a_value_is_a_change_where_it_differs_from_the_one_before(values):
    changes = find_changes(np.array(values, dtype=object))
    assert changes.tolist() == [place == 0 or value != values[place - 1] for place, value in enumerate(values)]


@pytest.mark.parametrize("often", [1, 40])
def test_equal_texts_are_no_change_although_each_is_an_object_of_its_own(often):
    ones, others, last = ("".join(("wr", "ite")) for _ in range(2)), ["read"], [None, None]
    texts = [text for text in (*ones, *others, *last) for _ in range(often)]
    changes = find_changes(np.array(texts, dtype=object))
    assert np.flatnonzero(changes).tolist() == [0, 2 * often, 3 * often]


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_one_object_for_all_rows_changes_once(rows):
    values = np.broadcast_to(np.array([None], dtype=object), rows)
    assert find_changes(values).tolist() == [True, False, False][:rows]


@given(st.lists(st.tuples(st.sampled_from(["a", "b", ""]), st.sampled_from([0, 1])), min_size=1, max_size=30))
@settings(deadline=None)
def test_runs_begin_where_a_column_changes_also_at_the_ends_of_chunks(tmp_path_factory, rows):
    table = pd.DataFrame(rows, columns=["case", "repetition"])
    path = write(tmp_path_factory.mktemp("tables") / "t.nc", table)
    with pytest.MonkeyPatch.context() as patch, h5py.File(path) as file:
        patch.setattr("coldcache.dataset.table_io._CHUNK", 7)
        runs = find_runs(file["records"], ("case", "repetition"))
    expected = [number for number, row in enumerate(rows) if number == 0 or row != rows[number - 1]]
    assert runs.index.tolist() == expected
    assert [*runs.itertuples(index=False, name=None)] == [rows[number] for number in expected]


def test_a_table_without_rows_has_no_runs(tmp_path):
    with h5py.File(write(tmp_path / "t.nc", pd.DataFrame(columns=["case", "value"]))) as file:
        assert len(find_runs(file["records"], ("case",))) == 0
