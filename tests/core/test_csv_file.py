"""A table as CSV gives back its values, and no cell of it is run by a spreadsheet."""

import csv

import numpy as np
import pandas as pd
import pytest

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
