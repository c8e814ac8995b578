"""docs/other-clients-on-the-model.md quotes the campaign raw/other-clients/: its figures follow from logs."""

import csv
import re
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

CAMPAIGN = "other-clients"
LAYOUTS = {
    f"{count} × {size} MiB": f"stripe_count={count},stripe_size={size * 2**20}" for count in (1, 24) for size in (1, 4)
}
PHASES = ("create", "stat", "read", "remove")
BOUNDS = {"12,000": "metadata_iops=12000", "192,000": "metadata_iops=192000"}


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "other-clients-on-the-model")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    return rebuild(root, tmp_path_factory.mktemp("others"), CAMPAIGN, "fsx-metadata", []) / "results" / CAMPAIGN


@pytest.fixture(scope="module")
def rates(results):
    """The rate of each run, in 1/s, by sweep, case, operation and round."""
    return read_rates_of_names(results)


def test_the_page_states_the_verdicts_of_trials(results, page):
    verdicts = Counter(row["verdict"] for row in csv.DictReader((results / "verdicts.csv").open()))
    codes = Counter(code for row in csv.DictReader((results / "reasons.csv").open()) for code in row["codes"].split())
    assert verdicts == {"valid": 7, "suspect": 245} and "Of 252 trials seven are valid, and 245 are suspect" in page
    assert codes == {"too-short": 245, "two-modes": 120} and "In 120 of these, one of the phases has two modes" in page


def test_the_page_states_the_claims_as_they_are_judged(root, results, page):
    claims = read_claims(results)
    check_claims(page, claims)
    assert {name: row["verdict"] for name, row in claims.items()} == {
        "DL9": "refuted", "FM1": "borne out"
    }  # fmt: skip
    predicted = read_table(read_page(root, "predictions").partition("## Layouts in short trials")[2], "claim")
    ratios = [
        [float(ratio) for ratio in re.findall(r"is ([\d.]+) times as fast", claims[name]["why"])]
        for name in ("DL9", "FM1")
    ]
    ranges = [[(0.97, 1.03)] * 3, [(20, 35), (8, 16), (25, 45), (20, 35)]]
    layouts, bound = (cells[0] for cells in predicted.values())
    assert "0.97 to 1.03" in layouts
    assert "creation 20 to 35, status 8 to 16, reading 25 to 45, removal 20 to 35" in bound
    hits = [
        [low <= ratio <= high for ratio, (low, high) in zip(found, within, strict=True)]
        for found, within in zip(ratios, ranges, strict=True)
    ]
    assert hits == [[False, True, False], [True, False, True, True]]


def test_the_page_states_creations_by_layout(rates, page):
    medians = rates.xs("file-create", level="operation").groupby(["sweep", "case"]).median()["stripes"]
    expected = {
        name: [f"{medians[f'threads={ranks},{layout}']:,.0f}" for ranks in (1, 64)] for name, layout in LAYOUTS.items()
    }
    assert read_table(page, "targets × stripe") == expected


def test_the_page_states_how_creations_vary_and_how_short_they_are(rates, page):
    creations = rates.xs("file-create", level="operation")["stripes"]
    alone = creations[creations.index.get_level_values("case").str.startswith("threads=1,")]
    assert (len(alone), (500 / alone < 1).sum()) == (120, 34) and "in 34 of 120 trials needed less than" in page
    spreads = 100 * np.log(creations).groupby("case").std()
    many = spreads[spreads.index.str.startswith("threads=64,")]
    assert len(many) == 4 and f"varies by {many.min():.0f} to {many.max():.0f} %" in page


def test_the_page_states_the_rates_of_each_bound(rates, page):
    medians = rates.groupby(["sweep", "case", "operation"]).median()["metadata-bound-others"]
    expected = {name: [f"{medians[case, f'file-{phase}']:,.0f}" for phase in PHASES] for name, case in BOUNDS.items()}
    assert read_table(page, "metadata IOPS") == expected


def test_the_page_states_the_requests_for_each_file(root, page):
    sweep = "metadata-bound-others"
    requests = [asked for case in BOUNDS.values() for asked in count_requests_per_file(root, CAMPAIGN, sweep, case)]
    assert len(requests) == 12 and f"{min(requests):.1f} to {max(requests):.1f} requests for each file" in page
    one, many = (
        [
            asked
            for layout in LAYOUTS.values()
            for asked in count_requests_per_file(root, CAMPAIGN, "stripes", f"threads={ranks},{layout}")
        ]
        for ranks in (1, 64)
    )
    assert (len(one), len(many)) == (120, 120) and f"{min(one):.1f}" == f"{max(one):.1f}"
    assert f"{max(one):.1f} requests for each file of one rank and {min(many):.1f} to {max(many):.1f} of 64" in page


def test_the_page_states_what_each_round_gained(rates, page):
    bound = rates["metadata-bound-others"]
    least = {
        phase: (bound[BOUNDS["192,000"], f"file-{phase}"] / bound[BOUNDS["12,000"], f"file-{phase}"]).min()
        for phase in PHASES
    }
    assert f"every operation gained at least {least.pop('stat'):.1f} times" in page
    assert f"creation, reading and removal at least {int(min(least.values()))} times" in page
