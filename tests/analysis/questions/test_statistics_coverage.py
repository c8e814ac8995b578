"""The page on the statistics shows every table of the simulation, and marks what is not to be trusted."""

from coldcache.analysis.questions.statistics_coverage import CAPTIONS, Reliability
from coldcache.statistics.simulation.stored_tables import TABLES


def test_every_table_is_shown_with_what_it_holds():
    tables = Reliability().show()
    assert [table.caption for table in tables] == [CAPTIONS[name] for name in TABLES]


def test_coverage_that_is_too_narrow_is_marked():
    found = Reliability()
    shown, stored = found.show()[0].shown, found.tables["coverage"]
    narrow = stored[stored.label == "not to be trusted: too narrow"]
    assert len(narrow)
    marked = [
        (row.statistic, row.method, row.noise, n)
        for row, cells in zip(shown.itertuples(), shown.to_dict("records"), strict=True)
        for n in shown.columns[3:]
        if cells[n].endswith("†")
    ]
    assert sorted(marked) == sorted(narrow[["statistic", "method", "noise", "n"]].itertuples(index=False, name=None))


def test_sentences_follow_from_the_tables():
    found = Reliability()
    knees = found.tables["knees"]
    untrusted = (knees.label == "not to be trusted").sum()
    assert f"- knees: {untrusted} of {len(knees)} settings are not to be trusted" in found.warnings()
    assert f"in {len(knees) - untrusted} of {len(knees)} settings" in found.finding()
