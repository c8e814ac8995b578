"""docs/quiet-rounds-on-the-model.md quotes the campaign raw/quiet-rounds/: its figures follow from logs."""

import csv
from collections import Counter

import pandas as pd
import pytest
from sealed import check_claims, read_claims, read_page, read_table, rebuild

pytestmark = pytest.mark.slow

CAMPAIGN = "quiet-rounds"


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "quiet-rounds-on-the-model")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    return rebuild(root, tmp_path_factory.mktemp("quiet"), CAMPAIGN, "dell-lustre", []) / "results" / CAMPAIGN


@pytest.fixture(scope="module")
def rates(results):
    """The rate of each run, in 1/s, by sweep, operation and round."""
    records = pd.read_csv(results / "records.csv")
    names = records[(records.metric == "rate") & (records.statistic == "mean")]
    return names.set_index(["sweep", "operation", "repetition"]).value.sort_index()


def test_the_page_states_the_verdicts_of_trials(results, page):
    verdicts = Counter(row["verdict"] for row in csv.DictReader((results / "verdicts.csv").open()))
    codes = Counter(code for row in csv.DictReader((results / "reasons.csv").open()) for code in row["codes"].split())
    assert (verdicts, codes) == ({}, {})


def test_the_page_states_the_claim_as_it_is_judged(results, page):
    claims = read_claims(results)
    check_claims(page, {"DL10": claims["DL10"]})
    low, high = 1.2, 1.5
    assert low <= float(claims["DL10"]["estimate"]) <= high


def test_the_page_states_rates_of_files(rates, page):
    stated = read_table(page, "64 ranks, 4,800 files").values()
    for cells, sweep in zip(stated, ("few-directories", "many-directories"), strict=True):
        found = [rates[sweep, f"file-{phase}"].median() for phase in ("create", "stat", "remove")]
        assert cells == [f"{rate:,.0f}" for rate in found]


def test_the_page_states_in_how_many_rounds_the_claim_holds(rates, page):
    few, many = (rates[f"{count}-directories", "file-create"] for count in ("few", "many"))
    assert (few > many).sum() == 0 and f"{len(few)} rounds" in page
