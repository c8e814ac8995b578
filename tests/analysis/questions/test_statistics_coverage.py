"""The page on the statistics shows every table of the simulation, and marks what is not to be trusted."""

import re

import pandas as pd

from coldcache.analysis.questions.statistics_coverage import CAPTIONS, Reliability
from coldcache.statistics.simulation.stored_tables import TABLES


def test_every_table_is_shown_with_what_it_holds():
    tables = Reliability().show()
    assert [table.caption for table in tables] == [CAPTIONS[name] for name in TABLES]


def test_coverage_that_is_too_narrow_or_too_wide_is_marked():
    found = Reliability()
    shown, stored = found.show()[0].shown, found.tables["coverage"]
    keys = ["statistic", "noise", "n"]
    assert shown.columns.tolist() == [*keys[:2], *sorted(stored.n.unique())]
    assert not stored.duplicated(keys).any() and shown.iloc[:, 2:].notna().to_numpy().sum() == len(stored)
    for mark, label in (("†", "not to be trusted: too narrow"), ("‡", "not to be trusted: wider than stated")):
        labelled = stored[stored.label == label]
        assert len(labelled)
        marked = [
            (cells["statistic"], cells["noise"], n)
            for cells in shown.to_dict("records")
            for n in shown.columns[2:]
            if cells[n].endswith(mark)
        ]
        assert sorted(marked) == sorted(labelled[keys].itertuples(index=False, name=None))


def test_sentences_follow_from_the_tables():
    found = Reliability()
    knees = found.tables["knees"]
    untrusted = (knees.label == "not to be trusted").sum()
    assert f"- knees: {untrusted} of {len(knees)} settings are not to be trusted" in found.warnings()
    assert f"in {len(knees) - untrusted} of {len(knees)} settings" in found.finding()


def make(**labels):
    found = Reliability()
    found.tables = {
        name: pd.DataFrame({"label": labels[name]}) if name in labels else pd.DataFrame({"share": [0.5]})
        for name in found.tables
    }
    return found


def test_settings_that_are_not_to_be_trusted_are_told_apart_from_those_that_are_too_wide():
    narrow, wide = "not to be trusted: too narrow", "not to be trusted: wider than stated"
    found = make(coverage=[narrow, wide, wide, "as stated"], knees=["as stated"], errors=["not to be trusted"])
    assert found.warnings().splitlines() == [
        "- coverage: 1 of 4 settings are not to be trusted, 2 are wider than stated.",
        "- errors: 1 of 1 settings are not to be trusted.",
    ]
    assert make(knees=["as stated"]).warnings() == "All settings hold what they state."


def test_shares_have_three_digits_and_heads_no_underscores():
    found = make()
    found.tables = {"knees": pd.DataFrame({"within_one": [0.98765], "n": [5]})}
    (table,) = found.show()
    assert table.shown.to_dict("list") == {"within one": ["0.988"], "n": [5]}
    assert table.numbers.within_one.tolist() == [0.98765]


def test_the_cost_of_the_simulations_is_told():
    assert re.fullmatch(r"Running these simulations again takes \d+ s of one core\.", Reliability().costs())
