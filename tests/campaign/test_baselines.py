"""A trial is compared with the first one of its tool, its machine and its sweep."""

import pytest
from observed import observe

from coldcache.campaign.baselines import Baselines
from coldcache.verdicts.drift import Drift, Moment


def trial(second, **fields):
    return observe(start=f"2026-01-01T00:00:{second:02}+00:00", **fields).outcome


def machine(name, kernel="6.1"):
    return {"cores": 2, "host": name, "kernel": kernel}


def test_the_first_trial_in_time_is_the_baseline_whatever_their_order():
    first = trial(1, tool_version="3.33", system=machine("a"), free_bytes=60, own_bytes=0, size_bytes=100)
    later = trial(2, tool_version="3.36", system=machine("a", "6.2"), free_bytes=20, own_bytes=0, size_bytes=100)
    baseline = Baselines([later, first]).of(later)
    assert (baseline.tool_version, baseline.kernel, baseline.fill) == ("3.33", "6.1", pytest.approx(0.4))
    assert baseline.drift is None


def test_tools_machines_and_sweeps_have_baselines_of_their_own():
    fio = trial(1, tool_version="3.33", system=machine("a"), free_bytes=60, own_bytes=0)
    ior = trial(2, tool="ior", tool_version="4.0.0", system=machine("b", "5.10"), sweep="x", free_bytes=50, own_bytes=0)
    baselines = Baselines([fio, ior])
    assert baselines.of(ior)[:2] == ("4.0.0", "5.10")
    assert (baselines.of(fio).fill, baselines.of(ior).fill) == (pytest.approx(0.4), pytest.approx(0.5))


def test_what_no_trial_recorded_has_no_baseline():
    bare = trial(1, tool_version=None, system=None, size_bytes=None)
    assert Baselines([bare]).of(bare)[:3] == (None, None, None)


def test_a_trial_that_never_started_is_no_baseline_and_has_no_drift():
    waiting = trial(1, tool_version="1.0")._replace(start=None)
    drift = Drift([Moment("2026-01-01T00:00:00+00:00", 1.0)])
    baselines = Baselines([waiting], {"s": drift})
    assert baselines.of(waiting)[:1] == (None,)
    assert baselines.of(waiting).drift is None
