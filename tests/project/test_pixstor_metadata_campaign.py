"""docs/pixstor-metadata-on-the-model.md quotes the campaign raw/pixstor-metadata/: its figures follow from logs."""

import csv
import json
import statistics
from collections import Counter

import pandas as pd
import pytest
from sealed import check_claims, read_claims, read_medians, read_page, read_table, rebuild

pytestmark = pytest.mark.slow

CAMPAIGN = "pixstor-metadata"
BODY = 4096


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "pixstor-metadata-on-the-model")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    """The results of the campaign, with the figures of its rates."""
    folder = rebuild(root, tmp_path_factory.mktemp("pixstor"), CAMPAIGN, "pixstor-nvme", ["metadata-rates"])
    return folder / "results" / CAMPAIGN


@pytest.fixture(scope="module")
def medians(results):
    return read_medians(results)


@pytest.fixture(scope="module")
def grown(root):
    """How much each counter grew in each round of a case, and its number of files, by sweep and case."""

    def find(sweep, case):
        found = []
        for path in sorted((root / f"raw/{CAMPAIGN}/pixstor-nvme/{sweep}/{case}").glob("r*/trial.json")):
            trial = json.loads(path.read_text())
            before, after = trial["counters"]["before"], trial["counters"]["after"]
            files = trial["factors"].get("files", 0) * trial["factors"]["threads"]
            found.append(({name: after[name] - count for name, count in before.items()}, files))
        assert len(found) == 6
        return found

    return find


def add_up(grown, end):
    """Return the sum of the counters whose names end so: of all servers, or of all targets."""
    return sum(count for name, count in grown.items() if name.endswith(end))


def test_the_page_states_the_verdicts_of_trials(results, page):
    verdicts = Counter(row["verdict"] for row in csv.DictReader((results / "verdicts.csv").open()))
    assert verdicts == {"valid": 54, "suspect": 12} and "Of 66 trials 54 are valid. 12 are suspect" in page
    rows = list(csv.DictReader((results / "reasons.csv").open()))
    assert Counter(code for row in rows for code in row["codes"].split()) == {"too-short": 11, "model-saturated": 1}
    short = [row["reasons"] for row in rows if row["codes"] == "too-short"]
    assert len(short) == 11 and all("file-stat was measured over 0." in reasons for reasons in short)


def test_the_page_states_rates_of_files_over_ranks(results, page):
    rates = pd.read_csv(results / "tables/pixstor-nvme-metadata-rate.csv").set_index(["operation", "threads (1)"])
    stated = read_table(page, "ranks")
    assert list(stated) == ["1", "16", "64", "128", "256"]
    for ranks, cells in stated.items():
        found = [rates["median (1/s)"][f"file-{phase}", int(ranks)] for phase in ("create", "stat", "read", "remove")]
        assert cells == [f"{rate:,.0f}" for rate in found]
    create, status, read, remove = (
        rates["median (1/s)"][f"file-{phase}"].max() for phase in ("create", "stat", "read", "remove")
    )
    words = f"status is {status / read:.0f} times that of reading here and {status / create:.0f} times that of creation"
    assert words in page and f"reading peaks at {read / remove:.1f} of removing" in page


def test_the_page_states_what_a_file_costs_the_servers_and_the_targets(grown, page):
    cases = [grown("metadata", f"threads={ranks}") for ranks in (1, 16, 64, 128, 256)]
    asked = [[add_up(counts, ".requests") / files for counts, files in rounds] for rounds in cases]
    words = f"{min(asked[0]):.1f}\nrequests with one rank and {max(map(max, asked)):.1f} at most"
    assert max(asked[0]) - min(asked[0]) < 0.01 and words in page
    assert max(counts["mds1.requests"] for rounds in cases for counts, _ in rounds) < 5 and "holds all folders" in page
    written = [add_up(counts, ".written_bytes") / files for rounds in cases for counts, files in rounds]
    assert f"the targets write {statistics.median(written) / 1024:.0f} KiB" in page
    # Ranks read each file once; the nodes answer to writes, too.
    sent = [
        sum(counts[f"{node}.sent_bytes"] for node in ("oss1", "oss2")) / files / BODY
        for rounds in cases[1:]
        for counts, files in rounds
    ]
    assert f"{100 * max(sent):.0f} % as many bytes as the ranks read" in page


def test_the_page_states_rates_over_pairs_of_nodes(medians, page):
    rates = {
        operation: [medians["node-pairs", operation, f"operation={operation},node_pairs={pairs}"] for pairs in (1, 2)]
        for operation in ("write", "read")
    }
    expected = {operation: [f"{rate / 1e6:.3g} MB/s" for rate in found] for operation, found in rates.items()}
    created = [medians["node-pairs-names", "file-create", f"node_pairs={pairs}"] for pairs in (1, 2)]
    assert read_table(page, "pairs of nodes") == {**expected, "create": [f"{rate:,.0f} files/s" for rate in created]}
    bounds = 128 * 4e6 / 11, 128 * 4e6 / 6
    assert [f"{bound / 1e6:.1f}" for bound in bounds] == ["46.5", "85.3"]
    assert f"two pairs can read\n85.3 MB/s at most, and one pair 46.5 MB/s: {bounds[1] / bounds[0]:.2f} times" in page
    assert all(0.96 < rate / bound < 1 for rate, bound in zip(rates["read"], bounds, strict=True))


def test_targets_hold_five_or_six_or_ten_or_eleven_of_128_files(grown):
    """Each file has 14 transfers of 256 KiB; a target reads some KiB about them, too."""
    for pairs, expected in ((1, {0: 12, 10: 4, 11: 8}), (2, {5: 16, 6: 8})):
        for counts, _ in grown("node-pairs", f"operation=read,node_pairs={pairs}"):
            files = [count / (14 * 2**18) for name, count in counts.items() if name.endswith(".read_bytes")]
            assert Counter(map(round, files)) == expected


def test_the_page_states_the_claims_as_they_are_judged(results, page):
    check_claims(page, read_claims(results))


def test_the_page_shows_the_figure_that_the_logs_give(root, results):
    found = results / "figures/pixstor-nvme-metadata-beside.svg"
    assert (root / "docs/figures/pixstor-metadata-on-the-model.svg").read_text() == found.read_text()
