"""What is read of a dataset is noted where somebody watches, and what is not known to be read counts as everything."""

import ast
import subprocess
import sys

import h5netcdf
import pytest

from coldcache.core.errors import DatasetError
from coldcache.dataset.collect import collect
from coldcache.dataset.reader import list_sweeps, open_limits, open_records, open_settings, open_sweep, open_table
from coldcache.dataset.slices import EVERYTHING, TABLES_OF_CAMPAIGN, TABLES_OF_STUDIES, list_reads, watch_reads
from coldcache.workflow.code_inputs import sources_of_notebook


@pytest.fixture
def dataset(measured):
    """The dataset of the tiny campaign."""
    collect("tiny", measured / "results/tiny")
    return measured / "results/tiny/dataset.nc"


@pytest.mark.parametrize(
    ("read", "noted"),
    [
        (lambda path: open_table(path, "verdicts", "tiny"), {"tables/verdicts/tiny"}),
        (lambda path: open_table(path, "hosts"), {"tables/hosts"}),
        (lambda path: open_records(path, "tiny"), {"tables/records/tiny"}),
        (open_records, {"tables/records"}),
        (lambda path: open_settings(path, "tiny"), {"tables/settings/tiny"}),
        (lambda path: open_limits(path, "tiny"), {"limits/tiny"}),
        (lambda path: list_sweeps(path, "tiny"), {"tables/records/tiny"}),
        (lambda path: open_sweep(path, "tiny", "cache"), {"sweeps/tiny/cache"}),
    ],
)
def test_what_is_read_is_noted_while_it_is_watched(dataset, read, noted):
    with watch_reads() as notes:
        read(dataset)
        found = list_reads(notes)
    assert found == noted
    read(dataset)


@pytest.mark.parametrize(
    "read", [open_settings, lambda path: open_sweep(path, "tiny", "cache")], ids=["table", "sweep"]
)
def test_a_dataset_that_cannot_be_read_is_named_in_one_line(tmp_path, read):
    path = tmp_path / "dataset.nc"
    path.write_text("x")
    with pytest.raises(
        DatasetError, match=f"^{path} has no (table settings: collect the campaign again|sweep tiny/cache)$"
    ):
        read(path)


def test_a_sweep_that_is_not_there_was_asked_for(dataset):
    with watch_reads() as notes, pytest.raises(DatasetError):
        open_sweep(dataset, "tiny", "none")
    with watch_reads() as notes:
        with pytest.raises(DatasetError):
            open_sweep(dataset, "tiny", "none")
        assert list_reads(notes) == {"sweeps/tiny/none"}


def test_reads_of_another_process_are_logged_too(dataset):
    code = (
        "from pathlib import Path; from coldcache.dataset.reader import open_limits;"
        " open_limits(Path('dataset.nc'), 'a')"
    )
    with watch_reads() as notes:
        subprocess.run([sys.executable, "-c", code], cwd=dataset.parent, check=True, timeout=60)
        assert list_reads(notes) == {"limits/a"}


def test_without_a_log_everything_was_read(tmp_path):
    assert list_reads(tmp_path / "none") == {EVERYTHING}


def test_every_table_of_a_dataset_is_a_slice(dataset):
    with h5netcdf.File(dataset) as file:
        tables = set(file.groups) - {"tiny"}
    assert tables == {*TABLES_OF_STUDIES, *TABLES_OF_CAMPAIGN}


def test_notebooks_open_a_dataset_only_through_the_module_that_logs_it(root, monkeypatch):
    monkeypatch.chdir(root)
    sources = {file for path in root.glob("notebooks/*.ipynb") for file in sources_of_notebook(path)}
    files = {file for file in sources if file.endswith(".py")}
    opening = {"open_dataset", "open_datatree", "open_groups", "load_dataset", "h5netcdf", "h5py"}
    found = {
        file.removeprefix("workflow/src/coldcache/")
        for file in files
        for node in ast.walk(ast.parse((root / file).read_text()))
        if isinstance(node, ast.Attribute | ast.Name) and getattr(node, "attr", getattr(node, "id", "")) in opening
    }
    # `cube_io.py` and `table_io.py` read from a file that is open already; `writer.py` writes.
    assert found - {"dataset/cube_io.py", "dataset/table_io.py", "dataset/writer.py"} == {"dataset/reader.py"}
