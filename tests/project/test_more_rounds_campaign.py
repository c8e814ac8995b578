"""docs/more-rounds-on-the-model.md quotes the campaign raw/more-rounds/: its figures follow from logs."""

import csv
import re
from collections import Counter

import pandas as pd
import pytest
from sealed import check_claims, read_claims, read_medians, read_page, read_table, rebuild

pytestmark = pytest.mark.slow

CAMPAIGN = "more-rounds"


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "more-rounds-on-the-model")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    return rebuild(root, tmp_path_factory.mktemp("rounds"), CAMPAIGN, "dell-lustre", []) / "results" / CAMPAIGN


@pytest.fixture(scope="module")
def rates(results):
    """The rate of each run, in 1/s or B/s, by sweep, case or operation, and round."""
    records = pd.read_csv(results / "records.csv")
    names = records[(records.metric == "rate") & (records.statistic == "mean") & (records.study == "dell-lustre")]
    trials = pd.read_csv(results / "trials.csv")
    of_files = names.set_index(["sweep", "operation", "repetition"]).value
    of_data = trials[trials.study == "pixstor-nvme"].set_index(["sweep", "case", "repetition"]).value
    return pd.concat([of_files, of_data]).sort_index()


def test_the_page_states_the_verdicts_of_trials(results, page):
    verdicts = Counter(row["verdict"] for row in csv.DictReader((results / "verdicts.csv").open()))
    assert verdicts == {"valid": 72, "suspect": 36} and "Of 108 trials 72 are valid. The other 36" in page
    reasons = list(csv.DictReader((results / "reasons.csv").open()))
    codes = Counter(code for row in reasons for code in row["codes"].split())
    assert codes == {"two-modes": 36, "too-short": 5, "model-saturated": 1}
    modes = {re.search(r"1 near (\d+)/s and 11 near (\d+)/s", row["reasons"]).groups() for row in reasons}
    assert len(modes) == 3 and all(int(slow) < int(typical) / 2 for slow, typical in modes)
    assert "five also measured status for less than a second" in page


def test_the_page_states_rates_of_files(rates, page):
    stated = read_table(page, "64 ranks, 4,800 files").values()
    for cells, sweep in zip(stated, ("files", "few-directories", "many-directories"), strict=True):
        found = [rates[sweep, f"file-{phase}"].median() for phase in ("create", "stat", "remove")]
        assert cells == [f"{rate:,.0f}" for rate in found]
    one, other = (rates[sweep, "file-create"].median() for sweep in ("files", "few-directories"))
    assert f"differ by {100 * (other / one - 1):.0f} %" in page


def test_the_page_states_rates_of_shared_files_and_pairs(results, page):
    medians = read_medians(results)
    stated = read_table(page, "16 ranks")
    for cells, sweep in zip(stated.values(), ("shared-file", "file-per-rank"), strict=True):
        found = [medians[sweep, operation, f"operation={operation}"] for operation in ("write", "read")]
        assert cells == [f"{rate / 1e6:.3g} MB/s" for rate in found]
    found = [medians["node-pairs", "read", f"node_pairs={pairs}"] for pairs in (1, 2)]
    assert read_table(page, "128 ranks, a file each")["read"] == [f"{rate / 1e6:.3g} MB/s" for rate in found]


def test_the_page_states_the_claims_as_they_are_judged(results, page):
    claims = read_claims(results)
    check_claims(page, claims)
    assert {name: claim["verdict"] for name, claim in claims.items()} == {
        "DL10": "borne out", "DL11": "refuted", "PN5": "refuted"
    }  # fmt: skip


def test_the_page_states_in_how_many_rounds_a_claim_holds(results, rates, page):
    few, many = (rates[f"{count}-directories", "file-create"] for count in ("few", "many"))
    assert (few > many).sum() == 11 and "Of DL10 eleven rounds of twelve favour few directories" in page
    low = float(read_claims(results)["DL10"]["low"])
    assert 1.05 <= low < 1.055 and f"borne out, but narrowly: the interval begins at {low:.2f}" in page
    assert (few.idxmin(), (few < many).idxmax()) == (3, 3)
    assert (rates["files", "file-remove"] < rates["files", "file-create"]).all()
    assert "removal is slower than creation in each of the twelve rounds" in page


def test_two_of_the_five_ratios_are_not_where_they_were_predicted(root, results, rates, page):
    claims = read_claims(results)
    pairs = (rates["node-pairs", "node_pairs=2"] / rates["node-pairs", "node_pairs=1"]).median()
    assert f"read {pairs:.2f} times as fast as one (median)" in page
    shared = [float(ratio) for ratio in re.findall(r"is ([\d.]+) times as fast as file-per-rank", claims["PN5"]["why"])]
    found = [float(claims["DL10"]["estimate"]), float(claims["DL11"]["estimate"]), *shared, pairs]
    predicted = [(1.15, 1.45), (0.6, 0.8), (0.15, 0.22), (0.9, 1.0), (1.74, 1.8)]
    assert [low <= ratio <= high for ratio, (low, high) in zip(found, predicted, strict=True)] == [
        True, False, True, True, False,
    ]  # fmt: skip
    stated = read_page(root, "predictions")
    ranges = ("1.15 to 1.45", "0.6 to 0.8", "0.15 to 0.22", "0.9 to 1.0", "1.74 to 1.80")
    assert all(f"{words} times as fast" in stated for words in ranges[:2]) and all(words in stated for words in ranges)
    assert "Two of the five predictions were missed" in page
