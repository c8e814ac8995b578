"""docs/random-reads-on-the-model.md quotes the campaign raw/random-reads/: its figures follow from logs."""

import csv
from collections import Counter

import pandas as pd
import pytest
from sealed import check_claims, read_claims, read_page, read_table, rebuild

pytestmark = pytest.mark.slow

CAMPAIGN = "random-reads"


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "random-reads-on-the-model")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    return rebuild(root, tmp_path_factory.mktemp("reads"), CAMPAIGN, "pixstor-nvme", []) / "results" / CAMPAIGN


def test_the_page_states_the_verdicts_of_trials(results, page):
    verdicts = Counter(row["verdict"] for row in csv.DictReader((results / "verdicts.csv").open()))
    assert verdicts == {"valid": 48} and "All 48 trials are valid" in page


def test_the_page_states_the_claim_as_it_is_judged_and_as_it_was_predicted(root, results, page):
    claims = read_claims(results)
    check_claims(page, claims)
    assert claims["PN6"]["verdict"] == "refuted" and 0.98 <= float(claims["PN6"]["estimate"]) <= 1.02
    assert "each doubling from 256 threads on should multiply them by 0.98 to 1.02" in read_page(root, "predictions")


def test_the_page_states_rates_and_latencies(results, page):
    rates = pd.read_csv(results / "trials.csv").groupby("threads").value.median()
    records = pd.read_csv(results / "records.csv")
    mean = records[(records.metric == "latency") & (records.statistic == "mean")]
    mean = 1000 * mean[mean.definition.str.startswith("total latency")].groupby("threads").value.median()
    stated = read_table(page, "threads")
    assert list(stated) == ["256", "512", "1,024"]
    for threads, cells in stated.items():
        count = int(threads.replace(",", ""))
        assert cells == [f"{rates[count]:,.0f}", f"{100 * rates[count] / 2640:.1f} %", f"{mean[count]:.0f} ms"]
