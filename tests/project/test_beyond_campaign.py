"""docs/beyond-the-documents.md quotes the campaign raw/beyond/: its figures follow from logs, and the seal holds."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from sealed import read_page, read_table, rebuild

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "beyond-the-documents")


@pytest.fixture(scope="module")
def rebuilt(root, tmp_path_factory):
    """A folder with the results of the campaign and the figures of its pages."""
    return rebuild(root, tmp_path_factory.mktemp("beyond"), "beyond", "beyond", ["random-iops", "rates-over-time"])


@pytest.fixture(scope="module")
def medians(rebuilt):
    """The medians over six runs, by sweep, metric and case."""
    trials = pd.read_csv(rebuilt / "results/beyond/trials.csv")
    return trials.groupby(["sweep", "metric", "case"]).value.median()


def test_the_page_states_the_verdicts(rebuilt, page):
    rows = list(csv.DictReader((rebuilt / "results/beyond/verdicts.csv").open()))
    codes = [row["codes"] for row in rows if row["verdict"] != "valid"]
    assert sorted(codes) == ["foreign-transfers"] * 11 + ["model-saturated"]
    assert sum(row["cold"] == "cold" for row in rows) == 144
    assert f"Of {len(rows)} trials {len(rows) - len(codes)} are valid." in page
    claims = {row["id"]: row["verdict"] for row in csv.DictReader((rebuilt / "results/beyond/claims.csv").open())}
    assert {name: verdict for name, verdict in claims.items() if "BE1" <= name <= "BE6"} == {
        "BE1": "borne out", "BE2": "borne out", "BE3": "borne out", "BE4": "open", "BE5": "open", "BE6": "borne out",
    }  # fmt: skip


def test_the_page_states_rate_and_latency_over_load(rebuilt, medians, page):
    latencies = pd.read_csv(rebuilt / "results/beyond/tables/beyond-load-latency.csv").set_index("threads (1)")
    for threads, (rate, latency) in read_table(page, "threads").items():
        case = f"threads={threads}"
        assert rate == f"{medians['load', 'rate', case]:,.0f}"
        assert latency == f"{latencies['median (s)'][int(threads)] * 1000:#.3g} ms"


def test_the_page_states_how_far_reads_of_16_kib_stay_below_the_limit(medians, page):
    cases = {threads: f"threads={threads},transfer_size=16384" for threads in (1, 8, 24, 96)}
    below = [1 - medians["transfer-sizes", "rate", case] / (110 * min(threads, 24)) for threads, case in cases.items()]
    assert f"16 KiB stay {100 * min(below):.0f} to {100 * max(below):.0f} % below the limit" in page


def test_the_page_states_the_cost_of_flushes_and_of_small_files(medians, page):
    for writes, (throughput,) in read_table(page, "writes of 16 KiB per flush").items():
        found = medians["durability", "throughput", f"writes_per_flush={writes}"]
        assert throughput == f"{found / 1e6:#.3g} MB/s"
    stated = read_table(page, "16 MiB per thread, eight threads").values()
    for (throughput,), sweep in zip(stated, ("small-files", "large-files"), strict=True):
        assert throughput == f"{medians[sweep, 'throughput', 'only'] / 1e6:#.3g} MB/s"


def test_the_page_states_ratios_as_the_claims_do(rebuilt, page):
    claims = {row["id"]: row for row in csv.DictReader((rebuilt / "results/beyond/claims.csv").open())}
    for claim, decimals in (("BE3", 2), ("BE6", 3)):
        estimate, low, high = (float(claims[claim][name]) for name in ("estimate", "low", "high"))
        assert f"{estimate:.{decimals}f}" in page and f"({low:.{decimals}f}–{high:.{decimals}f})" in page


def test_the_page_states_how_long_a_target_and_its_thread_were_away(root, rebuilt, medians, page):
    folder = root / "raw/beyond/beyond/outage/target_outage=5.0"
    lasted = [json.loads(path.read_text())["lasted"] for path in sorted(folder.glob("*/outage.json"))]
    assert len(lasted) == 6 and f"took {min(lasted):.1f} to {max(lasted):.1f} s" in page
    series = pd.read_csv(rebuilt / "results/beyond/tables/beyond-series.csv")
    pauses = series[series.case == "target_outage=5.0"].pause
    # In the run with the longest outage the thread did not write again before the others had ended.
    *five, longest = sorted(pauses)
    assert f"for\n{min(five):.0f} to {max(five):.0f} s and in one until the others had ended" in page
    assert longest == pauses.iloc[int(np.argmax(lasted))] < max(lasted)
    assert (series[series.case == "target_outage=0.0"].pause == 0).all()
    (claim,) = (row for row in csv.DictReader((rebuilt / "results/beyond/claims.csv").open()) if row["id"] == "BE5")
    ratio, low, high = (float(claim[name]) for name in ("estimate", "low", "high"))
    assert f"{ratio:.3g} ({low:.3g}–{high:.3g})" in page
    whole = [medians["outage", "throughput", f"target_outage={seconds}"] / 1e6 for seconds in ("5.0", "0.0")]
    assert "are {:.1f} MB/s with the failure and {:.1f} MB/s\nwithout".format(*whole) in page


@pytest.mark.parametrize(
    ("shown", "drawn"),
    [
        ("transfer-size-and-threads", "beyond-transfer-sizes-map"),
        ("a-target-fails", "beyond-outage-throughput-over-time"),
    ],
)
def test_the_page_shows_the_figures_that_the_logs_give(root, rebuilt, shown, drawn):
    found = rebuilt / f"results/beyond/figures/{drawn}.svg"
    assert (root / f"docs/figures/{shown}.svg").read_text() == found.read_text()
