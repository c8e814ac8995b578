"""Each rule makes a trial void that was really run, once the one field that it looks at says so."""

import pytest
from observations import CACHE, CREATE, READ, WRITE

from coldcache.core.outcome import Failure, SettingReading
from coldcache.verdicts.judge import judge


@pytest.mark.parametrize(
    ("key", "field", "value", "verdict", "code", "reason"),
    [
        (
            WRITE, "failure", Failure("preparation-failed", "[Errno 5] Input/output error"),
            "void", "preparation-failed", "[Errno 5] Input/output error",
        ),
        (
            CACHE, "settings", {"write_cache": SettingReading("unsafe", "writeback")},
            "void", "setting-not-in-force", "write_cache was to be unsafe, the system says writeback",
        ),
        (WRITE, "timed_out", True, "void", "time-limit", "ended after 20 s"),
        (WRITE, "exit_status", 1, "void", "exit-status", "exit status 1"),
        (WRITE, "exit_status", 255, "void", "exit-status", "exit status 255"),
        (WRITE, "exit_status", -11, "void", "exit-status", "killed by signal 11"),
        (READ, "operations", ("write",), "void", "wrong-operation", "the log states no write"),
        (CREATE, "operations", ("file-stat",), "void", "wrong-operation", "the log states no file-stat"),
    ],
)  # fmt: skip
def test_one_field_makes_a_trial_void(trial, key, field, value, verdict, code, reason):
    judgement = judge(trial(key, **{field: value}))
    assert (judgement.verdict, judgement.codes, judgement.reasons) == (verdict, (code,), (reason,))


def test_a_refused_log_makes_a_trial_void_with_the_cause(trial):
    found = trial(WRITE)._replace(records=[], refusal="fio says 'fio: terminating on signal 15'")
    judgement = judge(found)
    assert judgement.verdict == "void"
    assert judgement.codes[0] == "log-refused"
    assert judgement.reasons[0] == "fio says 'fio: terminating on signal 15'"
    assert judgement.cold == "not applicable"


def test_a_log_that_states_nothing_makes_a_trial_void(trial):
    judgement = judge(trial(WRITE)._replace(records=[]))
    assert (judgement.verdict, judgement.codes) == ("void", ("wrong-operation",))
    assert judgement.reasons == ("the log states no write",)


def test_a_refused_log_is_no_reason_of_its_own_where_nothing_was_run(trial):
    failure = Failure("setting-failed", "qemu-nbd ends at once")
    judgement = judge(trial(CACHE, failure=failure)._replace(records=[], refusal="stdout.txt cannot be read"))
    assert (judgement.verdict, judgement.codes) == ("void", ("preparation-failed",))
