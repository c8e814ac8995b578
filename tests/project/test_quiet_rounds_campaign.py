"""docs/quiet-rounds-on-the-model.md quotes the campaign raw/quiet-rounds/: its figures follow from logs."""

import csv
import re
from collections import Counter

import pytest
from sealed import check_claims, read_claims, read_page, read_rates_of_names, read_table, rebuild

from coldcache.dataset.reader import measure_rounds_of_sweeps, open_sweep
from coldcache.statistics.ratios import paired_ratio

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
    return read_rates_of_names(results).droplevel("case")


def test_the_page_states_the_verdicts_of_trials(results, page):
    verdicts = Counter(row["verdict"] for row in csv.DictReader((results / "verdicts.csv").open()))
    codes = Counter(code for row in csv.DictReader((results / "reasons.csv").open()) for code in row["codes"].split())
    assert (verdicts, codes) == ({"valid": 29, "suspect": 1}, {"too-short": 1})
    assert "Of 30 trials 29 are valid. One is suspect and counts: it measured status for 0.9 s." in page


def test_the_page_states_the_claim_as_it_is_judged(root, results, page):
    claims = read_claims(results)
    check_claims(page, claims)
    assert claims["DL10"]["verdict"] == "borne out" and 1.2 <= float(claims["DL10"]["estimate"]) <= 1.5
    earlier = [
        read_table(read_page(root, f"{name}-on-the-model"), "claim") for name in ("more-rounds", "dell-metadata")
    ]
    for stated in earlier:
        assert re.search(r"[\d.]+ \([\d.]+–[\d.]+\)", stated["DL10"][-2])[0] in page


def test_the_page_states_the_interval_of_rounds_that_are_measured_in_each_sweep_alone(results, page):
    sweeps = [
        open_sweep(results / "dataset.nc", "dell-lustre", f"{count}-directories").rate for count in ("few", "many")
    ]
    rounds = max((measure_rounds_of_sweeps(one) for one in sweeps), key=lambda found: found.of_logarithms)
    few, many = (one.sel(operation="file-create").values.reshape(-1) for one in sweeps)
    found = paired_ratio(few, many, rounds=rounds)
    assert f"{found.low:.3g} to {found.high:.3g}" == "0.899 to 1.72" and "would be 0.899 to 1.72" in page


def test_the_page_states_rates_of_files(rates, page):
    stated = read_table(page, "64 ranks, 4,800 files").values()
    for cells, sweep in zip(stated, ("few-directories", "many-directories"), strict=True):
        found = [rates[sweep, f"file-{phase}"].median() for phase in ("create", "stat", "remove")]
        assert cells == [f"{rate:,.0f}" for rate in found]


def test_the_page_states_in_how_many_rounds_the_claim_holds(rates, page):
    few, many = (rates[f"{count}-directories", "file-create"] for count in ("few", "many"))
    gains = (100 * (few / many - 1)).round().astype(int)
    above = gains[gains > 0]
    assert (len(gains), len(above)) == (15, 14)
    assert f"by {above.min()} to {above.max()} %, and in one more slowly, by {-gains.min()} %" in page
    first, others = few.loc[:8].round().astype(int), few.loc[9:].round().astype(int)
    ranges = (
        f"{first.min()} to {first.max()} files a second in the first nine rounds, {others.min()} to {others.max()} in"
    )
    assert ranges in page
