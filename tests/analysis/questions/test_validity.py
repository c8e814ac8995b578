"""What speaks for a campaign and what against it."""

from dataclasses import replace

import pandas as pd
import pytest

from coldcache.analysis.questions.validity import Validity, open_validity


@pytest.fixture
def sound(invent):
    return open_validity(invent("dell-lustre", "sequential random"), "dell-lustre")


def test_trials_are_counted_by_verdict(sound):
    assert sound.verdicts.sweep.tolist() == ["sequential", "random"]
    assert sound.summary() == "118 of 118 trials are valid."
    assert sound.objections.empty


def test_coverage_tells_what_of_the_document_is_measured(sound):
    assert sound.coverage.set_index("item").state["fig 11"] == "measured"
    assert sound.coverage.set_index("item").state["fig 12"] == "not run"
    assert sound.describe_coverage() == "Of 14 tables, figures and sections: 2 measured, 3 published only, 9 not run."


def test_each_trial_is_held_against_the_median_of_its_case(sound):
    assert len(sound.residuals) == 156
    # Trials that differ by 1 % lie half a per cent above and below their median.
    assert sound.residuals.ratio.min() == pytest.approx(1 / 1.005)
    assert sound.residuals.ratio.max() == pytest.approx(1.01 / 1.005)


def test_no_drift_is_found_where_trials_alternate(sound):
    assert sound.describe_drift() == "No drift is shown in any of 2 sweeps"


def test_a_drift_is_told_with_its_size(sound):
    drifts = pd.DataFrame({"sweep": ["a", "b"], "trials": [9, 9], "change": [-0.25, 0.01], "p": [0.01, 1.0]})
    told = replace(sound, drifts=drifts).describe_drift()
    assert told == "1 of 2 sweeps drifts, a by \N{MINUS SIGN}25 % from its first trial to its last"


def test_nothing_is_told_of_others_that_disturbed_no_trial(sound: Validity):
    objections = pd.DataFrame({"rule": ["too-short"], "sweep": ["a"], "trials": [5]})
    assert replace(sound, objections=objections).describe_interference() is None


def test_objections_of_others_at_work_are_interference(sound: Validity):
    objections = pd.DataFrame({"rule": ["busy-machine", "too-short"], "sweep": ["a", "a"], "trials": [1, 5]})
    assert replace(sound, objections=objections).describe_interference() == (
        "Others at work on the machine or the device disturbed a trial once."
    )
