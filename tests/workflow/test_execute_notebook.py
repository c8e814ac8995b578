"""A notebook is executed with its parameters; its failures are one line, and its reads are logged."""

import importlib
import json
import re

import nbformat
import pytest

from coldcache.workflow.execute_notebook import _READING, NotebookError, execute_notebook


def test_execute_hands_over_the_dataset_relative_to_the_notebook(tmp_path, write_notebook):
    (tmp_path / "notebooks").mkdir()
    notebook = write_notebook(tmp_path / "notebooks/why.ipynb", 'dataset = ""\nstudy = ""', "print(dataset, study)")
    output = tmp_path / "executed.ipynb"
    execute_notebook(notebook, output, tmp_path / "logs/why.ipynb", tmp_path / "results/dataset.nc", "quick")
    assert nbformat.read(output, as_version=4).cells[-1].outputs[0].text == "../results/dataset.nc quick\n"


def test_execute_names_the_cell_that_fails_and_leaves_no_page(tmp_path, write_notebook):
    notebook = write_notebook(tmp_path / "why.ipynb", "dataset = ''", "1 / 0")
    log = tmp_path / "log.ipynb"
    with pytest.raises(NotebookError) as caught:
        execute_notebook(notebook, tmp_path / "executed.ipynb", log)
    assert str(caught.value) == (f"{notebook}, cell 2: ZeroDivisionError: division by zero; the notebook is in {log}")
    assert not (tmp_path / "executed.ipynb").exists()


def test_execute_says_in_one_line_that_a_campaign_has_no_data_for_the_question(tmp_path, write_notebook):
    notebook = write_notebook(
        tmp_path / "why.ipynb",
        "dataset = ''",
        "from coldcache.core.errors import NoData\nraise NoData('nothing counts')",
    )
    execute_notebook(notebook, tmp_path / "executed.ipynb", tmp_path / "log.ipynb")
    cells = nbformat.read(tmp_path / "executed.ipynb", as_version=4).cells
    assert [cell.source for cell in cells] == ["# Why?", "No answer from this campaign: nothing counts."]


@pytest.mark.parametrize(
    ("source", "read"),
    [
        ("from pathlib import PurePath", ["everything"]),
        ("from coldcache.dataset.slices import note_read\nnote_read('limits')\nnote_read('limits')", ["limits"]),
        ("from coldcache.dataset.slices import note_read\nnote_read('limits')\nopen(dataset)", ["everything"]),
        ("from coldcache.dataset.slices import note_read\n!ls\nnote_read('limits')", ["everything"]),
        ("from coldcache.dataset.slices import note_read\n"
         "from coldcache.core.errors import NoData\nnote_read('limits')\n"
         "raise NoData('nothing counts')", ["limits"]),
        ("print(study)", []),
        ("import numpy as np\nimport seaborn as sns\nfrom matplotlib import pyplot", []),
        ("import xarray as xr\nfrom coldcache.dataset.slices import note_read\nnote_read('limits')\n"
         "xr.DataArray([1]).mean()", ["limits"]),
        ("import xarray as xr\nopened = xr.open_dataset", ["everything"]),
        ("from xarray import open_datatree", ["everything"]),
        ("import numpy as np\nread = np.loadtxt", ["everything"]),
        ("from numpy import *", ["everything"]),
        ("import numpy as np\nopen_rows = np.array([1])\nopen_rows.argmax()", []),
    ],
)  # fmt: skip
def test_execute_lists_what_is_read_through_the_program_and_else_everything(tmp_path, source, read, write_notebook):
    dataset = tmp_path / "dataset.nc"
    dataset.touch()
    notebook = write_notebook(tmp_path / "why.ipynb", "dataset = ''\nstudy = ''", source)
    reads = tmp_path / "reads/why.txt"
    execute_notebook(notebook, tmp_path / "executed.ipynb", tmp_path / "log.ipynb", dataset, "quick", reads)
    assert reads.read_text().split() == read


@pytest.mark.parametrize("source", ["import os\nos.kill(os.getpid(), 9)", "import os\nos._exit(3)"])
def test_a_killed_kernel_is_reported_in_one_line_and_leaves_no_page(tmp_path, source, write_notebook):
    notebook = write_notebook(tmp_path / "why.ipynb", "dataset = ''", source)
    with pytest.raises(NotebookError) as caught:
        execute_notebook(notebook, tmp_path / "executed.ipynb", tmp_path / "log.ipynb")
    assert str(caught.value) == (
        f"{notebook}: its kernel ended early (Kernel died), perhaps for lack of memory; run it again"
    )
    assert not (tmp_path / "executed.ipynb").exists()


def test_a_notebook_without_kernel_and_language_is_one_of_python(tmp_path, write_notebook):
    notebook = write_notebook(tmp_path / "why.ipynb", "dataset = ''", "print(6 * 7)")
    without = json.loads(notebook.read_text()) | {"metadata": {}}
    notebook.write_text(json.dumps(without))
    execute_notebook(notebook, tmp_path / "executed.ipynb", tmp_path / "log.ipynb", tmp_path / "dataset.nc", "quick")
    executed = nbformat.read(tmp_path / "executed.ipynb", as_version=4)
    assert executed.cells[-1].outputs[0].text == "42\n"
    assert executed.metadata.kernelspec.name == "python3"


@pytest.mark.parametrize("text", ["", "# Why?", "[]", '{"nbformat": 4}', '{"nbformat": 4, "cells": 1}'])
def test_a_file_that_is_no_notebook_costs_its_page_alone(tmp_path, capsys, text):
    notebook = tmp_path / "why.ipynb"
    notebook.write_text(text)
    reads = tmp_path / "reads.txt"
    execute_notebook(notebook, tmp_path / "executed.ipynb", tmp_path / "log.ipynb", tmp_path / "data.nc", "a", reads)
    cells = nbformat.read(tmp_path / "executed.ipynb", as_version=4).cells
    line = f"{notebook}: not a notebook of Jupyter"
    assert [cell.source for cell in cells] == ["# why", f"This page failed: `{line}`."]
    assert capsys.readouterr().err == f"coldcache: {line}; its page says so\n"
    assert reads.read_text() == ""
    with pytest.raises(NotebookError) as caught:
        execute_notebook(notebook, tmp_path / "by-hand.ipynb", tmp_path / "log.ipynb")
    assert str(caught.value) == line


@pytest.mark.parametrize("package", ["matplotlib.pyplot", "numpy", "seaborn", "xarray"])
def test_every_reading_function_of_a_computing_package_is_known(package):
    reading = re.compile("open|load|read|imread|genfrom|memmap|fromfile|fromregex")
    found = {name for name in dir(importlib.import_module(package)) if reading.match(name)}
    assert found <= _READING
