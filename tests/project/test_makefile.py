"""`make` works in the folder that FOLDER names, deletes nothing else, and keeps its terminal small."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

STUDY = """\
study: small
title: Writes of two sizes
question: Does every step print little?
repetitions: 2
notebooks: [every-sweep, mine]
sweeps:
  writes:
    title: Writes to a file
    tools: [fio]
    operations: [write]
    seconds: 0.2 s
    factors: {threads: [1], transfer_size: [4 KiB, 64 KiB], file_size: [1 MiB], direct_io: [where-possible]}
"""

#: It names no kernel, and prints its finding.
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "metadata": {}, "source": "# What does it print?"},
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {"tags": ["finding"]},
            "outputs": [],
            "source": "print('A sentence', 'printed for the first page.')",
        },
    ],
    "metadata": {},
    "nbformat": 4,
    "nbformat_minor": 4,
}

#: JupyterLab 4 refuses like this as root; tests have no JupyterLab.
JUPYTER = """\
#!/bin/sh
case "$*" in
*--allow-root*) ;;
*) [ "$(id -u)" != 0 ] || { echo "Running as root is not recommended. Use --allow-root to bypass." >&2; exit 1; } ;;
esac
for argument; do echo "$argument"; done
"""


@pytest.fixture
def make(clone, root, tmp_path, monkeypatch):
    """Run make in a clone that is set up, with a folder of one's own beside it."""
    shutil.copy(root / "Makefile", clone)
    (clone / "envs").mkdir()
    (clone / "envs/setup.sh").write_text("")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/jupyter").write_text(JUPYTER)
    (tmp_path / "bin/jupyter").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    # The tests may be started by make, which tells every make below it that it is one, and what it was given.
    for inherited in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS", "CAMPAIGN", "STUDIES", "SITE", "TARGET", "SIZE", "FOLDER"):
        monkeypatch.delenv(inherited, raising=False)
    subprocess.run([sys.executable, "-m", "coldcache", "new", tmp_path / "own"], check=True, capture_output=True)

    def run(*arguments):
        return subprocess.run(["make", *arguments], cwd=clone, capture_output=True, text=True, check=False, timeout=290)

    return run


def begin(folder, campaign):
    """Make what a campaign leaves in a folder."""
    for path in (folder / "raw" / campaign, folder / "results" / campaign):
        path.mkdir(parents=True)
        (path / "kept").touch()


def test_clean_campaign_removes_a_campaign_of_the_folder_alone(make, clone, tmp_path):
    own = tmp_path / "own"
    begin(clone, "foo")
    begin(own, "foo")
    begin(own, "bar")
    cleaned = make("clean-campaign", "CAMPAIGN=foo", f"FOLDER={own}")
    assert (cleaned.returncode, cleaned.stdout, cleaned.stderr) == (0, "", "")
    assert [path.name for path in (own / "raw").iterdir()] == ["bar"]
    assert [path.name for path in (own / "results").iterdir()] == ["bar"]
    assert (clone / "raw/foo/kept").exists() and (clone / "results/foo/kept").exists()
    assert make("clean-campaign", "CAMPAIGN=foo").returncode == 0
    assert not (clone / "raw/foo").exists() and not (clone / "results/foo").exists()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["clean-campaign", "FOLDER=../own"], "name the campaign to remove: make clean-campaign CAMPAIGN=local"),
        (["clean-campaign", "CAMPAIGN=sealed", "FOLDER=../own"],
         "raw/sealed: sealed: to delete it, remove the folder by hand"),
        (["clean-campaign", "CAMPAIGN=../own/raw"], "CAMPAIGN=../own/raw: this campaign must not be removed"),
        (["clean-campaign", "CAMPAIGN=reference"], "CAMPAIGN=reference: this campaign must not be removed"),
        (["clean-campaign", "CAMPAIGN=gone"], "raw/gone: there is no such campaign"),
        (["clean-campaign", "CAMPAIGN=sealed", "FOLDER=../ovn"],
         "FOLDER=../ovn: there is no such folder; coldcache new makes one"),
        (["study", "FOLDER=../ovn"], "FOLDER=../ovn: there is no such folder; coldcache new makes one"),
        (["lab", "FOLDER=../ovn"], "FOLDER=../ovn: there is no such folder; coldcache new makes one"),
        (["lab", "CAMPAIGN=bar", "FOLDER=../own"],
         "results/bar/dataset.nc: missing; snakemake --cores all --config campaign=bar makes it"),
        (["reference", "FOLDER=../own"],
         "make reference works in this clone alone; FOLDER is for make study, lab and clean-campaign"),
        (["reference", "QUICK=1"],
         "QUICK=1 measures a campaign: name it, as in make reference NAME=again QUICK=1"),
        (["study", "STUDY=quick"], "unknown variable STUDY; known are CAMPAIGN STUDIES SITE"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_a_mistake_is_one_line_and_removes_nothing(make, clone, tmp_path, arguments, line):
    begin(tmp_path / "own", "bar")
    begin(tmp_path / "own", "sealed")
    (tmp_path / "own/raw/sealed/SHA256SUMS").touch()
    before = sorted(path for folder in (clone, tmp_path / "own") for path in folder.rglob("*"))
    refused = make(*arguments)
    said = [text.partition("coldcache: ")[2] for text in refused.stderr.splitlines() if "coldcache: " in text]
    assert [text.removesuffix(".  Stop.").partition(" TARGET SIZE ")[0] for text in said] == [line]
    assert refused.returncode == 2 and refused.stdout == ""
    assert sorted(path for folder in (clone, tmp_path / "own") for path in folder.rglob("*")) == before


def test_lab_opens_notebooks_of_the_folder_and_runs_as_root_too(make, tmp_path, root):
    own = tmp_path / "own"
    (own / "raw").mkdir()
    (own / "raw/reference").symlink_to(root / "raw/reference")
    (own / "results/reference").mkdir(parents=True)
    (own / "results/reference/dataset.nc").touch()
    opened = make("lab", "CAMPAIGN=reference", f"FOLDER={own}")
    assert opened.returncode == 0, opened.stderr
    is_root = os.geteuid() == 0
    assert opened.stdout.splitlines() == ["lab", "--notebook-dir=lab/reference", *["--allow-root"] * is_root]
    assert opened.stderr == "coldcache: JupyterLab runs as root here as you do\n" * is_root
    assert (own / "lab/reference/quick/my-question.ipynb").is_file()


@pytest.mark.slow
def test_a_study_with_its_notebooks_and_report_prints_below_4_kb(make, clone, tmp_path):
    own = tmp_path / "own"
    (own / "config/studies/small.yaml").write_text(STUDY)
    (own / "notebooks/mine.ipynb").write_text(json.dumps(NOTEBOOK))
    done = make("study", "CAMPAIGN=007", "STUDIES=small", f"FOLDER={own}", "CORES=2")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "../own/results/007/report/index.html\n"
    assert (own / "results/007/report/index.html").is_file()
    assert [path.name for path in (own / "raw").iterdir()] == ["007"]
    assert "printed for the first page" in (own / "results/007/report/index.html").read_text()
    printed = done.stdout + done.stderr
    assert len(printed) < 4096, printed
    # Each step is there, the notebooks and the report too.
    for step in ("measure", "collect and judge the logs", "every-sweep", "mine", "render the report"):
        assert step in printed, step
    assert not (clone / "raw/007").exists() and not Path(clone, "logs").exists()
