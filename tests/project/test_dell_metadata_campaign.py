"""docs/dell-metadata-on-the-model.md quotes the campaign raw/dell-metadata/: its figures follow from logs."""

import csv
import re

import pandas as pd
import pytest
from sealed import count_requests_per_file, read_claims, read_medians, read_page, read_table, rebuild

pytestmark = pytest.mark.slow

CAMPAIGN = "dell-metadata"


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "dell-metadata-on-the-model")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    """The results of the campaign, with the figures of its rates."""
    folder = rebuild(root, tmp_path_factory.mktemp("dell"), CAMPAIGN, "dell-lustre", ["metadata-rates"])
    return folder / "results" / CAMPAIGN


@pytest.fixture(scope="module")
def medians(results):
    return read_medians(results)


@pytest.fixture(scope="module")
def claims(results):
    return read_claims(results)


def test_the_page_states_the_verdicts_of_trials(results, page):
    verdicts = [row["verdict"] for row in csv.DictReader((results / "verdicts.csv").open())]
    assert {verdict: verdicts.count(verdict) for verdict in set(verdicts)} == {"valid": 87, "suspect": 44, "void": 1}
    assert f"Of {len(verdicts)} trials {verdicts.count('valid')} are valid" in page
    reasons = [
        row["reasons"] for row in csv.DictReader((results / "reasons.csv").open()) if row["codes"] == "too-short"
    ]
    assert all("-stat was measured over" in why for why in reasons)
    assert f"In {len(reasons)} the status was" in page


@pytest.mark.parametrize(("sweep", "kind"), [("files", "file"), ("directories", "directory")])
def test_the_page_states_rates_of_files_and_directories(results, page, sweep, kind):
    rates = pd.read_csv(results / f"tables/dell-lustre-{sweep}-rate.csv").set_index(["operation", "threads (1)"])
    stated = read_table(page, f"ranks, {sweep}")
    assert list(stated) == ["1", "8", "24", "64"]
    for ranks, cells in stated.items():
        found = [rates["median (1/s)"][f"{kind}-{phase}", int(ranks)] for phase in ("create", "stat", "remove")]
        assert cells == [f"{rate:,.0f}" for rate in found]


def test_the_page_states_creations_by_layout_and_by_servers(medians, page):
    stated = read_table(page, "targets × stripe")
    for layout, cells in stated.items():
        count, size = layout.removesuffix(" MiB").split(" × ")
        where = f"stripe_count={count},stripe_size={int(size) * 2**20}"
        found = [medians["stripes", "file-create", f"threads={ranks},{where}"] for ranks in (1, 64)]
        assert cells == [f"{rate:,.0f}" for rate in found]
    assert len(stated) == 4
    more = [float(many) / float(one) - 1 for one, many in stated.values()]
    assert f"by {100 * min(more):.0f} to {100 * max(more):.0f} % in the tests of layouts" in page
    for ranks, cells in read_table(page, "ranks, servers").items():
        found = [medians["mdts", "file-create", f"threads={ranks},mdts={servers}"] for servers in (1, 2)]
        assert cells == [f"{rate:,.0f}" for rate in found]


def test_the_page_states_the_claims_as_they_are_judged(claims, page):
    stated = read_table(page, "claim")
    assert set(stated) == set(claims) == {"DL9", "DL10", "DL11", "DL12", "DL13"}
    for name, cells in stated.items():
        assert cells[-1] == claims[name]["verdict"], name
    for name, ratio in {"DL10": "1.30", "DL11": "0.694", "DL12": "0.975", "DL13": "1.89"}.items():
        found = [f"{float(claims[name][key]):#.3g}" for key in ("estimate", "low", "high")]
        assert found[0] == ratio and "{} ({}–{})".format(*found) in stated[name][-2]
    assert "is 1.06 times as fast as stripe count 24, stripe size 1 MiB (95 %: 0.965 to 1.16)" in claims["DL9"]["why"]
    assert "file-stat is 5.24 times as fast as file-create (95 %: 4.66 to 5.9)" in claims["DL11"]["why"]
    intervals = re.findall(r"95 %: ([\d.]+) to ([\d.]+)", claims["DL9"]["why"])
    assert len(intervals) == 4 and all(float(low) < 1 < float(high) for low, high in intervals)
    assert "(6 show 24 %)" in claims["DL9"]["why"] and "24 % for DL9" in page
    assert "(6 show 19 %)" in claims["DL12"]["why"] and "19 % for DL12" in page


def test_the_page_states_how_often_a_client_asks_the_server(root, page):
    ranks = (1, 8, 24, 64)
    asked = {count: count_requests_per_file(root, CAMPAIGN, "files", f"threads={count}") for count in ranks}
    assert {ranks: len(found) for ranks, found in asked.items()} == {1: 6, 8: 6, 24: 6, 64: 6}
    alone, others = asked.pop(1), [each for found in asked.values() for each in found]
    assert f"{min(alone):.2f} requests" in page and max(alone) - min(alone) < 0.01
    assert f"{min(others):.1f} to {max(others):.1f}\nrequests" in page


def test_the_page_states_the_rates_of_openings(results, page):
    records = pd.read_csv(results / "records.csv")
    opened = records[(records.sweep == "files") & (records.operation == "file-read") & (records.statistic == "max")]
    median = opened[opened.metric == "rate"].groupby("threads").value.median()
    assert f"from {median[1]:,.0f} to\n{median[8]:,.0f} per second" in page


def test_the_page_shows_the_figure_that_the_logs_give(root, results):
    found = results / "figures/dell-lustre-files-rate.svg"
    assert (root / "docs/figures/metadata-rates-on-the-model.svg").read_text() == found.read_text()
