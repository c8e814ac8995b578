"""Campaigns that were made before the package's rooms are read, resumed and rendered, with the same numbers."""

import csv
import shutil
from pathlib import Path

import pytest
import xarray as xr

from coldcache.campaign.campaign import read_campaign

OLD = Path(__file__).parents[1] / "specimens/old-campaigns"


@pytest.fixture
def take(project):
    """Return a function that puts an old campaign where it was made: beside its study and its site."""
    shutil.copy(OLD / "tiny.yaml", "config/studies/tiny.yaml")

    def copy(name):
        return shutil.copytree(OLD / name, project / "raw" / name)

    return copy


def list_rows(path):
    with path.open(newline="") as file:
        return [row[:6] for row in csv.reader(file)][1:]


def read_cube(results, group):
    with xr.open_dataset(results / "dataset.nc", group=group, engine="h5netcdf") as cube:
        return cube.load()


def test_a_whole_campaign_is_read_with_its_verdicts_and_rates_and_rendered(take, coldcache, root):
    take("whole")
    shutil.copytree(root / "notebooks", "notebooks")
    results, name = Path("results/whole"), "campaign-validity.ipynb"
    page = ["notebook", "--dataset", f"{results}/dataset.nc", "--study=tiny", "--notebook", f"notebooks/{name}",
            "--output", f"{results}/notebooks/tiny/{name}", "--log=logs/notebook.ipynb"]  # fmt: skip
    campaign = ["--campaign=whole", f"--results={results}"]
    for step in (["collect", *campaign], ["claims", *campaign], page, ["report", "--log=logs/report.log", *campaign]):
        found = coldcache(*step)
        assert (found.stderr, found.returncode) == ("", 0)
    assert list_rows(results / "verdicts.csv") == [
        ["tiny", "cache", "write_cache=unsafe", "0", "valid", ""],
        ["tiny", "cache", "write_cache=writeback", "0", "valid", ""],
        ["tiny", "files", "operation=file-create", "0", "valid", ""],
        ["tiny", "files", "operation=file-stat", "0", "valid", ""],
        ["tiny", "iozone", "only", "0", "valid", ""],
        ["tiny", "transfers", "operation=read", "0", "valid", ""],
        ["tiny", "transfers", "operation=write", "0", "valid", ""],
    ]
    assert read_cube(results, "tiny/transfers").throughput.values.tolist() == [[812515980.0], [294912000.0]]
    assert read_cube(results, "tiny/iozone").throughput.values.tolist() == [[569723709.44]]
    assert read_cube(results, "tiny/files").rate.values.tolist() == [[2106.280193], [198902.777778]]
    assert read_cube(results, "tiny/cache").rate.values.tolist() == [[[16049.261084], [12562.189055]]]
    assert (results / "report/tiny/campaign-validity.html").is_file()


def test_an_interrupted_campaign_goes_on_and_keeps_what_it_had(take, coldcache, measure_arguments):
    raw = take("interrupted")
    # The site is as it was: without limits that have been added since. The study leaves out how long iozone is timed.
    site = Path("config/sites/here.yaml")
    site.write_text(site.read_text().replace("  modes: 1000000\n", "").replace("  gap: 1000000\n", ""))
    before = {path: path.read_bytes() for path in raw.rglob("r0/*")}
    assert "6 of 7 trials are done" in coldcache("status", "interrupted").stdout
    found = coldcache(*measure_arguments("tiny.cache", "interrupted"))
    assert found.returncode == 0, found.stderr
    assert "7 of 7 trials are done" in coldcache("status", "interrupted").stdout
    assert {path: path.read_bytes() for path in before} == before
    (study,) = read_campaign(raw).studies
    assert {name: sweep.seconds for name, sweep in study.sweeps.items()} == {
        "transfers": 0.2, "iozone": 1.05, "files": 0.2, "cache": 0.2,
    }  # fmt: skip
    cache = raw / "tiny/cache"
    assert sorted(str(path.relative_to(cache)) for path in cache.rglob("trial.json")) == [
        "write_cache=unsafe/r0/trial.json", "write_cache=writeback/r0/trial.json",
    ]  # fmt: skip
    # The half of a trial that the older version left is gone.
    assert not list(cache.rglob(".r0.partial"))


def test_an_imported_campaign_is_read_with_its_seal(take, coldcache):
    raw = take("imported")
    assert coldcache("seal", "imported", "--check").returncode == 0
    assert [study.study for study in read_campaign(raw).studies] == ["imported"]
    results = Path("results/imported")
    found = coldcache("collect", "--campaign=imported", f"--results={results}")
    assert (found.stderr, found.returncode) == ("", 0)
    assert [(row[1], row[4], row[5]) for row in list_rows(results / "verdicts.csv")] == [
        ("cloudwatch", "valid", ""), ("ior", "void", "log-refused"), *[("ior", "suspect", "too-short")] * 3,
    ]  # fmt: skip
    assert read_cube(results, "imported/ior").throughput.values.tolist() == [
        [9944694784.0, 12013535232.0, 9823059968.0], [1407891537.92, 1652639662.08, 2078560747.52],
    ]  # fmt: skip
