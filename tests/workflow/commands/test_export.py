"""Parquet has the rows and columns of the CSV files, as the numbers and words that they are."""

import csv
import subprocess
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest


def export(*arguments, program=("-m", "coldcache", "export", "tiny")):
    command = [sys.executable, *program, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)


@pytest.mark.parametrize("name", ["trials", "records"])
def test_parquet_holds_what_the_csv_holds(reported, name):
    found = export()
    assert found.stderr == ""
    assert found.stdout == "results/tiny/trials.parquet\nresults/tiny/records.parquet\n"
    table = pyarrow.parquet.read_table(f"results/tiny/{name}.parquet")
    rows = list(csv.DictReader(Path(f"results/tiny/{name}.csv").read_text().splitlines()))
    assert table.column_names == list(rows[0])
    assert table.num_rows == len(rows) > 0
    for row, stored in zip(rows, table.to_pylist(), strict=True):
        for column, text in row.items():
            value = stored[column]
            if isinstance(value, int | float) and not isinstance(value, bool):
                assert value == float(text)
            else:
                assert ("" if value is None else str(value)) == text
    kinds = {field.name: field.type for field in table.schema}
    assert kinds["value"] == pyarrow.float64()
    assert kinds["threads"] == kinds["offset"] == kinds["repetition"] == pyarrow.int64()
    assert kinds["direct_io"] == pyarrow.bool_()


def test_a_column_whose_numbers_end_in_words_holds_words(project):
    # A tool's version 3.33 among those of others. pandas reads a table of 40 columns in parts of 16,384 rows.
    Path("results/tiny").mkdir(parents=True)
    versions = ["3.33"] * 20_000 + ["fio-3.41"]
    head = ",".join(["tool_version", *(f"c{number}" for number in range(39))])
    table = "\n".join([head, *(version + "," * 39 for version in versions), ""])
    for name in ("trials", "records"):
        Path(f"results/tiny/{name}.csv").write_text(table)
    assert export().stderr == ""
    stored = pyarrow.parquet.read_table("results/tiny/records.parquet").column("tool_version")
    assert stored.to_pylist() == versions


def test_words_that_look_like_numbers_stay_as_they_are(project):
    columns = ("tool_version", "printed", "study", "sweep", "case", "codes", "nfs_version", "value", "threads", "fsync")
    row = ("3.40", "1.50", "07", "1e3", "2", "", "4.10", "1.50", "2", "True")
    Path("results/tiny").mkdir(parents=True)
    for name in ("trials", "records"):
        Path(f"results/tiny/{name}.csv").write_text("\n".join([",".join(columns), ",".join(row), ""]))
    assert export().stderr == ""
    (stored,) = pyarrow.parquet.read_table("results/tiny/records.parquet").to_pylist()
    assert list(stored.values()) == ["3.40", "1.50", "07", "1e3", "2", None, "4.10", 1.5, 2, True]


def test_the_files_go_where_they_are_wanted(reported):
    found = export("--output", "elsewhere")
    assert found.stdout == "elsewhere/trials.parquet\nelsewhere/records.parquet\n"
    assert sorted(path.name for path in Path("elsewhere").iterdir()) == ["records.parquet", "trials.parquet"]


def test_a_campaign_that_is_not_collected_is_refused_in_one_line(project):
    found = export()
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == (
        "coldcache: results/tiny/trials.csv: there is no such file; snakemake --cores all --config campaign=tiny "
        "writes it\n"
    )


def test_without_pyarrow_the_line_says_how_to_get_it(reported):
    # A module that is None in sys.modules cannot be imported.
    code = "import sys; sys.modules['pyarrow'] = None; from coldcache.__main__ import main; main(['export', 'tiny'])"
    found = export(program=("-c", code))
    assert found.stdout == ""
    assert found.stderr == (
        'coldcache: Parquet needs pyarrow: uv pip install pyarrow, or pip install "coldcache[parquet]"\n'
    )
