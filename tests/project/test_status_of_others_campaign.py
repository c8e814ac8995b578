"""docs/status-of-others-on-the-model.md quotes two campaigns of this name: its figures follow from logs."""

import csv
import json
import re
import statistics
from collections import Counter

import numpy as np
import pytest
from sealed import (
    check_claims,
    count_requests_per_file,
    read_claims,
    read_page,
    read_rates_of_names,
    read_table,
    rebuild,
)

pytestmark = pytest.mark.slow

STUDIES = {"status-of-others": "dell-lustre", "peaks-of-others": "pixstor-nvme"}
TARGETS = (1, 24)
RANKS = (16, 64, 128)
PHASES = ("create", "stat", "read", "remove")


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "status-of-others-on-the-model")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    """The results of both campaigns, by name."""
    return {
        name: rebuild(root, tmp_path_factory.mktemp(name), name, study, []) / "results" / name
        for name, study in STUDIES.items()
    }


@pytest.fixture(scope="module")
def status(results):
    """The rates over one target and over 24, in 1/s, by case, operation and round."""
    return read_rates_of_names(results["status-of-others"])["stripes-others"]


@pytest.fixture(scope="module")
def peaks(results):
    """The rates of 16, 64 and 128 ranks, in 1/s, by case, operation and round."""
    return read_rates_of_names(results["peaks-of-others"])["metadata-others"]


def test_the_page_states_the_verdicts_of_trials(results, page):
    verdicts, codes = (
        {
            name: Counter(word for row in csv.DictReader((path / table).open()) for word in row[column].split())
            for name, path in results.items()
        }
        for table, column in (("verdicts.csv", "verdict"), ("reasons.csv", "codes"))
    )
    assert verdicts == {"status-of-others": {"valid": 122, "suspect": 138}, "peaks-of-others": {"valid": 27}}
    assert codes == {"status-of-others": {"two-modes": 130, "too-short": 16}, "peaks-of-others": {}}
    assert "Of 260 trials 122 are valid, and 138 suspect" in page and "All 27 trials for PN8 are valid" in page
    rows = list(csv.DictReader((results["status-of-others"] / "reasons.csv").open()))
    over_one = [row for row in rows if row["case"] == "stripe_count=1"]
    assert (len(over_one), len(rows)) == (130, 138) and "all 130 over one" in page and "and eight over 24" in page
    assert all("two modes: 3 near 98.6/s and 127 near 192/s" in row["reasons"] for row in over_one)
    assert all(row["reasons"].startswith("file-stat was measured over 0.") for row in rows if row not in over_one)


def test_the_page_states_the_claims_as_they_are_judged(root, results, page):
    claims = read_claims(results["status-of-others"]) | read_claims(results["peaks-of-others"])
    assert {name: row["verdict"] for name, row in claims.items()} == {
        "FM5": "refuted", "PN8": "refuted", "PN7": "refuted"
    }  # fmt: skip
    check_claims(page, claims)
    predicted = read_table(read_page(root, "predictions").partition("## A status that reaches the server")[2], "claim")
    one, three = (cells[0] for cells in predicted.values())
    assert "0.97 to 1.03" in one
    assert all(words in three for words in ("status 0.75 to 0.95", "reading 0.8 to 1,", "removing 1.05 to 1.25"))
    ranges = {"FM5": [(0.97, 1.03)], "PN8": [(0.75, 0.95), (0.8, 1), (1.05, 1.25)]}
    hits = {
        name: [
            low <= float(ratio) <= high
            for ratio, (low, high) in zip(
                re.findall(r"(?:threads is|is) ([\d.]+) times", claims[name]["why"]), within, strict=True
            )
        ]
        for name, within in ranges.items()
    }
    assert hits == {"FM5": [True], "PN8": [True] * 3} and "All four ratios are where they were predicted" in page


def test_the_page_states_the_rates_of_each_layout(status, page):
    medians = status.groupby(["case", "operation"]).median()
    expected = {
        str(targets): [
            f"{medians[f'stripe_count={targets}', f'file-{phase}']:,.0f}" for phase in ("create", "stat", "remove")
        ]
        for targets in TARGETS
    }
    assert read_table(page, "targets") == expected


def test_the_page_states_how_a_status_varies(status, page):
    rates = np.log(status.xs("file-stat", level="operation"))
    ratio = rates["stripe_count=24"] - rates["stripe_count=1"]
    assert len(ratio) == 130 and f"24 targets were faster in {(ratio > 0).sum()} of 130 rounds" in page
    assert f"ratio of status varied by {100 * ratio.std():.0f} % from round to round" in page


def test_the_page_states_the_requests_for_each_file(root, page):
    for targets in TARGETS:
        asked = count_requests_per_file(root, "status-of-others", "stripes-others", f"stripe_count={targets}")
        assert len(asked) == 130 and f"{min(asked):.2f} to {max(asked):.2f}" in page
    cases = {
        ranks: count_requests_per_file(root, "peaks-of-others", "metadata-others", f"threads={ranks}")
        for ranks in RANKS
    }
    for ranks, asked in cases.items():
        assert len(asked) == 9 and f"{min(asked):.1f} to {max(asked):.1f}" in page, ranks
    more = statistics.median(cases[128]) / statistics.median(cases[64]) - 1
    assert f"From 64 to 128 that is {100 * more:.0f} % more" in page


def test_the_page_states_how_busy_the_machine_was_beside_the_ranks(root, page):
    for ranks in (128, 16):
        shares = []
        for path in (root / "raw/peaks-of-others").glob(f"*/metadata-others/threads={ranks}/r*/trial.json"):
            trial = json.loads(path.read_text())
            before, after = (trial["counters"][moment]["ranks.cpu_ms"] for moment in ("before", "after"))
            shares.append((trial["busy_cpu"] - (after - before) / 1000) / (2 * trial["seconds"]))
        least, most = (f"{100 * share:.0f}" for share in (min(shares), max(shares)))
        assert len(shares) == 9 and f"{least} to {most} % of the time with {ranks}" in page


def test_the_page_states_the_rates_over_ranks(peaks, page):
    medians = peaks.groupby(["case", "operation"]).median()
    expected = {
        str(ranks): [f"{medians[f'threads={ranks}', f'file-{phase}']:,.0f}" for phase in PHASES] for ranks in RANKS
    }
    assert read_table(page, "ranks") == expected
    slower = 1 - medians["threads=128", "file-read"] / medians["threads=64", "file-read"]
    assert f"while reads are {100 * slower:.0f} % slower" in page
    read = peaks.xs("file-read", level="operation")
    assert (read["threads=128"] < read["threads=64"]).sum() == 8 and "In eight of nine rounds 128 ranks" in page
