"""The page on validity lists every trial that is not valid, and counts missing ones."""

import csv

from html_pages import Page


def _list_repetitions(text: str) -> list[str]:
    """Return the repetitions that a page names, such as ``r0, r2 to r4``."""
    found = []
    for part in text.split(", "):
        first, _, last = part.partition(" to ")
        found += [f"r{number}" for number in range(int(first[1:]), int((last or first)[1:]) + 1)] if last else [first]
    return found


def test_every_trial_that_is_not_valid_is_on_the_page_on_validity(reference_report):
    rows = Page(reference_report / "validity.html").rows
    with (reference_report.parent / "reasons.csv").open(newline="") as file:
        trials = list(csv.DictReader(file))
    assert trials
    shown = {
        (case, repetition, verdict, reason)
        for case, repetitions, verdict, reason in (row for row in rows if len(row) == 4)
        for repetition in _list_repetitions(repetitions)
    }
    for trial in trials:
        assert (trial["case"], f"r{trial['repetition']}", trial["verdict"], trial["reasons"]) in shown


def test_trials_that_are_missing_are_counted_and_named(render_hostile):
    report = render_hostile()
    assert "195 runs: 5 clean, 190 missing." in Page(report / "index.html").text
    rows = Page(report / "validity.html").rows
    assert ["quick/random", "30", "5", "0", "0", "25"] in rows
    assert ["other/random", "30", "0", "0", "0", "30"] in rows
    assert ["all", "195", "5", "0", "0", "190"] in rows
    assert ["quick", "165", "5", "0", "0", "160"] in rows
    assert ["not-run", "190", "the trial has not been measured yet.", "start the campaign again"] in rows
    assert rows.count(["operation=random-read,threads=2", "r0 to r4", "missing", "not measured yet"]) == 2


def test_rules_are_listed_by_the_number_of_trials_with_a_remedy(reference_report):
    rows = [row for row in Page(reference_report / "validity.html").rows if len(row) == 4 and row[1].isdigit()]
    assert [row[0] for row in rows[:2]] == ["too-short", "above-ceiling"]
    assert rows[0][2:] == [
        "the run was so short that starting and stopping affect the figure.",
        "raise seconds or file_size",
    ]
    counts = [int(row[1]) for row in rows]
    assert counts == sorted(counts, reverse=True)
    with (reference_report.parent / "verdicts.csv").open(newline="") as file:
        codes = [code for row in csv.DictReader(file) for code in row["codes"].split()]
    assert sum(counts) == len(codes)
