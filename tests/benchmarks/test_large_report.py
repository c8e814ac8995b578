"""The campaign of the benchmark is one that the program accepts, and its report is measured."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from coldcache.dataset.collect import collect
from coldcache.dataset.reader import open_records


@pytest.fixture
def large(root, monkeypatch):
    """The benchmark."""
    monkeypatch.syspath_prepend(root / "benchmarks")
    import large_report

    return large_report


def test_copies_of_a_trial_count_as_repetitions_of_their_own(large, monkeypatch):
    import costs

    small = {"[1, 2, 4, 8, 16]": "[1]", "[4 KiB, 8 KiB, 16 KiB, 32 KiB, 64 KiB]": "[4 KiB]"}
    grid = large._GRID.replace("[128 KiB, 256 KiB, 512 KiB, 1 MiB]", "[128 KiB]")
    for long, short in small.items():
        grid = grid.replace(long, short)
    monkeypatch.setattr(large, "_GRID", grid)
    with costs.make_project(large._write_study(1)) as folder:
        site = folder / "config/sites/bench.yaml"
        site.write_text(site.read_text() + large._THRESHOLDS)
        costs.cost_of([*costs.SNAKEMAKE, *costs.CONFIG, "--", "measure_all"], folder)
        assert large.lay_trials(folder, 3) == 12
        monkeypatch.chdir(folder)
        collect("bench", Path("results/bench"))
        verdicts = pd.read_csv("results/bench/verdicts.csv")
        records = open_records(Path("results/bench/dataset.nc"))
    # On a busy machine some trials do not count, but none for what the copy says.
    assert (verdicts.groupby("case").codes.nunique() <= 1).all()
    broken = {"stale-log", "contradicted", "log-refused", "wrong-operation", "wrong-level", "not-run"}
    assert not broken & set(" ".join(verdicts.codes.fillna("")).split())
    assert verdicts.groupby(["sweep", "case"]).repetition.apply(list).tolist() == [[0, 1, 2]] * 4
    latency = records[(records.metric == "latency") & (records.statistic == "mean")]
    assert (latency.groupby(["case", "definition"]).value.nunique() == 3).all()


def test_the_first_paint_of_a_page_from_the_disk_is_timed(large, tmp_path):
    page = tmp_path / "index.html"
    page.write_text("<title>x</title><h1>Found</h1>")
    assert 0 < large.time_first_paint(page, rounds=1) < 10


def test_the_memory_of_a_process_that_nobody_waits_for_is_seen(large):
    child = "import time; kept = bytearray(200_000_000); time.sleep(2)"
    words = ["-c", "import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', sys.argv[1]]); time.sleep(2)"]
    with large.watch_memory() as peak:
        subprocess.run([sys.executable, *words, child], check=True, timeout=60)
    assert 200 <= peak[0] < 400
