import json

from coldcache.report.site import downloads
from coldcache.report.site.downloads import copy_downloads, offer


def test_what_pages_lead_to_lies_in_the_report(tmp_path):
    results, report = tmp_path / "results", tmp_path / "report"
    for name in ("dataset.nc", "tables/a.csv", "figures/a.svg", "notebooks/quick/why.ipynb", "blocks/x.json"):
        (results / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_text(name)
    notebook = {"cells": [
        {"cell_type": "markdown", "source": "# Größe"},
        {"cell_type": "code", "source": "1 + 1", "execution_count": 3, "outputs": [{"data": {"text/plain": "2"}}]},
    ]}  # fmt: skip
    (results / "notebooks/quick/why.ipynb").write_text(json.dumps(notebook))
    copy_downloads(results, report)
    found = {path.relative_to(report).as_posix() for path in report.rglob("*") if path.is_file()}
    assert found == {
        "data/dataset.nc", "data/tables/a.csv", "data/figures/a.svg", "data/notebooks/quick/why.ipynb",
    }  # fmt: skip
    code = json.loads((report / "data/notebooks/quick/why.ipynb").read_text())
    assert code["cells"] == [
        notebook["cells"][0],
        {"cell_type": "code", "source": "1 + 1", "execution_count": None, "outputs": []},
    ]
    assert offer("tables/a.csv", results) == '<a href="data/tables/a.csv">a.csv</a>'
    assert offer("tables/a.csv", results, "../", "CSV") == '<a href="../data/tables/a.csv">CSV</a>'


def test_a_file_that_is_too_large_is_named_where_it_lies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(downloads, "LARGEST_COPY", 4)
    results = tmp_path.relative_to(tmp_path) / "results"
    results.mkdir()
    (results / "dataset.nc").write_text("large")
    copy_downloads(results, tmp_path / "report")
    assert not (tmp_path / "report").exists()
    assert offer("dataset.nc", results) == "<code>results/dataset.nc</code>"


def test_records_stay_in_the_folder_of_results(tmp_path):
    (tmp_path / "records.csv").write_text("study\n")
    (tmp_path / "trials.csv").write_text("study\n")
    copy_downloads(tmp_path, tmp_path / "report")
    assert [path.name for path in (tmp_path / "report/data").iterdir()] == ["trials.csv"]
