"""docs/dell-more-rounds-on-the-model.md quotes the campaign raw/dell-more-rounds/: its figures follow from logs."""

import csv
import json
import re

import pytest
from sealed import check_claims, read_claims, read_medians, read_page, read_table, rebuild

pytestmark = pytest.mark.slow

CAMPAIGN = "dell-more-rounds"


@pytest.fixture(scope="module")
def page(root):
    return read_page(root, "dell-more-rounds-on-the-model")


@pytest.fixture(scope="module")
def results(root, tmp_path_factory):
    return rebuild(root, tmp_path_factory.mktemp("more"), CAMPAIGN, "dell-lustre", []) / "results" / CAMPAIGN


@pytest.fixture(scope="module")
def claims(results):
    return read_claims(results)


def test_the_page_states_the_rounds_and_the_verdicts_of_trials(root, results, page):
    (study,) = json.loads((root / f"raw/{CAMPAIGN}/campaign.json").read_text())["studies"]
    rounds = {name: sweep["repetitions"] for name, sweep in study["sweeps"].items()}
    assert rounds == {"osts": 20, "scatter-gather": 12}
    assert "20 rounds of ten cases with one thread, and 12\nrounds of four cases with 24" in page
    verdicts = [row["verdict"] for row in csv.DictReader((results / "verdicts.csv").open())]
    valid, suspect = (verdicts.count(verdict) for verdict in ("valid", "suspect"))
    assert valid + suspect == len(verdicts) == 10 * 20 + 4 * 12
    assert f"Of 248 trials {valid} are valid. {suspect} are\nsuspect" in page
    assert {row["codes"] for row in csv.DictReader((results / "reasons.csv").open())} == {"foreign-transfers"}


@pytest.mark.parametrize(
    ("head", "sweep", "factor", "levels"),
    [
        ("targets", "osts", "stripe_count", ["2", "4", "6", "8", "24"]),
        ("entries", "scatter-gather", "max_sgl_entries", ["128", "256"]),
    ],
)
def test_the_page_states_medians(results, page, head, sweep, factor, levels):
    medians, stated = read_medians(results), read_table(page, head)
    assert list(stated) == levels
    for level, cells in stated.items():
        found = [medians[sweep, one, f"operation={one},{factor}={level}"] for one in ("write", "read")]
        assert cells == [f"{median / 1e6:.3g} MB/s" for median in found]


def test_the_page_states_the_claims_as_they_are_judged(claims, page):
    check_claims(page, claims)
    intervals = re.findall(r"\(95 %: ([\d.]+) to ([\d.]+)\)", " ".join(claim["why"] for claim in claims.values()))
    assert len(intervals) == 10 and all(float(low) <= 1 <= float(high) for low, high in intervals)
    assert "Here each interval includes 1" in page


def test_all_ratios_are_where_they_were_predicted(root, claims, page):
    assert "0.95 to 1.05 for reads, 0.93 to 1.07 for writes" in read_page(root, "predictions")
    whys = " ".join(claim["why"] for claim in claims.values())
    ranges = {}
    for operation, text in re.findall(r"(read|write): (.*?) alike means", whys):
        ratios = [float(ratio) for ratio in re.findall(r"is ([\d.]+) times", text)]
        ranges.setdefault(operation, []).extend(ratios)
    assert {operation: len(ratios) for operation, ratios in ranges.items()} == {"read": 5, "write": 5}
    (least, most), (lowest, highest) = ((min(ranges[one]), max(ranges[one])) for one in ("read", "write"))
    assert least > 0.95 and most < 1.05
    assert lowest > 0.93 and highest < 1.07
    said = re.search(
        r"ratios of reads are ([\d.]+) to ([\d.]+) and those of writes ([\d.]+) to ([\d.]+),", " ".join(page.split())
    )
    assert [float(word) for word in said.groups()] == [least, most, lowest, highest]
