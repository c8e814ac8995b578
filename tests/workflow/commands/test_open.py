"""A report opens where there is a screen, and notebooks of one's own read the campaign that was chosen."""

import os
import shutil
from pathlib import Path

import nbformat
import pytest

from coldcache import __main__ as program
from coldcache.workflow.commands import open as open_command

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


@pytest.fixture
def opened(tmp_path, monkeypatch):
    """A folder with two reports, and a list of what a browser is asked to open; there is no screen."""
    monkeypatch.chdir(tmp_path)
    for name, moment in (("older", 1), ("newer", 2)):
        page = tmp_path / "results" / name / "report/index.html"
        page.parent.mkdir(parents=True)
        page.touch()
        os.utime(page, (moment, moment))
    asked: list[str] = []
    monkeypatch.setattr(open_command.webbrowser, "open", asked.append)
    for name in SCREENS:
        monkeypatch.delenv(name, raising=False)
    return asked


@pytest.mark.parametrize(("arguments", "name"), [([], "newer"), (["older"], "older")])
def test_without_a_screen_the_path_is_printed_and_nothing_is_opened(opened, capsys, arguments, name):
    assert program.main(["open", *arguments]) == 0
    assert capsys.readouterr().out == f"results/{name}/report/index.html\n"
    assert opened == []


@pytest.mark.parametrize("screen", SCREENS)
def test_with_a_screen_the_browser_opens_the_file(opened, tmp_path, monkeypatch, screen):
    monkeypatch.setenv(screen, ":0")
    assert program.main(["open"]) == 0
    assert opened == [f"file://{tmp_path}/results/newer/report/index.html"]


def test_a_report_that_is_missing_is_named_with_what_there_is(opened, capsys):
    assert program.main(["open", "oldr"]) == 1
    assert capsys.readouterr().err == ('coldcache: results/oldr/report/index.html: missing; did you mean "older"?\n')
    shutil.rmtree("results")
    assert program.main(["open"]) == 1
    assert capsys.readouterr().err == (
        "coldcache: results/local/report/index.html: missing; snakemake --cores all makes the first report\n"
    )
    assert program.main(["open", "mine"]) == 1
    assert capsys.readouterr().err == (
        "coldcache: results/mine/report/index.html: missing; snakemake --cores all --config campaign=mine makes the "
        "first report\n"
    )


@pytest.fixture
def reference(root, tmp_path, monkeypatch):
    """A folder with the reference campaign, its notebooks, and a dataset of which only the place counts."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw/mine").symlink_to(root / "raw/reference")
    shutil.copytree(root / "notebooks", tmp_path / "notebooks")
    (tmp_path / "results/mine").mkdir(parents=True)
    (tmp_path / "results/mine/dataset.nc").touch()


def test_notebooks_are_laid_out_with_the_campaign_chosen_and_without_outputs(reference, capsys):
    assert program.main(["lab", "mine"]) == 0
    assert capsys.readouterr().out == "lab/mine\n"
    names = {path.stem for path in Path("lab/mine/quick").iterdir()}
    assert {"my-question", "random-iops", "write-cache"} <= names
    for path in Path("lab/mine/quick").iterdir():
        cells = nbformat.read(path, as_version=4).cells
        code = [cell for cell in cells if cell.cell_type == "code"]
        assert code[0].source == 'dataset = "../../../results/mine/dataset.nc"\nstudy = "quick"'
        assert not [cell for cell in code if cell.outputs or cell.execution_count]
        assert (path.parent / "../../../results/mine/dataset.nc").is_file()


def test_what_somebody_wrote_there_stays(reference):
    program.main(["lab", "mine"])
    for name in ("my-question", "random-iops"):
        Path(f"lab/mine/quick/{name}.ipynb").write_text("mine")
    program.main(["lab", "mine"])
    assert Path("lab/mine/quick/my-question.ipynb").read_text() == "mine"
    assert Path("lab/mine/quick/random-iops.ipynb").read_text() == "mine"


def test_a_campaign_without_a_dataset_gets_the_command_that_makes_it(reference, capsys):
    assert program.main(["lab", "other"]) == 1
    line = "results/other/dataset.nc: missing; snakemake --cores all --config campaign=other makes it"
    assert capsys.readouterr().err == f"coldcache: {line}\n"


@pytest.mark.parametrize("text", ["mine", "[]", "{}", '{"nbformat": 4}', '{"nbformat": 4, "cells": 3}'])
def test_what_is_no_notebook_is_refused_before_anything_is_written(reference, capsys, text):
    Path("notebooks/write-cache.ipynb").write_text(text)
    assert program.main(["lab", "mine"]) == 1
    assert capsys.readouterr() == (
        "",
        "coldcache: notebooks/write-cache.ipynb: not a notebook of Jupyter; nothing is written to lab/mine\n",
    )
    assert not Path("lab").exists()
