"""A table as CSV gives back its values, and no cell of it is run by a spreadsheet."""

import csv
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import psutil
import pytest

from coldcache.core import csv_file
from coldcache.core.csv_file import disarm, write_csv, writing_csv

#: Writes a table for longer than the test lasts, and names the process that does.
LONG = """
import sys, time
from pathlib import Path
import numpy as np, pandas as pd, psutil
from coldcache.core.csv_file import writing_csv
with writing_csv(pd.DataFrame(np.random.random((3_000_000, 4))), Path(sys.argv[1])):
    print(psutil.Process().children()[0].pid, flush=True)
    time.sleep(60)
"""


@pytest.mark.parametrize(
    "text", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "-", "=", "＝1", "-cmd|' /C calc'!A0", "+x 1"]
)
def test_what_a_spreadsheet_would_run_stands_after_an_apostrophe(text):
    assert disarm(text) == f"'{text}"


@pytest.mark.parametrize(
    "value",
    ["", "a=1", "operation=read", "-1", "+1.5", "-1e-9", "-1,234.5", "-5 %", "-inf", "nan", "-1.0 2.0 nan", "'=1", 7],
)
def test_numbers_and_plain_texts_stay(value):
    assert disarm(value) == value


def test_a_table_reads_back_as_it_was_but_for_formulae(tmp_path):
    table = pd.DataFrame(
        {
            "name": ["=HYPERLINK(1)", 'a "b", c', None], "value": [-1.5, np.nan, 3.0], "count": [-1, 2, 3],
            "kind": pd.Categorical(["+x", "y", "y"]), "=head": [True, False, True],
        }
    )  # fmt: skip
    write_csv(table, tmp_path / "tables/a.csv")
    with (tmp_path / "tables/a.csv").open(newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["name", "value", "count", "kind", "'=head"],
        ["'=HYPERLINK(1)", "-1.5", "-1", "'+x", "True"],
        ['a "b", c', "", "2", "y", "False"],
        ["", "3.0", "3", "y", "True"],
    ]


def test_an_empty_table_keeps_its_head(tmp_path):
    write_csv(pd.DataFrame(columns=["a", "b"]), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == "a,b\n"


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
def test_a_table_that_is_written_in_parts_is_the_same_file(tmp_path, monkeypatch, rows):
    table = pd.DataFrame({
        "text": ["=a", None, "b", "-1", None], "mixed": pd.Series([1, None, "=x", True, 2], dtype=object),
        "steps": pd.Series([None, 1, 2, None, None], dtype=object), "level": [1.0, np.nan, 3.0, 2.0, 1e-9],
        "whole": pd.array([1, None, 3, 4, 5], dtype="Int64"), "flag": [True, False, True, False, True],
    })  # fmt: skip
    whole = table.assign(
        text=table.text.map({text: disarm(text) for text in table.text.unique()}),
        mixed=table.mixed.map({level: disarm(level) for level in table.mixed.unique()}),
        steps=table.steps.map({level: level for level in table.steps.unique()}),
    ).to_csv(index=False)
    monkeypatch.setattr(csv_file, "_ROWS_AT_ONCE", rows)
    write_csv(table, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_text() == whole
    write_csv(table[:0], tmp_path / "empty.csv")
    assert (tmp_path / "empty.csv").read_text() == "text,mixed,steps,level,whole,flag\n"


@pytest.mark.parametrize("rows", [1, 100])
def test_a_table_written_beside_other_work_is_the_same_file(tmp_path, monkeypatch, rows):
    table = pd.DataFrame({"text": ["=a", None, "b"], "level": [1.0, np.nan, 3.0]})
    write_csv(table, tmp_path / "alone.csv")
    monkeypatch.setattr(csv_file, "_ROWS_AT_ONCE", rows)
    with writing_csv(table, tmp_path / "beside.csv"):
        assert len(psutil.Process().children()) == (rows < len(table))
    assert (tmp_path / "beside.csv").read_bytes() == (tmp_path / "alone.csv").read_bytes()


def test_a_table_that_cannot_be_written_beside_other_work_raises_after_it(tmp_path, monkeypatch):
    monkeypatch.setattr(csv_file, "_ROWS_AT_ONCE", 1)
    (tmp_path / "a.csv").mkdir()
    done = []
    with pytest.raises(IsADirectoryError), writing_csv(pd.DataFrame({"a": [1, 2]}), tmp_path / "a.csv"):
        done.append("other work")
    assert done


def test_the_process_that_writes_ends_with_the_one_that_is_killed(tmp_path):
    command = [sys.executable, "-c", LONG, str(tmp_path / "a.csv")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        writer = psutil.Process(int(parent.stdout.readline()))
        while not (tmp_path / ".a.csv.partial").exists():
            time.sleep(0.01)
        parent.kill()
    psutil.wait_procs([writer], timeout=10)
    assert not writer.is_running() or writer.status() == psutil.STATUS_ZOMBIE
    assert not (tmp_path / "a.csv").exists()
