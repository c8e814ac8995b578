"""A campaign starts its model, measures on it with proof, and ends it: docs/the-model.md, followed to the letter."""

import csv
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coldcache.core.errors import TargetError
from coldcache.design.site import read_site
from coldcache.measure.model.place import claim
from coldcache.measure.model.stop import list_left
from coldcache.measure.model.storage import end_storage, place_of, refuse_storage, storage

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs/the-model.md"
SITE = ROOT / "config/sites/model.yaml"

#: What is smaller here than in the site that the page uses, so that the example takes a minute.
SMALLER = {"targets: 8": "targets: 4", "clients: 4": "clients: 2", "metadata_servers: 2": "metadata_servers: 1"}


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture
def project(place, tmp_path, monkeypatch):
    """A project with the page's study, and the page's site with another folder and fewer parts."""
    for name in ("workflow", "notebooks", "config", "Snakefile", "environment.yml"):
        path = ROOT / name
        copy = shutil.copytree if path.is_dir() else shutil.copyfile
        copy(path, tmp_path / name)
    text = SITE.read_text().replace("/var/tmp/coldcache-model", str(place.folder))
    for old, new in SMALLER.items():
        assert old in text
        text = text.replace(old, new)
    (tmp_path / "config/sites/model.yaml").write_text(text)
    (study,) = blocks("yaml")
    (tmp_path / study.splitlines()[0].removeprefix("# ")).write_text(study)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{subprocess.os.environ['PATH']}")
    return tmp_path


def run(script):
    return subprocess.run(["bash", "-eu", "-c", script], text=True, capture_output=True, timeout=280, check=False)


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_worked_example_of_the_page(project, place):
    start, campaign = blocks("bash")[:2]
    said = run(start.replace("make model", f"{sys.executable} -m coldcache.measure.model up"))
    assert said.returncode == 0, said.stderr
    assert "read by as many threads as targets: 20 MB/s, bounded by target 1" in said.stdout
    said = run(campaign)
    assert said.returncode == 0, said.stderr[-3000:]
    rows = list(csv.DictReader(Path("results/knee/tables/knee-threads-predictions.csv").read_text().splitlines()))
    ratios = {int(row["threads"]): float(row["ratio"]) for row in rows}
    assert [float(row["predicted"]) for row in rows] == pytest.approx([5e6, 2e7, 2e7])
    # Never faster than the limits; how much slower depends on what else runs.
    assert all(0.5 < ratio < 1.05 for ratio in ratios.values())
    for path in Path("raw/knee").rglob("trial.json"):
        told = json.loads(path.read_text())
        counters = {key: told["counters"]["after"][key] - before for key, before in told["counters"]["before"].items()}
        moved = told["factors"]["file_size"] * told["factors"]["threads"]
        used = [number for number in range(1, 5) if counters[f"target{number}.read_bytes"] > 0.1 * moved]
        assert len(used) == min(4, told["factors"]["threads"])
        assert counters["read_bytes"] >= moved
        assert told["settings"]["targets"]["read_after"] == "4"
        assert told["cold"]["method"] == "remount"
    # Snakemake has ended the model with the campaign.
    assert list_left(place) == []
    assert not place.folder.exists()


def test_a_site_on_other_storage_starts_nothing():
    site = read_site(ROOT / "config/sites", "local")
    assert place_of(site) is None
    with storage(site):
        pass
    end_storage(site)


def test_a_model_on_which_another_campaign_measures_is_left_alone(tmp_path):
    path = tmp_path / "m/c1/data"
    site = read_site(ROOT / "config/sites", "model", target=str(path))
    place = place_of(site)
    assert place.folder == tmp_path / "m"
    with claim(place):
        with pytest.raises(TargetError, match="a campaign measures on this model; wait for its end"), storage(site):
            pass
        end_storage(site)
        assert place.folder.exists()


def test_what_is_missing_is_one_line(monkeypatch):
    monkeypatch.setenv("PATH", "")
    with pytest.raises(TargetError) as refused:
        refuse_storage(read_site(ROOT / "config/sites", "model"))
    assert str(refused.value).startswith("config/sites/model.yaml, model: missing: ceph-base, ")
    assert "apt-get install --no-install-recommends ceph-base" in str(refused.value)


def test_a_target_elsewhere_than_on_the_first_client_is_refused():
    stated = read_site(ROOT / "config/sites", "model")
    site = stated.model_copy(
        update={"targets": {stated.target_name: stated.target.model_copy(update={"path": "/mnt/fast"})}}
    )
    with pytest.raises(TargetError, match="/mnt/fast is not on the model's first client"):
        place_of(site)


@pytest.mark.slow
@pytest.mark.timeout(120)
def test_the_campaign_of_a_document_is_planned_as_the_page_says(project):
    said = run(blocks("bash")[2].replace("snakemake", "snakemake --dry-run"))
    assert said.returncode == 0, said.stderr[-3000:]
    # How many rounds a job measures depends on the tools that are installed.
    assert re.search(r"wildcards: campaign=dell, block=rounds-1-to-\d+$", said.stdout, re.MULTILINE)
