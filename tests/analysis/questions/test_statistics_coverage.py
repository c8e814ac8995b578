"""The page on the statistics shows every table of the simulation, and marks what is not to be trusted."""

import re

import pandas as pd

from coldcache.analysis.questions.statistics_coverage import CAPTIONS, Reliability
from coldcache.statistics.simulation.stored_tables import TABLES


def test_every_table_is_shown_with_what_it_holds():
    assert list(CAPTIONS) == list(TABLES)
    found = Reliability()
    assert [len(found.in_words(name)) for name in TABLES if name != "coverage"] == [
        len(table) for name, table in found.tables.items() if name != "coverage"
    ]


def test_coverage_that_is_too_narrow_or_too_wide_is_marked():
    found = Reliability()
    stored = found.tables["coverage"]
    narrow, wide = "not to be trusted: too narrow", "not to be trusted: wider than stated"
    assert (stored.label == wide).any()
    # No stored interval is too narrow: one is made so.
    found.tables["coverage"] = stored = stored.assign(label=[narrow, *stored.label[1:]])
    shown = found.in_words("coverage")
    assert shown.columns.tolist() == ["noise", *sorted(stored.n.unique())]
    assert not stored.duplicated(["noise", "n"]).any()
    assert shown.iloc[:, 1:].notna().to_numpy().sum() == len(stored)
    for mark, label in (("†", narrow), ("‡", wide)):
        marked = [(cells["noise"], n) for cells in shown.to_dict("records") for n in shown.columns[1:]
                  if cells[n].endswith(mark)]  # fmt: skip
        labelled = stored[stored.label == label][["noise", "n"]]
        assert sorted(marked) == sorted(labelled.itertuples(index=False, name=None))


def test_sentences_follow_from_the_tables():
    found = Reliability()
    few, knees, verdicts = (found.tables[name] for name in ("few", "knees", "verdicts"))
    untrusted = (few.label == "not to be trusted: too narrow").sum()
    assert f"- few: {untrusted} of {len(few)} settings are not to be trusted" in found.warnings()
    assert f"are false in at most {100 * verdicts.false_verdicts.max():.1f} % of campaigns" in found.finding()
    covered = pd.to_numeric(knees[knees.given > 0].covered).min()
    assert f"Intervals of knees cover at least {100 * covered:.1f} %" in found.finding()


def make(**labels):
    found = Reliability()
    found.tables = {
        name: pd.DataFrame({"label": labels[name]}) if name in labels else pd.DataFrame({"share": [0.5]})
        for name in found.tables
    }
    return found


def test_settings_that_are_not_to_be_trusted_are_told_apart_from_those_that_are_too_wide():
    narrow, wide = "not to be trusted: too narrow", "not to be trusted: wider than stated"
    found = make(coverage=[narrow, wide, wide, "as stated"], knees=["as stated"], verdicts=["not to be trusted"])
    assert found.warnings().splitlines() == [
        "- coverage: 1 of 4 settings is not to be trusted, 2 are wider than stated.",
        "- verdicts: 1 of 1 settings is not to be trusted.",
    ]
    assert make(knees=["as stated"]).warnings() == "All settings hold what they state."


def test_shares_have_three_digits_and_heads_no_underscores():
    found = make()
    found.tables = {"knees": pd.DataFrame({"within_one": [0.98765], "n": [5]})}
    assert found.in_words("knees").to_dict("list") == {"within one": ["0.988"], "n": [5]}


def test_the_cost_of_the_simulations_is_told():
    assert re.fullmatch(r"Running these simulations again takes \d+ s of one core\.", Reliability().costs())


def test_the_title_says_how_often_intervals_cover_the_truth():
    found = make()
    found.tables = {"coverage": pd.DataFrame({"coverage": [0.931, 0.956, 0.987]})}
    assert found.title() == "Intervals of a median cover the truth in 93 to 99 % of campaigns"
