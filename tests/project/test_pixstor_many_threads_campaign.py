"""docs/pixstor-many-threads-on-the-model.md quotes raw/pixstor-many-threads/: its figures follow from logs."""

import csv
from collections import Counter

import pandas as pd
import pytest
from sealed import check_claims, read_claims, read_page, read_table, rebuild

pytestmark = pytest.mark.slow

CAMPAIGN = "pixstor-many-threads"


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "pixstor-many-threads-on-the-model")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    return rebuild(root, tmp_path_factory.mktemp("threads"), CAMPAIGN, "pixstor-nvme", []) / "results" / CAMPAIGN


@pytest.fixture(scope="module")
def trials(results):
    return pd.read_csv(results / "trials.csv")


@pytest.fixture(scope="module")
def medians(trials):
    return trials.groupby(["sweep", "operation", "threads"]).value.median()


def test_the_page_states_the_verdicts_of_trials(results, page):
    rows = list(csv.DictReader((results / "verdicts.csv").open()))
    assert Counter(row["verdict"] for row in rows) == {"valid": 56, "suspect": 40}
    assert "Of 96 trials 56 are valid. 40 are suspect" in page
    reasons = list(csv.DictReader((results / "reasons.csv").open()))
    assert Counter(row["codes"] for row in reasons) == {"foreign-transfers": 39, "model-saturated": 1}
    of_random = [row for row in reasons if row["case"].startswith("operation=random-write")]
    assert len(of_random) == 24 and "beside 39, of them all 24 of random writes, the servers wrote" in page


def test_the_page_states_the_claims_as_they_are_judged(results, page):
    claims = read_claims(results)
    assert {name: claims[name]["verdict"] for name in ("PN2", "PN6")} == {"PN2": "refuted", "PN6": "open"}
    check_claims(page, {name: claims[name] for name in ("PN2", "PN6")})
    assert "8 runs worth 1.5 independent ones decide nothing" in claims["PN6"]["why"] and "eight count as 1.5" in page


def test_the_page_states_rates(medians, page):
    random = read_table(page, "threads, random")
    assert list(random) == ["256", "512", "1,024"]
    for threads, cells in random.items():
        found = [medians["random", f"random-{one}", int(threads.replace(",", ""))] for one in ("write", "read")]
        assert cells == [f"{rate:,.0f}" for rate in found]
    sequential = read_table(page, "threads, sequential")
    assert list(sequential) == ["1", "16", "64", "256", "512", "1,024"]
    for threads, cells in sequential.items():
        rate = medians["sequential", "write", int(threads.replace(",", ""))]
        assert cells == [f"{rate / 1e6:.3g} MB/s"]


def test_the_page_states_how_near_reads_are_to_each_other_and_to_the_limit(trials, medians, page):
    reads = trials[trials.operation == "random-read"].pivot(index="repetition", columns="threads", values="value")
    spread = reads.max(axis=1) / reads.min(axis=1) - 1
    assert len(spread) == 8 and 0.03 < spread.max() < 0.04 and "within 4 % of each other" in page
    shares = medians["random", "random-read"] / (24 * 110)
    assert f"reach {100 * shares.min():.0f} to {100 * shares.max():.0f} % of that" in page


def test_the_page_states_how_long_requests_take(results, page):
    records = pd.read_csv(results / "records.csv")
    chosen = (records.metric == "latency") & (records.statistic == "mean")
    chosen &= records.definition.str.startswith("total latency") & (records.sweep == "random")
    mean = 1000 * records[chosen].groupby(["operation", "threads"]).value.median()
    reads, writes = mean["random-read"], mean["random-write"]
    assert f"{reads[256]:.0f} ms with 256 threads, {reads[1024]:.0f} ms with 1,024" in page
    assert f"{writes[256]:.0f} ms with 256 threads and {writes[1024]:.0f} ms with 1,024" in page
