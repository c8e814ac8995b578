"""Tables show four digits of what was measured, every digit of what was counted, and lead to the evidence."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from markupsafe import Markup

from coldcache.analysis.estimates import median_interval
from coldcache.analysis.questions.select import choose, choose_settings
from coldcache.analysis.report_links import without_links
from coldcache.analysis.tables import Table, four_digits


def cells(frame):
    html = Table.plain(frame, "A caption")._repr_mimebundle_()["text/html"]
    return re.findall(r"<td[^>]*>(.*?)</td>", html)


def words(table):
    return [[without_links(str(cell)) for cell in row] for row in table.shown.values.tolist()]


def test_counts_keep_every_digit_although_one_is_missing():
    assert cells(pd.DataFrame({"WRITE calls (1)": [16384, None, 131072.0]})) == ["16,384", "–", "131,072"]


def test_measured_values_have_four_digits():
    assert cells(pd.DataFrame({"rate": [0.0123456, 1.23456, 999.94, 1542.4]})) == ["0.01235", "1.235", "999.9", "1,542"]
    assert [four_digits(value) for value in (999.4, 1000, -1000.4, -999.4)] == ["999.4", "1,000", "-1,000", "-999.4"]


def test_a_table_is_shown_with_its_caption_as_html_and_as_text():
    table = Table.plain(pd.DataFrame({"a_name": [1], "b": ["<x>"]}), "A & B")
    bundle = table._repr_mimebundle_()
    assert bundle["text/plain"].split() == ["a", "name", "b", "1", "<x>"]
    html = bundle["text/html"]
    assert html.startswith('<table class="dataframe coldcache-table">')
    assert html.count("<caption>A &amp; B</caption><thead>") == 1
    # Columns of numbers are aligned to the right.
    assert html.count('<th scope="col" class="number">') == html.count('<td class="number">') == 1
    assert html.count('<th scope="col">') == 1
    assert "<td>&lt;x&gt;</td>" in html


def test_a_table_that_is_given_in_words_is_shown_so():
    shown = pd.DataFrame({"a_name": ["one"]})
    assert Table.plain(pd.DataFrame({"x": [1]}), "C", shown).shown is shown


def test_each_case_has_a_row_with_its_median_and_every_trial(sweep):
    table = Table.of(sweep, "A caption")
    assert table.shown.columns.tolist() == [
        "operation", "threads", "median", "low (93.8 %)", "high (93.8 %)", "n", "trials",
    ]  # fmt: skip
    assert words(table)[:2] == [
        ["write", "1", "50.0 MB/s", "40.0 MB/s", "55.0 MB/s", "5", "40 50 55 50 50 MB/s"],
        ["write", "2", "70.0 MB/s", "60.0 MB/s", "80.0 MB/s", "5", "60 70 80 70 70 MB/s"],
    ]
    assert table.shown["median"][0] == (
        '<a href="../trials/s/w/operation=write,threads=1/index.html#write-throughput">50.0 MB/s</a>'
    )
    assert '<a href="../trials/s/w/operation=write,threads=1/r4.html#write-throughput">50</a> MB/s' in str(
        table.shown["trials"][0]
    )
    assert table.numbers.columns.tolist() == [
        "operation", "threads (1)", "median (B/s)", "low (B/s)", "high (B/s)", "level (1)", "n", "trials (B/s)",
    ]  # fmt: skip
    assert table.numbers["trials (B/s)"][0] == "40000000.0 50000000.0 55000000.0 50000000.0 50000000.0"
    assert table.caption == "A caption"


def test_a_trial_that_does_not_count_is_a_dash_and_a_case_without_one_has_none(sweep):
    sweep.runs.loc[{"operation": "write", "threads": 1, "repetition": 1}] = np.nan
    sweep.runs.loc[{"operation": "write", "threads": 2}] = np.nan
    table = Table.of(replace(sweep, cells=median_interval(sweep.runs)), "C")
    assert words(table)[0][-1] == "40 – 55 50 50 MB/s"
    assert words(table)[1][2:] == ["none", "none", "none", "0", ""]


def test_counts_of_trials_are_whole(sweep):
    table = Table.of(replace(sweep, unit="1"), "C")
    assert words(table)[0][-1] == "40,000,000 50,000,000 55,000,000 50,000,000 50,000,000"


def test_levels_have_units_and_one_that_is_not_stated_says_so(sweep):
    cube = sweep.cube.rename(threads="transfer_size").assign_coords(transfer_size=[65536.0, 2.0**20, np.nan])
    table = Table.of(replace(sweep, cube=cube, cells=median_interval(cube.throughput)), "C")
    assert table.shown["transfer size"].tolist()[:3] == ["64 KiB", "1 MiB", "not stated"]
    assert "transfer_size (B)" in table.numbers
    plain = sweep.cube.rename(threads="queue").assign_coords(queue=[1.5, 2.0, np.nan])
    shown = Table.of(replace(sweep, cube=plain, cells=median_interval(plain.throughput)), "C").shown
    assert shown["queue"].tolist()[:3] == ["1.5", "2", "not stated"]


def test_pairs_have_both_medians_and_their_ratio(invent):
    found, _ = choose_settings(invent("anf-nfs"), "anf-nfs", ["write_mode"])
    table = Table.of_pairs(found, "write_mode", "Pairs")
    assert table.shown.columns.tolist() == ["operation", "write mode", "sync", "median", "ratio", "pairs"]
    assert words(table) == [["write", "async", "1.00 GB/s", "2.01 GB/s", "2 times (95 %: 2 to 2)", "5"]]
    assert table.numbers.columns.tolist() == [
        "operation", "write_mode", "median at sync (B/s)", "median (B/s)", "ratio (1)", "ratio low (1)",
        "ratio high (1)", "level (1)", "pairs",
    ]  # fmt: skip
    assert table.numbers.values.tolist()[0][2:] == pytest.approx([1.005e9, 2.01e9, 2, 2, 2, 0.95, 5])
    assert table.caption == "Pairs"
    found.runs[:] = np.nan
    empty = Table.of_pairs(replace(found, cells=median_interval(found.runs)), "write_mode", "Pairs")
    assert empty.caption == "Pairs: no pair has trials that count on both sides"
    assert empty.numbers.empty


def test_scaling_has_peak_plateau_and_the_costs_of_the_law(invent):
    path = invent("dell-lustre")
    (found,) = choose(path, "dell-lustre", "throughput", ["write", "read"], "file-per-thread", over="threads")
    table = Table.of_scaling([found], "Scaling")
    read, write = words(table)
    assert table.shown.columns.tolist() == [
        "operation", "peak", "at threads", "plateau from", "sustained", "last over plateau", "contention", "coherency",
    ]  # fmt: skip
    assert read[:7] == [
        "read", "32.2 GB/s (93.8 %: 32.2 to 32.2 GB/s)", "16", "16",
        "32.2 GB/s (93.8 %: 32.2 to 32.2 GB/s)", "1", read[6],
    ]  # fmt: skip
    assert write[0] == "write"
    assert float(read[6]) >= 0 and float(read[7]) >= 0
    assert {"peak_threads (1)", "knee (1)", "knee_low (1)", "knee_high (1)", "plateau_from (1)"} <= set(table.numbers)
    assert table.numbers.unit.tolist() == ["B/s", "B/s"]


def test_few_numbers_of_threads_have_no_plateau_and_no_law(sweep):
    table = Table.of_scaling([sweep], "Scaling")
    assert table.shown.columns.tolist() == ["operation", "peak", "at threads", "plateau from"]
    assert words(table)[0][2:] == ["4", "none: too few numbers of threads to show a plateau"]


def test_published_values_stand_beside_measured_ones(invent):
    path = invent("anf-nfs")
    found, _ = choose(path, "anf-nfs", "throughput", ["write"], by=["write_mode"])
    table = Table.of_published(found, "Published")
    assert table.shown.columns.tolist() == [
        "item", "operation", "at", "statistic", "published", "grade", "measured here",
    ]  # fmt: skip
    assert words(table)[0][1:5] == ["write", "sync", "elapsed", "70 s"]
    assert words(table)[0][6].startswith("1.07 s")
    assert Table.of_published(replace(found, published=()), "None") is None
    (value, *_) = found.published
    alone = Table.of_published(replace(found, published=(value._replace(threads=7),)), "Alone")
    assert alone is None or words(alone)[0][6] in ("–", words(table)[0][6])


def test_layouts_are_compared_at_each_number_of_threads(sweep):
    half = sweep.cube.copy(deep=True)
    half["throughput"] = half.throughput / 2
    one = replace(sweep, cube=half.sel(threads=[2, 4]), cells=median_interval(half.throughput.sel(threads=[2, 4])))
    table = Table.of_layouts(one, sweep, "Layouts")
    assert words(table) == [
        ["read", "2", "0.5 times (95 %: 0.5 to 0.5)", "5"], ["read", "4", "0.5 times (95 %: 0.5 to 0.5)", "5"],
        ["write", "2", "0.5 times (95 %: 0.5 to 0.5)", "5"], ["write", "4", "0.5 times (95 %: 0.5 to 0.5)", "5"],
    ]  # fmt: skip
    assert table.shown.columns.tolist() == ["operation", "threads", "ratio", "pairs"]
    assert table.numbers.to_dict("records")[0] == pytest.approx(
        {"operation": "read", "threads (1)": 2, "ratio (1)": 0.5, "ratio low (1)": 0.5, "ratio high (1)": 0.5,
         "level (1)": 0.95, "pairs (1)": 5}
    )  # fmt: skip
    alone = replace(sweep, cube=sweep.cube.sel(operation=["write"]), cells=sweep.cells.sel(operation=["write"]))
    assert {row[0] for row in words(Table.of_layouts(sweep, alone, "C"))} == {"write"}


def test_the_fastest_combination_is_listed_at_each_number_of_threads(sweep):
    cube = sweep.cube.expand_dims({"stripe_size": [2**20, 2**22]}).copy(deep=True)
    cube.throughput.loc[{"stripe_size": 2**22}] *= 2
    cube["throughput"] = cube.throughput.transpose("operation", "threads", "stripe_size", "repetition")
    table = Table.of_best(replace(sweep, cube=cube, cells=median_interval(cube.throughput)), ["stripe_size"], "Best")
    assert words(table)[0] == ["read", "1", "4 MiB", "200 MB/s", "100 MB/s"]
    assert table.shown.columns.tolist() == ["operation", "threads", "stripe size", "median", "lowest"]
    assert table.numbers.columns.tolist() == [
        "operation", "threads (1)", "stripe_size (B)", "median (B/s)", "lowest (B/s)",
    ]  # fmt: skip


def test_numbers_are_saved_as_csv_at_full_precision(sweep, tmp_path):
    table = Table.of(sweep, "C")
    assert table.save(tmp_path / "dataset.nc", "rates") is table
    saved = pd.read_csv(tmp_path / "by-hand/tables/rates.csv")
    assert saved["median (B/s)"].tolist()[0] == 50e6


def test_headlines_state_the_level_of_their_interval_and_have_none_from_fewer_than_five_runs(sweep):
    few = replace(sweep, cube=sweep.cube.isel(repetition=slice(3)), cells=median_interval(sweep.runs[..., :3]))
    cube = xr.concat([few.cube] * 2, dim="repetition")
    cube["verdict"] = (cube.verdict.dims, np.full(cube.verdict.shape, "suspect", dtype=object))
    wide = replace(sweep, cube=cube, cells=median_interval(cube.throughput))
    place = {"operation": "read", "threads": 4}
    table = Table.of_headlines([(wide, place), (few, {**place, "operation": "write"})], "Best")
    assert Markup(table.shown["median"][0]).striptags() == "400 MB/s"
    assert table.shown.drop(columns="median").values.tolist() == [
        ["read", "390 to 410 MB/s (95 %)", "4 threads", 6, 6, "6/6"],
        ["write", "none", "4 threads", 3, "–", "3/3"],
    ]
    assert table.numbers["level (1)"].tolist() == [0.95, pytest.approx(np.nan, nan_ok=True)]
    assert table.numbers[["low", "high"]].values[0].tolist() == [390e6, 410e6]


def test_a_headline_whose_interval_is_too_wide_leads_to_its_ends(sweep):
    cube = sweep.cube.assign(throughput=sweep.cube.throughput * np.array([0.01, 0.1, 1, 1, 1]))
    table = Table.of_headlines(
        [(replace(sweep, cube=cube, cells=median_interval(cube.throughput)), {"operation": "read", "threads": 4})],
        "Best",
    )
    assert table.shown["interval"][0] == (
        '<a href="../trials/s/w/operation=read,threads=4/index.html#read-throughput">spans a factor of 110</a> (93.8 %)'
    )
    assert table.numbers[["low", "high"]].values[0].tolist() == [3.9e6, 410e6]
