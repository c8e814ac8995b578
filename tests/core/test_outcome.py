"""What `trial.json` states is a typed outcome, and what this version does not know is kept or refused."""

import pytest

from coldcache.core.outcome import Counters, Failure, Outcome

STATED = {
    "format": 1, "study": "s", "sweep": "w", "case": "c", "repetition": 2, "operations": ["read"],
    "factors": {"threads": 1}, "tool": "fio", "tool_version": None, "settings": {}, "failure": None,
    "timed_out": False, "time_limit": 20.0, "exit_status": 0, "start": None, "end": None, "seconds": None,
    "counters": None,
}  # fmt: skip


def test_what_is_not_stated_has_a_default():
    outcome = Outcome.from_json(STATED)
    assert outcome == Outcome("s", "w", "c", 2, ("read",), {"threads": 1}, "fio", time_limit=20.0, exit_status=0)
    assert outcome.key == "s/w/c/r2"
    assert (outcome.host, outcome.kernel, outcome.cores, outcome.filesystem) == (None, None, None, None)
    assert (outcome.started, outcome.ended, outcome.fill_level) == (None, None, None)


def test_keys_of_a_later_version_are_kept():
    outcome = Outcome.from_json({**STATED, "weather": "fine"})
    assert outcome.more == {"weather": "fine"}
    assert list(outcome.to_json().items())[-1] == ("weather", "fine")
    assert outcome._replace(more={}) == Outcome.from_json(STATED)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"format": 2}, "it is of format 2, this version reads 1"),
        ({"failure": {"code": "x"}}, "missing 1 required positional argument: 'message'"),
        ({"counters": 3}, "argument after ** must be a mapping, not int"),
        ({"settings": [1]}, "has no attribute 'items'"),
        ({"operations": None}, "not iterable"),
    ],
)
def test_a_part_of_another_shape_is_refused(changed, reason):
    with pytest.raises(ValueError, match=reason.replace("*", r"\*")):
        Outcome.from_json({**STATED, **changed})


def test_a_counter_that_a_target_lacks_has_no_difference():
    counters = Counters({"read_bytes": 5}, {"read_bytes": 12})
    assert (counters.difference("read_bytes"), counters.difference("flushes")) == (7, None)


def test_nested_parts_are_typed():
    failure = {"code": "target-lost", "message": "gone"}
    assert Outcome.from_json({**STATED, "failure": failure}).failure == Failure("target-lost", "gone")
