"""A program that is called says why it fails, and has a time limit."""

import pytest

from coldcache.measure.model.calls import call, join_values, wait_for
from coldcache.measure.model.errors import ModelError


def test_the_output_of_a_program_is_returned():
    assert call("echo", 1, "two") == "1 two\n"
    assert call("cat", text="given") == "given"


def test_a_log_takes_the_output_of_a_program_that_leaves_a_process_behind(tmp_path):
    said = call("sh", "-c", "echo told; sleep 60 &", seconds=20, log=tmp_path / "log")
    assert said == ""
    assert (tmp_path / "log").read_text() == "told\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("sh", "-c", "echo first >&2; echo last >&2; exit 3"), "sh -c .*: last"),
        (("sh", "-c", "echo said; exit 1"), ": said"),
        (("false",), "false: status 1"),
        (("no-such-program",), "no-such-program is missing: python -m coldcache.measure.model check"),
    ],
)
def test_a_program_that_fails_says_why(words, message):
    with pytest.raises(ModelError, match=message):
        call(*words)


def test_a_program_that_does_not_end_is_ended():
    with pytest.raises(ModelError, match=r"sleep 60: no end after 0.1 s"):
        call("sleep", 60, seconds=0.1)


def test_waiting_ends_when_it_is_so_or_when_the_time_is_over():
    answers = iter((False, False, True))
    wait_for("the mount", lambda: next(answers), pause=0)
    with pytest.raises(ModelError, match=r"the mount: not so after 0.01 s"):
        wait_for("the mount", lambda: False, seconds=0.01, pause=0)


def test_values_are_joined_for_a_message():
    assert join_values([1, "two"]) == "1, two"
