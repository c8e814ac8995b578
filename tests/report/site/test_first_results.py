"""The first results of a campaign: what its trials gave, until the report takes their place."""

import csv
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from html_pages import Page

from coldcache.analysis.format import show_interval
from coldcache.core.units import show_rate
from coldcache.dataset.reader import open_sweep
from coldcache.report.site.first_results import _list_medians, write_first_results
from coldcache.statistics.intervals import interval

RESULTS, PAGE = Path("results/tiny"), Path("results/tiny/report/index.html")


@pytest.fixture
def run_here():
    """Run `python -m coldcache` in the working folder."""

    def run(*words):
        command = [sys.executable, "-m", "coldcache", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=280)

    return run


def test_collecting_leaves_a_page_with_the_median_of_every_case_and_how_many_of_its_trials_count(measured, run_here):
    shutil.rmtree("results", ignore_errors=True)
    found = run_here("collect", "--campaign=tiny", f"--results={RESULTS}")
    assert (found.stdout, found.stderr, found.returncode) == ("", "", 0)
    cube = open_sweep(RESULTS / "dataset.nc", "tiny", "transfers")
    with (RESULTS / "verdicts.csv").open(newline="") as file:
        verdicts = [row for row in csv.DictReader(file) if row["sweep"] == "transfers"]
    wanted = [
        [
            f"{operation}, threads {threads}",
            show_rate(float(np.nanmedian(cube.throughput.sel(operation=operation, threads=threads))), "B/s"), "",
            f"{counted} of 2",
        ]
        for operation in ("read", "write")
        for threads in (1, 2)
        if (counted := sum(
            row["verdict"] != "void" and row["case"] == f"operation={operation},threads={threads}" for row in verdicts
        ))
    ]  # fmt: skip
    assert [row for row in Page(PAGE).rows if re.match("read|write", row[0])] == wanted


def test_an_interval_states_the_level_that_its_number_of_trials_reaches(root, reference_report, tmp_path, monkeypatch):
    monkeypatch.chdir(root)
    for name in ("dataset.nc", "verdicts.csv", "reasons.csv"):
        shutil.copy(reference_report.parent / name, tmp_path)
    # Other studies have cases of these names, too; `quick` is the first.
    shown = reversed(Page(write_first_results("reference", tmp_path)).rows)
    rows = {row[0]: row[1:] for row in shown}
    # The least and the greatest of five, and the second of ten from either end.
    for case, level in (("file create, threads 1", "93.8 %"), ("random read, threads 1", "95 %")):
        runs = open_sweep(tmp_path / "dataset.nc", "quick", "metadata" if "file" in case else "random").rate
        found = interval(runs.sel(operation=case.partition(",")[0].replace(" ", "-"), threads=1), 0.95, runs.rounds)
        count = f"{found.n} of {found.n}"
        assert rows[case] == [
            show_rate(found.estimate, "1/s"),
            f"{show_interval(found.low, found.high, '1/s')} ({level})",
            count,
        ]


def test_calls_of_a_protocol_are_not_listed_as_operations_of_which_no_trial_counts(root, reference_report, tmp_path):
    for name in ("dataset.nc", "verdicts.csv", "reasons.csv"):
        shutil.copy(reference_report.parent / name, tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        rows = Page(write_first_results("reference", tmp_path)).rows
    assert "rpc-write" in open_sweep(tmp_path / "dataset.nc", "anf-nfs", "wsize").operation.values
    assert [row for row in rows if row[0].startswith(("rpc ", "most in flight", "transports"))] == []


def test_operations_whose_trials_share_calls_are_listed_once_for_each_case(shared_calls):
    cases = [case for case in np.unique(shared_calls.case) if case]
    trials = pd.Series(5, index=pd.MultiIndex.from_product([["anf-nfs"], ["rsize-wsize"], cases]))
    rows = list(_list_medians(shared_calls, trials))
    assert [(row["case"], row["counted"], row["trials"]) for row in rows] == [
        (f"{operation}, rsize and wsize {size}", 5, 5)
        for operation in ("read", "write") for size in ("64 KiB", "256 KiB", "1 MiB")
    ]  # fmt: skip


def test_a_report_that_is_there_stays(reported, run_here):
    before = PAGE.read_bytes()
    found = run_here("collect", "--campaign=tiny", f"--results={RESULTS}")
    assert (found.stdout, found.stderr, found.returncode) == ("", "", 0)
    assert PAGE.read_bytes() == before


def test_the_report_takes_the_place_of_the_first_results(measured, run_here):
    for step in (["collect"], ["claims"], ["report", "--log=logs/report.log"]):
        assert run_here(*step, "--campaign=tiny", f"--results={RESULTS}").returncode == 0
    assert "First results" not in PAGE.read_text()
    assert (PAGE.parent / "summary.html").is_file()


def test_first_results_are_replaced_by_those_of_more_trials(hostile):
    results = Path("results/hostile")
    page = write_first_results("hostile", results)
    page.write_text("of fewer trials")
    assert write_first_results("hostile", results) == page == results / "report/index.html"
    html = page.read_text()
    assert "<h1>First results of hostile</h1>" in html
    assert not re.search("<script|<link|src=", html)


@pytest.mark.parametrize("command", [["open", "tiny", "--summary"], ["archive", "tiny"]])
def test_first_results_are_no_report_to_send(measured, run_here, command):
    assert run_here("collect", "--campaign=tiny", f"--results={RESULTS}").returncode == 0
    found = run_here(*command)
    assert found.returncode == 1
    assert "missing" in found.stderr
