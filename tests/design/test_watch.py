"""The trials between two of the sentinel's are those that it watches."""

from drafts import expand, make_study, sweep

from coldcache.design.blocks import Block
from coldcache.design.cases import Trial
from coldcache.design.watch import find_watches

CASES = {case.sweep: case for case in expand(make_study(2, probe=sweep(), other=sweep()))}
PROBE = CASES["probe"]._replace(sentinel_every=2, repetitions=3)
OTHER = CASES["other"]


def watch(*trials):
    return find_watches([Block("s", tuple(trials))])


def test_a_campaign_without_a_sentinel_has_no_watch():
    assert watch(Trial(OTHER, 0), Trial(OTHER, 1)) == {}


def test_each_stretch_holds_the_trials_up_to_the_next_of_the_sentinel():
    found = watch(Trial(PROBE, 0), Trial(OTHER, 0), Trial(OTHER, 1), Trial(PROBE, 1), Trial(PROBE, 2))["s"]
    assert [trial.repetition for trial in found.trials] == [0, 1, 2]
    assert [[trial.repetition for trial in stretch] for stretch in found.stretches] == [[0, 1], [], []]
    assert found.blocks == ["s", "s", "s"]
    assert found.again == {}


def test_trials_of_the_sentinel_in_rounds_measured_again_know_their_round():
    found = watch(
        Trial(PROBE, 0), Trial(OTHER, 0), Trial(OTHER, 1), Trial(PROBE, 1), Trial(PROBE, 2),
        Trial(PROBE, 3), Trial(OTHER, 2), Trial(PROBE, 4), Trial(OTHER, 3), Trial(PROBE, 5),
    )["s"]  # fmt: skip
    # The two repetitions of the other case beyond its design are rounds 0 and 1; the last of the sentinel ends round 1.
    assert found.again == {3: 0, 4: 1, 5: 1}
    assert [trial.repetition for trial in found.trials] == [0, 1, 2]
