"""What a notebook saves is listed in it, and what no notebook saves any more is removed."""

import nbformat
import pytest

from coldcache.analysis.outputs import place_save, remove_stale, remove_unnamed
from coldcache.workflow.execute_notebook import execute_notebook

CODE = """\
import pandas as pd
from coldcache.analysis.tables import Table
for name in {names}:
    Table(pd.DataFrame({{"x": [1]}}), pd.DataFrame({{"x": [1]}}), "A caption").save(dataset, name)
"""


def write_notebook(path, names, end=""):
    cells = [
        nbformat.v4.new_markdown_cell("# Why?"),
        nbformat.v4.new_code_cell("dataset = study = ''", metadata={"tags": ["parameters"]}),
        nbformat.v4.new_code_cell(CODE.format(names=names) + end),
    ]
    language = {"language_info": {"name": "python"}}
    nbformat.write(nbformat.v4.new_notebook(cells=cells, metadata=language), path)


@pytest.fixture
def results(tmp_path, monkeypatch):
    """A folder of results in an empty project."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "dataset.nc").touch()
    return folder


def run(results, names, end=""):
    notebook, output = results.parent / "why.ipynb", results / "notebooks/quick/why.ipynb"
    write_notebook(notebook, names, end)
    execute_notebook(notebook, output, results.parent / "logs/why.ipynb", results / "dataset.nc", "quick")
    return nbformat.read(output, as_version=4)


def list_tables(results):
    return sorted(path.name for path in (results / "tables").iterdir())


def test_what_a_notebook_saves_no_more_is_removed_once_it_is_executed_again(results):
    first = run(results, ["b", "a", "b"])
    assert first.metadata["coldcache"] == {"saves": ["tables/a.csv", "tables/b.csv"]}
    assert remove_stale(results, [first]) == []
    second = run(results, ["b", "c"])
    assert list_tables(results) == ["a.csv", "b.csv", "c.csv"]
    (results / "figures").mkdir()
    (results / "figures/a.svg").touch()
    assert remove_stale(results, [second]) == [results / "tables/a.csv", results / "figures/a.svg"]
    assert list_tables(results) == ["b.csv", "c.csv"]


def test_what_was_saved_before_data_were_found_to_lack_is_listed_too(results):
    raising = "from coldcache.core.errors import NoData\nraise NoData('none')\n"
    assert run(results, ["a"], raising).metadata["coldcache"] == {"saves": ["tables/a.csv"]}


def test_another_notebook_keeps_what_it_saves(results):
    (results / "tables").mkdir()
    for name in ("a.csv", "b.csv", "c.csv"):
        (results / "tables" / name).touch()
    listed = [{"metadata": {"coldcache": {"saves": [f"tables/{name}.csv"]}}} for name in "ab"]
    assert remove_stale(results, listed) == [results / "tables/c.csv"]


def test_nothing_is_removed_where_a_notebook_does_not_list_what_it_saved(results):
    (results / "tables").mkdir()
    (results / "tables/a.csv").touch()
    assert remove_stale(results, [{"metadata": {"coldcache": {"saves": []}}}, {"metadata": {}}]) == []
    assert list_tables(results) == ["a.csv"]


def test_what_is_saved_by_hand_is_kept_out_of_the_results(results):
    assert place_save(results / "dataset.nc", "figures", "a.svg") == results / "by-hand/figures/a.svg"
    run(results, ["a"])
    notebook = results.parent / "notebooks/why.ipynb"
    notebook.parent.mkdir()
    write_notebook(notebook, ["a", "b"])
    cells = nbformat.read(notebook, as_version=4)
    cells.cells[1].source = "dataset, study = '../results/dataset.nc', 'quick'"
    nbformat.write(cells, notebook)
    execute_notebook(notebook, notebook, results.parent / "logs/by-hand.ipynb")
    assert list_tables(results) == ["a.csv"]
    assert list_tables(results / "by-hand") == ["a.csv", "b.csv"]
    assert "coldcache" not in nbformat.read(notebook, as_version=4).metadata


def test_a_notebook_that_no_study_names_is_removed_with_what_it_read(results):
    for name in ("quick/why", "quick/how", "other/why"):
        for path in (results / f"notebooks/{name}.ipynb", results / f"reads/{name}.txt"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    removed = remove_unnamed(results, [("quick", "why")])
    assert removed == [results / "notebooks/other/why.ipynb", results / "notebooks/quick/how.ipynb"]
    assert sorted(path for path in results.rglob("*why*") if path.is_file()) == [
        results / "notebooks/quick/why.ipynb",
        results / "reads/quick/why.txt",
    ]
    assert not list(results.rglob("how.*"))
