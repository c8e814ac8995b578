"""A campaign whose names are full of markup, for tests of pages."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from coldcache.dataset.collect import collect
from coldcache.report.site.render import render

STUDY = {
    "study": "other",
    "title": "A <b>second</b> *look*: `x` | {{y}}",
    "question": "Does [this](x.md) hold -- & <script>alert(1)</script>?",
}
HOST = "</td><script>alert(1)</script>```\n# vm"


@pytest.fixture
def hostile(root, tmp_path, monkeypatch) -> Path:
    """A project with a campaign of two studies, most trials missing, that calls its host by a name full of markup."""
    monkeypatch.chdir(tmp_path)
    sealed, raw, results = root / "raw/reference", tmp_path / "raw/hostile", tmp_path / "results/hostile"
    shutil.copytree(
        sealed / "quick/random/operation=random-read,threads=1", raw / "quick/random/operation=random-read,threads=1"
    )
    for repetition in range(5, 10):
        shutil.rmtree(raw / f"quick/random/operation=random-read,threads=1/r{repetition}")
    for path in raw.rglob("trial.json"):
        outcome = json.loads(path.read_text())
        outcome["system"]["host"] = HOST
        outcome["target"]["mount_options"] = "rw," + ",".join(f"lowerdir=/layers/{layer}" for layer in range(40))
        path.write_text(json.dumps(outcome))
    design = json.loads((sealed / "campaign.json").read_text())
    quick, tools = design["studies"][0], design["circumstances"]["tools"]
    quick["notebooks"], quick["sentinel"] = ["random-iops"], None
    del quick["sweeps"]["probe"]
    quick["sweeps"]["random"]["repeat_until"] = None
    design["campaign"] = "hostile"
    design["studies"] = [quick, {**quick, **STUDY, "sweeps": {"random": quick["sweeps"]["random"]}}]
    tools["other/random"] = tools["quick/random"]
    (raw / "campaign.json").write_text(json.dumps(design))
    for study in ("quick", "other"):
        (results / "notebooks" / study).mkdir(parents=True)
        shutil.copy(root / "notebooks/random-iops.ipynb", results / "notebooks" / study)
    collect("hostile", results)
    return tmp_path


@pytest.fixture
def render_hostile(hostile) -> Callable[[], Path]:
    """Return a function that renders the report of the hostile campaign and returns its folder."""

    def run() -> Path:
        render("hostile", Path("results/hostile"), Path("logs/report.log"))
        return hostile / "results/hostile/report"

    return run
