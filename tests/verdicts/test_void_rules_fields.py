"""Each rule that makes a trial void, at the one field that it looks at."""

import pytest
from observed import observe, record

from coldcache.verdicts import void_rules as void
from coldcache.verdicts.observation import Baseline
from coldcache.verdicts.thresholds import Thresholds

FAILED = {"code": "preparation-failed", "message": "no space"}
LOST = {"code": "target-lost", "message": "unmounted"}
IN_FORCE = {"write_cache": {"asked": "on", "read": "on", "read_after": "on"}}


def test_a_trial_that_went_well_has_no_objection():
    rules = [
        rule for rule in vars(void).values() if callable(rule) and getattr(rule, "__module__", "") == void.__name__
    ]
    assert len(rules) == 11
    assert [rule(observe(settings=IN_FORCE, baseline=Baseline("3.33"))) for rule in rules] == [None] * 11


def test_a_failure_is_of_the_preparation_or_of_the_target():
    assert void.preparation_failed(observe(failure=FAILED)) == "no space"
    assert void.preparation_failed(observe(failure=LOST)) is None
    assert void.target_lost(observe(failure=LOST)) == "unmounted"
    assert void.target_lost(observe(failure=FAILED)) is None


@pytest.mark.parametrize(
    ("level", "finding"),
    [
        ({"asked": "on", "read": "off"}, "write_cache was to be on, the system says off"),
        ({"asked": "on", "read": "on"}, None),
        ({"asked": "on", "read": "on", "read_after": "off"}, "write_cache was on before the run and off after it"),
    ],
)
def test_a_level_that_was_not_in_force_voids_a_trial(level, finding):
    assert void.setting_not_in_force(observe(settings={"write_cache": level})) == finding


def test_a_tool_that_had_to_be_ended_voids_a_trial():
    assert void.time_limit(observe(timed_out=True)) == "ended after 20 s"
    assert void.time_limit(observe(timed_out=True, time_limit=1.5)) == "ended after 1.5 s"


@pytest.mark.parametrize(
    ("status", "finding"), [(0, None), (None, None), (1, "exit status 1"), (-9, "killed by signal 9")]
)
def test_the_exit_status_of_a_tool_is_told(status, finding):
    assert void.exit_status(observe(exit_status=status)) == finding
    assert void.exit_status(observe(exit_status=status, timed_out=True)) is None


def test_a_refused_log_is_an_objection_where_nothing_else_explains_it():
    assert void.log_refused(observe(refusal="line 2: no number")) == "line 2: no number"
    assert void.log_refused(observe(refusal="line 2", failure=FAILED)) is None
    off = {"write_cache": {"asked": "on", "read": "off"}}
    assert void.log_refused(observe(refusal="line 2", settings=off)) is None


def test_a_log_must_state_what_was_measured():
    assert void.wrong_operation(observe(operations=["write", "append", "read"])) == "the log states no append, write"
    assert void.wrong_operation(observe(operations=["write"], refusal="line 2")) is None
    assert void.wrong_operation(observe(operations=["write"], failure=FAILED)) is None


def test_a_harness_that_contradicts_its_tool_voids_a_trial():
    assert void.contradicted(observe(contradiction="2 against 3")) == "2 against 3"


@pytest.mark.parametrize(
    ("second", "is_ambiguous"),
    [
        (record(), True), (record(value=5.0), True), (record("elapsed", 1.0), False), (record(statistic="max"), False),
        (record(operation="write"), False), (record(definition="other"), False), (record(repetition=1), False),
        (record("rate", 1.0), False),
    ],
)  # fmt: skip
def test_a_log_with_two_figures_of_one_thing_is_ambiguous(second, is_ambiguous):
    finding = void.ambiguous_figure(observe(records=[record(), second]))
    said = "the log states several figures of read for the same factors, such as of several jobs"
    assert finding == (said if is_ambiguous else None)
    assert (void.ambiguous_figure(observe(records=[record("rate", 1.0), record("rate", 2.0)])) is None) is False


@pytest.mark.parametrize(
    ("before", "story", "logged", "tool", "finding"),
    [
        ("3.33", "3.33", "3.33", "fio", None), (None, "3.34", "3.34", "fio", None),
        ("3.33", "3.34", "3.33", "fio", "fio 3.34 ran, 3.33 when the campaign began"),
        ("3.33", "3.33", "3.35", "fio", "fio 3.35 ran, 3.33 when the campaign began"),
        ("3.33", None, "3.35", "fio", "fio 3.35 ran, 3.33 when the campaign began"),
        ("3.33", None, None, "fio", None), ("3.33", "3.33", "3.35", "ior", None),
        ("3.489", "3.489", "3.490", "iozone", "iozone 3.490 ran, 3.489 when the campaign began"),
    ],
)  # fmt: skip
def test_a_tool_of_another_version_voids_a_trial(before, story, logged, tool, finding):
    trial = observe(tool=tool, tool_version=story, records=[record(tool=tool, tool_version=logged)])
    assert void.tool_changed(trial._replace(baseline=Baseline(before))) == finding


@pytest.mark.parametrize(
    ("tick", "seconds", "finding"),
    [
        (1e-3, 0.003, "read was measured over 3 ticks of fio's clock (1.00 ms each), less than 100"),
        (1e-3, 0.099, "read was measured over 99 ticks of fio's clock (1.00 ms each), less than 100"),
        (1e-3, 0.1, None),
        (1e-6, 0.003, None),
        (None, 0.003, None),
    ],
)
def test_an_interval_of_few_ticks_is_void(tick, seconds, finding):
    trial = observe(records=[record(), record("elapsed", seconds)])._replace(tick=tick)
    found = void.coarse_clock(trial)
    assert found is None if finding is None else found.startswith(f"{finding}: measure with SIZE=")
    assert void.coarse_clock(trial._replace(records=[])) is None


@pytest.mark.parametrize(("shortest_run", "times"), [(1e-3, 7), (1.0, 63)])
def test_an_interval_of_few_ticks_is_to_last_a_hundred_or_as_long_as_the_site_asks(shortest_run, times):
    """Half as long again as 100 ticks of 1 ms is 6.25 times 24 ms; half as long again as 1 s is 62.5 times."""
    rows = [record(), record("elapsed", 0.024)]
    trial = observe(
        records=rows, scale="scaled down: 1/10 of the size", thresholds=Thresholds(shortest_run=shortest_run)
    )
    assert void.coarse_clock(trial._replace(tick=1e-3)).endswith(
        f"less than 100: make limits.trial_seconds of the site {times} times as long"
    )
