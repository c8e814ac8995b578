"""docs/pixstor-pairs-on-the-model.md quotes the campaign raw/pixstor-pairs/: its figures follow from logs."""

import csv
import json
import re
from collections import Counter

import numpy as np
import pandas as pd
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

CAMPAIGN = "pixstor-pairs"
PHASES = ("create", "stat", "read", "remove")
RANKS = (16, 64, 128)
ONE, TWO = "threads=48,node_pairs=1", "threads=96,node_pairs=2"


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "pixstor-pairs-on-the-model")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    return rebuild(root, tmp_path_factory.mktemp("pairs"), CAMPAIGN, "pixstor-nvme", []) / "results" / CAMPAIGN


@pytest.fixture(scope="module")
def data(results):
    """The rate of each transfer over pairs of nodes, in B/s, by operation, number of pairs and round."""
    trials = pd.read_csv(results / "trials.csv")
    chosen = trials[trials.sweep == "node-pairs"]
    pairs = chosen.case.str[-1].astype(int)
    return chosen.set_index([chosen.operation, pairs, chosen.repetition]).value.sort_index()


@pytest.fixture(scope="module")
def names(results):
    """The rate of each operation on files, in 1/s, by sweep, case, operation and round."""
    return read_rates_of_names(results)


def test_the_page_states_the_verdicts_of_trials(results, page):
    verdicts = Counter(row["verdict"] for row in csv.DictReader((results / "verdicts.csv").open()))
    codes = Counter(code for row in csv.DictReader((results / "reasons.csv").open()) for code in row["codes"].split())
    assert verdicts == {"valid": 72, "suspect": 48} and "Of 120 trials 72 are valid, and 48" in page
    assert codes == {"too-short": 48}
    reasons = list(csv.DictReader((results / "reasons.csv").open()))
    assert {row["sweep"] for row in reasons} == {"node-pairs-names"} and "all of files as such" in page
    assert all(re.match(r"file-stat was measured over 0\.\d+ s", row["reasons"]) for row in reasons)


def test_the_page_states_the_claims_as_they_are_judged(root, results, page):
    claims = read_claims(results)
    check_claims(page, claims)
    assert {name: row["verdict"] for name, row in claims.items()} == {
        "PN7": "refuted", "PN8": "refuted", "PN10": "borne out"
    }  # fmt: skip
    predicted = read_table(read_page(root, "predictions").partition("## Pairs of nodes with equal loads")[2], "claim")
    pairs, metadata = (cells[0] for cells in predicted.values())
    assert "1.85 to 1.97 times as fast as one, and create 0.95 to 1.05 times" in pairs
    assert all(words in metadata for words in ("0.85 to 1.1", "1.7 to 2.3", "0.8 to 1,", "1.5 to 2.2"))
    ranges = {
        "PN10": [(1.85, 1.97), (1.85, 1.97), (0.95, 1.05)], "PN7": [(0.85, 1.1), (1.7, 2.3), (0.8, 1), (1.5, 2.2)]
    }  # fmt: skip
    hits = {
        name: [
            low <= float(ratio) <= high
            for ratio, (low, high) in zip(
                re.findall(r"is ([\d.]+) times as fast", claims[name]["why"]), within, strict=True
            )
        ]
        for name, within in ranges.items()
    }
    assert hits == {"PN10": [True, True, True], "PN7": [True, True, True, False]}
    assert "Six of the seven ratios are where they were predicted" in page


def test_the_page_states_rates_over_pairs_of_nodes(data, names, page):
    created = names.xs("file-create", level="operation")["node-pairs-names"]
    expected = {
        operation: [f"{data[operation, pairs].median() / 1e6:.3g} MB/s" for pairs in (1, 2)]
        for operation in ("write", "read")
    }
    expected["create"] = [f"{created[f'node_pairs={pairs}'].median():,.0f} files/s" for pairs in (1, 2)]
    assert read_table(page, "pairs of nodes") == expected
    ratios = {operation: data[operation, 2] / data[operation, 1] for operation in ("write", "read")}
    wrote, read = (f"{ratio.min():.2f} to {ratio.max():.2f}" for ratio in ratios.values())
    assert all(len(ratio) == 12 for ratio in ratios.values())
    assert f"two pairs wrote {wrote} and read {read} times as fast as one" in page


def test_each_target_has_four_files_of_either_number_of_pairs(root):
    """Each rank has one file; a target reads some KiB about them, too."""
    for case, targets in ((ONE, 12), (TWO, 24)):
        paths = sorted((root / f"raw/{CAMPAIGN}").glob(f"*/node-pairs/operation=read,{case}/r*/trial.json"))
        assert len(paths) == 12
        for path in paths:
            trial = json.loads(path.read_text())
            before, after = trial["counters"]["before"], trial["counters"]["after"]
            read = [after[name] - before[name] for name in after if re.fullmatch(r"target\d+\.read_bytes", name)]
            files = Counter(round(count / trial["factors"]["file_size"]) for count in read)
            assert files == {4: targets} | ({0: 12} if targets == 12 else {})


def test_the_page_states_the_rates_over_ranks(names, page):
    medians = names["metadata-others"].groupby(["case", "operation"]).median()
    expected = {
        str(ranks): [f"{medians[f'threads={ranks}', f'file-{phase}']:,.0f}" for phase in PHASES] for ranks in RANKS
    }
    assert read_table(page, "ranks") == expected


def test_the_page_states_how_creations_vary(names, page):
    created = np.log(names.xs("file-create", level="operation")["node-pairs-names"])
    ratio = created["node_pairs=2"] - created["node_pairs=1"]
    assert len(ratio) == 24 and f"created varied by {100 * ratio.std():.0f} % from round to round" in page


def test_the_page_states_the_requests_for_each_file(root, page):
    requests = [
        asked
        for ranks in RANKS
        for asked in count_requests_per_file(root, CAMPAIGN, "metadata-others", f"threads={ranks}")
    ]
    assert len(requests) == 24 and f"{min(requests):.1f} to {max(requests):.1f} requests for each file" in page
