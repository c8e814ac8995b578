"""docs/reference-campaign.md quotes how many trials of the campaign are judged otherwise than when it was sealed."""

import csv


def test_the_page_states_how_many_trials_are_judged_otherwise(root, reference_report):
    page = " ".join((root / "docs/reference-campaign.md").read_text().split())
    with (reference_report.parent / "verdicts.csv").open(newline="") as file:
        trials = len(list(csv.DictReader(file)))
    with (reference_report.parent / "rejudged.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    others = [row for row in rows if row["before"] != row["verdict"]]
    assert f"{len(rows)} of {trials} trials are judged otherwise, {len(others)} of them with another verdict" in page
    void = [row for row in rows if row["verdict"] == "void" and "coarse-clock" in row["codes"].split()]
    above = [row for row in rows if "above-ceiling" in row["codes"].split()]
    assert f"{len(void)} are void because" in page and f"{len(above)} are above the target's ceiling" in page
    alike = [row for row in rows if row["codes_before"] == "slow-process-hidden" and not row["codes"]]
    assert len(alike) == 5 and "Five are valid because the processes of a trial" in page
