"""docs/fsx-metadata-on-the-model.md quotes the campaign raw/fsx-metadata/: its figures follow from logs."""

import csv
from collections import Counter

import pytest
from sealed import count_requests_per_file, read_claims, read_page, read_rates_of_names, read_table, rebuild

pytestmark = pytest.mark.slow

CAMPAIGN = "fsx-metadata"
PHASES = ("create", "stat", "read", "remove")
CASES = {
    "12,000": ("metadata-bound", "metadata_iops=12000"),
    "as it is": ("metadata", "only"),
    "192,000": ("metadata-bound", "metadata_iops=192000"),
}


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "fsx-metadata-on-the-model")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    """The results of the campaign, with its figures."""
    folder = rebuild(root, tmp_path_factory.mktemp("fsx"), CAMPAIGN, CAMPAIGN, ["metadata-provisioning"])
    return folder / "results" / CAMPAIGN


@pytest.fixture(scope="module")
def rates(results):
    """The rate of each operation in each round of a case, in 1/s, by sweep, case, operation and repetition."""
    return read_rates_of_names(results)


def test_the_page_states_the_verdicts_of_trials(results, page):
    verdicts = Counter(row["verdict"] for row in csv.DictReader((results / "verdicts.csv").open()))
    assert verdicts == {"suspect": 18} and "Of 18 trials none\nis valid and 18 are suspect" in page
    rows = list(csv.DictReader((results / "reasons.csv").open()))
    short = [row["reasons"] for row in rows if "too-short" in row["codes"].split()]
    assert len(short) == 17 and "17 measured status for less than a second, most of them reading, too" in page
    assert all(
        reason.startswith(("file-stat was measured over 0.", "file-create was measured over 0.")) for reason in short
    )
    modes = {row["reasons"].partition("the trials of ")[2] for row in rows if "two-modes" in row["codes"].split()}
    assert modes == {"file-stat have two modes: 1 near 327/s and 5 near 3.18 k/s"}


def test_status_and_most_often_reading_took_less_than_a_second(rates):
    seconds = 1024 / rates
    taken = {phase: (seconds.xs(f"file-{phase}", level="operation") < 1).sum() for phase in PHASES}
    assert taken == {"create": 2, "stat": 17, "read": 12, "remove": 1}


def test_the_page_states_the_rates_of_each_bound(rates, page):
    medians = rates.groupby(["sweep", "case", "operation"]).median()
    expected = {name: [f"{medians[(*case, f'file-{phase}')]:,.0f}" for phase in PHASES] for name, case in CASES.items()}
    assert read_table(page, "metadata IOPS") == expected


def test_the_page_states_what_each_round_gained(rates, page):
    ratios = {
        phase: rates[(*CASES["192,000"], f"file-{phase}")] / rates[(*CASES["12,000"], f"file-{phase}")]
        for phase in PHASES
    }
    assert all(len(ratio) == 6 for ratio in ratios.values())
    names = {"create": "create", "status": "stat", "read": "read", "remove": "remove"}
    found = {
        name: [f"{ratios[phase].median():.3g}", f"{ratios[phase].min():.3g}", f"{ratios[phase].max():.3g}"]
        for name, phase in names.items()
    }
    assert read_table(page, "192,000 over 12,000 IOPS") == found
    least = min(ratio.min() for phase, ratio in ratios.items() if phase != "stat")
    assert f"gained at least {int(least)} times" in page
    assert (ratios["stat"] < 1).sum() == 3 and "status was slower with more IOPS in three" in page


def test_the_page_states_the_requests_for_each_file(root, page):
    requests = {name: count_requests_per_file(root, CAMPAIGN, *case) for name, case in CASES.items()}
    more = requests["as it is"] + requests["192,000"]
    assert len(more) == 12 and f"gets {min(more):.1f} to {max(more):.1f} requests for each file" in page
    few = requests["12,000"]
    assert len(few) == 6 and f"it gets {min(few):.1f} to\n{max(few):.1f}: there each read waits" in page


def test_the_page_states_the_processor_time_of_each_file(rates, page):
    medians = rates.groupby(["sweep", "case", "operation"]).median()
    bounds = {"12,000": 0.02, "as it is": 0.2, "192,000": 0.32}
    times = {
        phase: [1000 * bounds[name] / medians[(*CASES[name], f"file-{phase}")] for name in bounds]
        for phase in ("create", "remove")
    }
    stated = read_table(page, "processor time of the server")
    assert stated == {f"to {phase} a file": [f"{time:.2f} ms" for time in found] for phase, found in times.items()}
    more = [found[0] / other for found in times.values() for other in found[1:]]
    assert f"takes {min(more):.1f} to {max(more):.1f} times as much time" in page


def test_the_campaign_judges_no_claim(results):
    assert read_claims(results) == {}


def test_the_page_shows_the_figure_that_the_logs_give(root, results):
    found = results / "figures/fsx-metadata-metadata-bound.svg"
    assert (root / "docs/figures/fsx-metadata-on-the-model.svg").read_text() == found.read_text()
