"""What speaks for a campaign and what against it."""

from dataclasses import replace

import pandas as pd
import pytest

from coldcache.analysis.questions.validity import StudyValidity, open_validity
from coldcache.dataset.reader import open_table


@pytest.fixture
def sound(invent):
    return open_validity(invent("dell-lustre", "sequential random"), "dell-lustre")


def test_trials_are_counted_by_verdict(sound):
    assert sound.verdicts.sweep.tolist() == ["sequential", "random"]
    assert sound.summary() == "295 runs: 295 clean."
    assert sound.objections.empty


def test_coverage_tells_what_of_the_document_is_measured(sound):
    assert sound.coverage.set_index("item").state["fig 11"] == "measured"
    assert sound.coverage.set_index("item").state["fig 12"] == "not run"
    assert sound.describe_coverage() == "Of 14 tables, figures and sections: 2 measured, 3 published only, 9 not run."


def test_each_trial_is_held_against_the_median_of_its_case(sound):
    # A trial that writes and reads at random has one ratio.
    assert len(sound.residuals) == 295
    # Trials that differ by 1 % lie half a per cent above and below their median.
    assert sound.residuals.ratio.min() == pytest.approx(1 / 1.005)
    assert sound.residuals.ratio.max() == pytest.approx(1.01 / 1.005)


def test_trials_lie_at_the_minutes_since_the_first_one(sound, invent):
    verdicts = open_table(invent("dell-lustre", "sequential random"), "verdicts", "dell-lustre")
    started = pd.to_datetime(verdicts.start, utc=True)
    assert sound.residuals.minutes.min() == 0
    assert sound.residuals.minutes.max() == pytest.approx((started.max() - started.min()).total_seconds() / 60)


def test_no_drift_is_found_where_trials_alternate(sound):
    assert sound.describe_drift() == "No drift is shown in any of 2 sweeps"


def test_a_drift_is_told_with_its_size(sound):
    drifts = pd.DataFrame({"sweep": ["a", "b"], "trials": [9, 9], "change": [-0.25, 0.01], "p": [0.01, 1.0]})
    told = replace(sound, drifts=drifts).describe_drift()
    assert told == "1 of 2 sweeps changed pace while it ran: a \N{MINUS SIGN}25 %"


def test_nothing_is_told_of_others_that_disturbed_no_trial(sound: StudyValidity):
    objections = pd.DataFrame({"rule": ["too-short"], "sweep": ["a"], "trials": [5]})
    assert replace(sound, objections=objections).describe_interference() is None


def test_objections_of_others_at_work_are_interference(sound: StudyValidity):
    objections = pd.DataFrame({"rule": ["busy-machine", "too-short"], "sweep": ["a", "a"], "trials": [1, 5]})
    assert replace(sound, objections=objections).describe_interference() == (
        "Others at work on the machine or the device disturbed a trial once."
    )


def test_flagged_and_lost_runs_are_counted_and_reads_that_came_from_memory(sound: StudyValidity):
    verdicts = pd.DataFrame({
        "sweep": ["a", "b"], "trials": [6, 4], "valid": [3, 2], "suspect": [1, 1], "void": [1, 1], "missing": [1, 0],
        "reads": [4, 0], "cold": [3, 0],
    })  # fmt: skip
    assert replace(sound, verdicts=verdicts).summary() == (
        "10 runs: 5 clean, 2 flagged, 2 void, 1 missing. 3 of 4 reads are proved cold."
    )
    verdicts["cold"] = verdicts.reads
    told = replace(sound, verdicts=verdicts).summary()
    assert told.endswith(" All 4 reads are proved cold.")


def test_every_sweep_that_changed_pace_is_listed_the_worst_first(sound: StudyValidity):
    drifts = pd.DataFrame({"sweep": list("abc"), "trials": 9, "change": [0.1, -0.3, 0.01], "p": [0.01, 0.02, 1.0]})
    assert replace(sound, drifts=drifts).describe_drift() == (
        "2 of 3 sweeps changed pace while they ran: b \N{MINUS SIGN}30 %, a +10 %"
    )
