"""docs/nfs-calls-on-a-guest.md quotes the campaign raw/nfs-calls/: its figures follow from logs."""

import csv
import re
from collections import Counter

import pandas as pd
import pytest
from sealed import check_claims, read_claims, read_page, read_table, rebuild

pytestmark = pytest.mark.slow

CAMPAIGN = "nfs-calls"

#: The bytes of a transfer of the sweep that compares sizes of calls.
TRANSFER = 2**20


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "nfs-calls-on-a-guest")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    return rebuild(root, tmp_path_factory.mktemp("calls"), CAMPAIGN, "anf-nfs", []) / "results" / CAMPAIGN


@pytest.fixture(scope="module")
def records(results):
    """The values that runs which count state, by sweep, size of calls, operation and metric; calls are operations."""
    records = pd.read_csv(results / "records.csv", low_memory=False)
    counts = records.verdict.isin(["valid", "suspect"]) & (records.statistic == "value")
    operations = ~records.operation.str.startswith("rpc-") | records.definition.str.startswith("operations,")
    return records[counts & operations].set_index(["sweep", "io_size", "operation", "metric"]).sort_index()


def test_the_page_states_the_verdicts_of_trials(results, page):
    verdicts = Counter(row["verdict"] for row in csv.DictReader((results / "verdicts.csv").open()))
    assert verdicts == {"valid": 75} and "All 75 trials are valid" in page


def test_the_page_states_the_claims_as_they_are_judged(results, page):
    claims = read_claims(results)
    check_claims(page, {name: claims[name] for name in ("AN2", "AN9")})
    assert all(claims[name]["verdict"] == "borne out" for name in ("AN2", "AN9"))


def test_every_round_takes_the_calls_that_the_page_states(records, page):
    stated = read_table(page, "wsize")
    assert list(stated) == ["64 KiB", "128 KiB", "256 KiB", "512 KiB", "1 MiB"]
    for exponent, (counted, _) in zip(range(16, 21), stated.values(), strict=True):
        calls = records.loc["wsize", 2**exponent, "rpc-write", "count"].value
        assert len(calls) == 3 and set(calls) == {2**30 / 2**exponent}
        assert counted == f"{2**30 / 2**exponent:,.0f}"
    commits = records.xs(("wsize", "rpc-commit", "count"), level=("sweep", "operation", "metric")).value
    assert set(commits) == {1, 2} and "in one or two commits" in page


def test_the_page_states_calls_and_rates_of_direct_transfers(results, records, page):
    stated = read_table(page, "rsize and wsize")
    reached = pd.read_csv(results / "reached.csv").set_index(["case", "repetition"]).moved_bytes
    for size, cells in zip((2**16, 2**18, 2**20), stated.values(), strict=True):
        found = []
        for operation, calls in (("write", ("rpc-write", "rpc-commit")), ("read", ("rpc-read",))):
            own = records.loc["rsize-wsize", size]
            own = own[own.case == f"operation={operation},io_size={size}"]
            moved = reached[f"operation={operation},io_size={size}"] / TRANSFER
            for call in calls:
                made = own.loc[call, "count"].set_index("repetition").value if call in own.index else 0 * moved
                assert len(made) == 10 and (made / moved).round(2).nunique() == 1
                found.append(f"{(made / moved).median():.0f}")
            found.append(f"{own.loc[operation, 'throughput'].value.median() / 1e6:.3g} MB/s")
        assert cells == found


def test_the_ratios_are_where_they_were_predicted(root, results, page):
    why = read_claims(results)["AN9"]["why"]
    write, read = map(float, re.findall(r"is ([\d.]+) times as fast as", why))
    assert 0.95 <= write <= 1.1 and 0.97 <= read <= 1.03
    stated = read_page(root, "predictions")
    assert "writes should be 0.95 to 1.10, and reads 0.97 to 1.03" in stated and "0.95–1.10; 0.97–1.03" in page
