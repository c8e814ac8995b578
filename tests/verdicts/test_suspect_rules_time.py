"""A trial is suspect if it was short, or if the clock was set while it ran."""

import pytest
from observations import WRITE, with_thresholds

from coldcache.verdicts.judge import judge
from coldcache.verdicts.observation import measured_seconds


def test_a_run_shorter_than_the_sites_threshold_is_suspect(trial):
    found = trial(WRITE)
    seconds = measured_seconds(found, "write")
    assert judge(with_thresholds(found, shortest_run=seconds)).verdict == "valid"
    judgement = judge(with_thresholds(found, shortest_run=10 * seconds))
    assert (judgement.verdict, judgement.codes) == ("suspect", ("too-short",))
    short = f"write was measured over {seconds:.2g} s, less than {10 * seconds:g} s: "
    assert judgement.reasons[0].startswith(short)


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.998, "0.998"), (0.99996, "0.99996"), (0.54, "0.54"), (0.949, "0.95")]
)
def test_a_run_that_is_hardly_too_short_is_shown_with_the_digits_that_say_so(trial, monkeypatch, seconds, shown):
    monkeypatch.setattr("coldcache.verdicts.suspect_rules.measured_seconds", lambda *_: seconds)
    judgement = judge(with_thresholds(trial(WRITE), shortest_run=1))
    assert judgement.reasons[0].startswith(f"write was measured over {shown} s, less than 1 s: ")


@pytest.mark.parametrize(("step", "verdict"), [(0.4, "valid"), (-0.4, "valid"), (2.0, "suspect"), (-2.0, "suspect")])
def test_a_clock_that_was_set_during_the_run_makes_it_suspect(trial, step, verdict):
    found = trial(WRITE)
    judgement = judge(trial(WRITE, seconds=found.outcome.seconds - step))
    assert judgement.verdict == verdict, judgement.reasons
    if verdict == "suspect":
        assert judgement.codes == ("clock-step",)
        assert judgement.reasons[0].startswith(f"the clock was set by {step:+.1f} s during the run")
