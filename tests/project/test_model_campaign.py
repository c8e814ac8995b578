"""docs/the-model.md quotes the campaign raw/model/: its figures follow from the logs, and its seal holds."""

import csv
import json
import re

import pandas as pd
import pytest
from sealed import read_table, rebuild

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def rebuilt(root, tmp_path_factory):
    """A folder with the results of the campaign, and the page that compares them with the limits."""
    return rebuild(root, tmp_path_factory.mktemp("model"), "model", "model", ["limits-and-rates"])


def span(values):
    """Return the least and the greatest value as the page writes them."""
    shown = sorted({f"{value:.3f}" for value in values})
    return "–".join(dict.fromkeys((shown[0], shown[-1])))


def test_the_page_states_how_far_the_campaign_is_from_its_limits(root, rebuilt):
    rows = list(csv.DictReader((rebuilt / "results/model/tables/model-threads-predictions.csv").open()))
    stated = read_table((root / "docs/the-model.md").read_text(), "targets")
    assert list(stated) == ["1", "2", "4", "8"]
    for targets, cells in stated.items():
        ratios = {
            (row["operation"], int(row["threads"])): float(row["ratio"]) for row in rows if row["targets"] == targets
        }
        few, many = (1, 2, 4, 8), (64,)
        assert cells == [
            span(ratios[operation, one] for one in threads)
            for threads in (few, many)
            for operation in ("read", "write")
        ]


def test_the_page_states_the_ratios_of_the_claims(root, rebuilt):
    claims = {row["id"]: row for row in csv.DictReader((rebuilt / "results/model/claims.csv").open())}
    stated = list(read_table((root / "docs/the-model.md").read_text(), "factor").values())
    for (measured, _), claim in zip(stated, ("MO3", "MO4", "MO6", "MO5", "MO7"), strict=True):
        ratio, low, high = map(float, re.fullmatch(r"([\d.]+) \(([\d.]+)–([\d.]+)\)", measured).groups())
        found = [float(claims[claim][name]) for name in ("estimate", "low", "high")]
        assert [ratio, low, high] == pytest.approx(found, abs=0.051 if ratio > 10 else 0.0051)
    verdicts = {one: row["verdict"] for one, row in claims.items() if one.startswith("MO")}
    assert verdicts == {
        "MO1": "borne out", "MO2": "borne out", "MO3": "open", "MO4": "borne out", "MO5": "open", "MO6": "borne out",
        "MO7": "open",
    }  # fmt: skip


def test_the_page_states_what_ranks_on_four_clients_measured(root, rebuilt):
    page, records = (root / "docs/the-model.md").read_text(), pd.read_csv(rebuilt / "results/model/records.csv")
    medians = records.groupby(["sweep", "metric", "statistic", "operation", "case"]).value.median()
    for head, place, rows, per, unit in (
        ("IOR", ("ranks", "throughput", "value"), {"reads": "read", "writes": "write"}, 1e6, "MB/s"),
        ("mdtest", ("names", "rate", "mean"), {"creates": "file-create", "removes": "file-remove"}, 1, "files/s"),
    ):
        stated = read_table(page, head)
        assert list(stated) == list(rows)
        for row, operation in rows.items():
            assert stated[row] == [f"{value / per:.3g} {unit}" for value in medians[*place, operation]]
    outcomes = [json.loads(path.read_text()) for path in (root / "raw/model/model/ranks").rglob("trial.json")]
    assert [sorted(outcome["launch"]["nodes"]) for outcome in outcomes] == [["c1", "c2", "c3", "c4"]] * 24


def test_the_page_states_how_many_trials_are_valid(root, rebuilt):
    rows = list(csv.DictReader((rebuilt / "results/model/verdicts.csv").open()))
    flagged = [row for row in rows if row["verdict"] != "valid"]
    assert (len(rows), len(flagged)) == (432, 12)
    assert {(row["sweep"], row["verdict"]) for row in flagged} == {("control", "suspect")}
    assert sum("model-saturated" in row["codes"] for row in flagged) == 6
    assert [row["cold"] for row in rows if "operation=read" in row["case"]] == ["cold"] * 204
    assert "Of 432 trials 420 are valid." in (root / "docs/the-model.md").read_text()


def test_the_page_shows_the_figure_that_the_logs_give(root, rebuilt):
    drawn = rebuilt / "results/model/figures/model-threads-predicted.svg"
    assert (root / "docs/figures/measured-and-predicted.svg").read_text() == drawn.read_text()
