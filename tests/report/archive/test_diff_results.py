"""Rebuilt results are identical, equal within a tolerance, or different, and the first difference is named."""

import numpy as np
import pytest
import xarray as xr

from coldcache.report.archive.diff_results import Artefact, compare_results


@pytest.fixture
def compare(tmp_path):
    """Return a function that compares two folders of which each holds one file."""

    def run(name, old, new):
        for folder, content in (("old", old), ("new", new)):
            (tmp_path / folder).mkdir()
            if content is not None:
                (tmp_path / folder / name).parent.mkdir(parents=True, exist_ok=True)
                (tmp_path / folder / name).write_bytes(content)
        return compare_results(tmp_path / "old", tmp_path / "new")

    return run


@pytest.mark.parametrize(
    ("name", "old", "new", "state", "why"),
    [
        ("a.csv", b"x,1.5\n", b"x,1.5\n", "identical", ""),
        ("a.csv", b"x,1.5\n", b"x,1.5000000000001\n", "equal", "within 1e-09"),
        ("a.csv", b"x,1.5\n", b"x,1.50001\n", "different", "1.5 was, 1.50001 is"),
        ("a.csv", b"x,nan\n", b"x,1.5\n", "different", "line 1"),
        ("a.csv", b"x,1\ny,2\n", b"x,1\nz,2\n", "different", "line 2"),
        ("a.csv", b"x,1\n", b"x,1\ny,2\n", "different", "line 2"),
        ("a.svg", b'<path d="M 1.234567"/>', b'<path d="M 1.234568"/>', "equal", "within 1e-05"),
        ("a.svg", b'<path d="M 1.234567"/>', b'<path d="M 1.235567"/>', "different", "1.234567 was, 1.235567 is"),
        ("a.woff2", b"one", b"two", "different", "other bytes"),
        ("a.csv", b"x\n", None, "missing", "was not rebuilt"),
        ("a.csv", None, b"x\n", "new", "was not stored before"),
    ],
)
def test_each_file_has_a_state_and_a_reason(compare, name, old, new, state, why):
    assert compare(name, old, new) == [Artefact(name, state, why)]


@pytest.mark.parametrize("name", ["blocks/quick.random.json", "by-hand/tables/a.csv", "trials.parquet"])
def test_what_was_noted_while_measuring_saved_by_hand_or_exported_is_no_result(compare, name):
    assert compare(name, b"{}", None) == []


@pytest.mark.parametrize(
    ("value", "state", "why"),
    [(2.0, "identical", ""), (2.0 + 1e-12, "equal", "within 1e-09"), (2.1, "different", "group /quick")],
)
def test_datasets_are_compared_by_what_they_hold(tmp_path, value, state, why):
    for folder, number, note in (("old", 2.0, "x"), ("new", value, "x")):
        (tmp_path / folder).mkdir()
        cube = xr.Dataset({"rate": ("repetition", np.array([1.0, number]))}, attrs={"tool": note})
        tree = xr.DataTree.from_dict({"/": xr.Dataset(), "/quick": cube})
        # Another layout on the disk, so that the bytes differ where the numbers do not.
        chunk = {"rate": {"chunksizes": (1,)}} if folder == "new" else {}
        tree.to_netcdf(tmp_path / folder / "dataset.nc", engine="h5netcdf", encoding={"/quick": chunk})
    assert compare_results(tmp_path / "old", tmp_path / "new") == [Artefact("dataset.nc", state, why)]


@pytest.mark.parametrize("share", [0.0, 0.5], ids=["none", "cut short"])
def test_a_dataset_that_cannot_be_read_is_different(tmp_path, share):
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
    xr.DataTree.from_dict({"/": xr.Dataset({"rate": 1.0})}).to_netcdf(tmp_path / "new/dataset.nc", engine="h5netcdf")
    whole = (tmp_path / "new/dataset.nc").read_bytes()
    (tmp_path / "old/dataset.nc").write_bytes(whole[: int(len(whole) * share)] or b"x")
    why = "the stored dataset cannot be read"
    assert compare_results(tmp_path / "old", tmp_path / "new") == [Artefact("dataset.nc", "different", why)]
