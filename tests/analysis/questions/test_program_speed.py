"""What the bench has stored, as the page on the program's own speed shows it."""

import pytest

from coldcache.analysis.questions.program_speed import STORED, Speed, latest, read_entries
from coldcache.analysis.questions.program_speed_goals import FIGURES
from coldcache.core.errors import NoData


def entry(figure, value, commit, machine="a", **more):
    return {
        "figure": figure, "value": value, "floor": 0.5, "low": None, "high": None, "peers": {}, "commit": commit,
        "date": "2026-11-22", "machine": machine, "load": 1.0, **more,
    }  # fmt: skip


ENTRIES = [
    entry("plan-seconds", 9.0, "first", machine="b"),
    entry("plan-seconds", 6.0, "first"),
    entry("help-seconds", 0.1, "first"),
    entry("logs-rate", 5000.0, "second", floor=8000.0),
    entry("plan-seconds", 3.0, "second"),
]


def test_the_newest_figure_of_each_kind_is_shown_in_the_order_of_the_goals():
    speed = Speed(ENTRIES)
    assert [(name, found["value"]) for name, found in speed.newest.items()] == [
        ("plan-seconds", 3.0), ("logs-rate", 5000.0), ("help-seconds", 0.1),
    ]  # fmt: skip
    assert speed.finding() == (
        "2 of 3 goals for the program itself are kept on a (2026-11-22). Missed: logs of all tools read, mixed, on two "
        "cores."
    )
    shown = speed.tabulate_goals().shown
    assert list(shown.measured) == ["3 s", "5,000 1/s", "0.1 s"]
    missed = FIGURES["logs-rate"].describe_miss(5000.0, 8000.0)
    assert list(shown["missed"]) == ["", missed, ""] and "8,000 1/s" in missed
    assert speed.title() == "2 of 3 goals are kept"
    shares = speed.list_shares()
    assert shares.what.tolist()[0] == "plan of 100,000 trials: 3 s"
    assert shares.share.tolist() == pytest.approx([0.6, 2, 1 / 3])


def test_a_trend_is_of_what_was_measured_at_two_commits_of_one_machine():
    speed = Speed(ENTRIES)
    assert speed.trend().to_dict() == {"plan-seconds": {"first": 6.0, "second": 3.0}}
    assert speed.describe_trend() == "Over 2 commits this changed most, 0.50 times: plan of 100,000 trials"
    assert speed.tabulate_trend().shown.values.tolist() == [["plan of 100,000 trials", "6 s", "3 s"]]
    assert speed.list_trend().to_dict("records") == [
        {"what": "plan of 100,000 trials, s", "commit": "first", "value": 6.0, "most": 5},
        {"what": "plan of 100,000 trials, s", "commit": "second", "value": 3.0, "most": 5},
    ]


@pytest.mark.filterwarnings("error")
def test_a_figure_that_was_zero_has_no_ratio():
    speed = Speed([*ENTRIES, entry("disturbance-io", 0.0, "first"), entry("disturbance-io", 0.0, "second")])
    assert speed.describe_trend() == "Over 2 commits this changed most, 0.50 times: plan of 100,000 trials"


def test_one_commit_has_no_trend():
    speed = Speed(ENTRIES[1:3])
    assert speed.list_trend().empty
    assert speed.describe_trend() is None
    assert speed.tabulate_trend().shown.empty


def test_without_a_figure_there_is_no_answer():
    with pytest.raises(NoData, match="make bench STORE=1 has kept no figure"):
        Speed([])


def test_what_is_stored_is_read():
    entries = read_entries()
    assert STORED.name == "program_speed.jsonl"
    assert Speed().newest == latest(found for found in entries if found["machine"] == entries[-1]["machine"])


def test_tables_hold_figures_with_goals_floors_and_commits():
    speed = Speed([*ENTRIES, entry("dry-run-growth", 2.0, "third+", floor=None)])
    goals = speed.tabulate_goals()
    assert goals.caption == "Each figure with its goal and its floor, on a"
    assert goals.shown.columns.tolist() == ["what", "measured", "goal", "missed", "floor", "commit"]
    assert goals.shown.values.tolist()[0] == [
        "plan of 100,000 trials", "3 s", "≤ 5", "", "0.5 s: a loop over the levels that prints a line per trial",
        "second",
    ]  # fmt: skip
    assert goals.shown.set_index("commit").loc["third+"].tolist() == [
        "dry run of 1,000,000 trials against 100,000 (1 = linear)", "2", "≤ 1.1", "missed", "",
    ]  # fmt: skip
    assert goals.numbers.columns.tolist() == [
        "figure", "value", "floor", "low", "high", "commit", "date", "load", "unit", "least", "most",
    ]  # fmt: skip
    rates = goals.numbers.set_index("figure").loc["logs-rate"]
    assert (rates.value, rates.floor, rates.unit, rates.least, rates.load) == (5000, 8000, "1/s", 10_000, 1)
    assert speed.tabulate_trend().caption == "The same figures commit by commit; + marks files that differ"
    assert speed.list_shares().columns.tolist() == ["what", "share", "row"]
    assert speed.list_shares().row.tolist() == [0, 1, 2, 3]


def test_the_figure_that_changed_most_is_told_and_a_commit_with_changed_files_has_a_mark():
    first, second = "0123456789", "abcdef0123+"
    speed = Speed([
        entry("plan-seconds", 4.0, first), entry("plan-seconds", 3.0, second), entry("logs-rate", 100.0, first),
        entry("logs-rate", 180.0, second), entry("help-seconds", 0.1, first),
    ])  # fmt: skip
    assert speed.describe_trend() == (
        "Over 2 commits this changed most, 1.80 times: logs of all tools read, mixed, on two cores"
    )
    assert speed.list_trend().iloc[1:3, :3].values.tolist() == [
        ["plan of 100,000 trials, s", "abcdef0+", 3.0],
        ["logs of all tools read, mixed,\non two cores, 1/s", "0123456", 100.0],
    ]
    assert speed.list_trend().columns.tolist() == ["what", "commit", "value", "most"]
    assert speed.title() == "2 of 3 goals are kept"
    assert speed.finding().endswith(" Missed: logs of all tools read, mixed, on two cores.")
    assert Speed([entry("plan-seconds", 5.0, first)]).finding() == (
        "1 of 1 goals for the program itself are kept on a (2026-11-22)."
    )
