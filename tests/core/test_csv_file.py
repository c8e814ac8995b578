"""A table as CSV gives back its values, and no cell of it is run by a spreadsheet."""

import csv

import numpy as np
import pandas as pd
import pytest

from coldcache.core import csv_file
from coldcache.core.csv_file import disarm, write_csv


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
