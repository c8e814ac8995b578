"""Each rule turns the verdict of a trial that was really run, once the one field that it looks at says so."""

import copy
import json
import math
import re
from pathlib import Path

import pytest

from coldcache.core.vocabulary import COLD_VERDICTS, VERDICTS
from coldcache.tools import find_tool
from coldcache.verdicts.cold_proof import judge_cold
from coldcache.verdicts.judge import RULES, judge
from coldcache.verdicts.observation import Observation, measured_seconds
from coldcache.verdicts.thresholds import Thresholds

READ = "tiny/transfers/operation=read,threads=2/r0"
WRITE = "tiny/transfers/operation=write,threads=1/r0"
CACHE = "tiny/cache/write_cache=unsafe/r0"
CREATE = "tiny/files/operation=file-create/r0"


def load(folder, shortest_run=0.001, cold_share=0.9):
    story = json.loads((folder / "trial.json").read_text())
    records = find_tool(story["tool"]).read((folder / "stdout.txt").read_bytes())
    quiet = {"foreign_share": 1e6, "load_per_core": 1e6, "least_free": 0.0, "foreign_cpu": 1e6}
    return Observation(story, records, "", Thresholds(shortest_run=shortest_run, cold_share=cold_share, **quiet))


def doubting(found, **thresholds):
    """Return a trial as a site with other thresholds sees it."""
    return found._replace(thresholds=found.thresholds.model_copy(update=thresholds))


@pytest.fixture
def trial(measured):
    def loaded(key, **altered):
        found = load(Path("raw/tiny") / key)
        assert judge(found).verdict == "valid", judge(found)
        story = copy.deepcopy(found.story)
        for field, value in altered.items():
            assert field in story
            story[field] = value
        return found._replace(story=story)

    return loaded


def test_a_trial_that_went_well_is_valid_whatever_it_measured(trial):
    for key in (READ, WRITE, CACHE, CREATE):
        judgement = judge(trial(key))
        assert (judgement.verdict, judgement.codes, judgement.reasons) == ("valid", (), ())
        assert judgement.cold in COLD_VERDICTS


def test_each_rule_has_a_code_of_its_own_and_a_verdict():
    codes = [code for code, _, _ in RULES]
    assert len(set(codes)) == len(codes)
    assert {verdict for _, verdict, _ in RULES} <= set(VERDICTS)


@pytest.mark.parametrize(
    ("key", "field", "value", "verdict", "code", "reason"),
    [
        (
            WRITE, "failure", {"code": "preparation-failed", "message": "[Errno 5] Input/output error"},
            "void", "preparation-failed", "[Errno 5] Input/output error",
        ),
        (
            CACHE, "settings", {"write_cache": {"asked": "unsafe", "read": "writeback"}},
            "void", "setting-not-in-force", "write_cache was to be unsafe, the system says writeback",
        ),
        (WRITE, "timed_out", True, "void", "time-limit", "ended after 20 s"),
        (WRITE, "exit_status", 1, "void", "exit-status", "exit status 1"),
        (WRITE, "exit_status", 255, "void", "exit-status", "exit status 255"),
        (WRITE, "exit_status", -11, "void", "exit-status", "killed by signal 11"),
        (READ, "operations", ["write"], "void", "wrong-operation", "the log states no write"),
        (CREATE, "operations", ["file-stat"], "void", "wrong-operation", "the log states no file-stat"),
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
    failure = {"code": "setting-failed", "message": "qemu-nbd ends at once"}
    judgement = judge(trial(CACHE, failure=failure)._replace(records=[], refusal="stdout.txt cannot be read"))
    assert (judgement.verdict, judgement.codes) == ("void", ("preparation-failed",))


def test_a_run_shorter_than_the_sites_threshold_is_suspect(trial):
    found = trial(WRITE)
    seconds = measured_seconds(found, "write")
    assert judge(doubting(found, shortest_run=seconds)).verdict == "valid"
    judgement = judge(doubting(found, shortest_run=10 * seconds))
    assert (judgement.verdict, judgement.codes) == ("suspect", ("too-short",))
    assert judgement.reasons == (f"write was measured over {seconds:.2g} s, less than {10 * seconds:g} s",)


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0.998, "0.998"), (0.99996, "0.99996"), (0.54, "0.54"), (0.949, "0.95")]
)
def test_a_run_that_is_hardly_too_short_is_shown_with_the_digits_that_say_so(trial, monkeypatch, seconds, shown):
    monkeypatch.setattr("coldcache.verdicts.suspect_rules.measured_seconds", lambda *_: seconds)
    judgement = judge(doubting(trial(WRITE), shortest_run=1))
    assert judgement.reasons == (f"write was measured over {shown} s, less than 1 s",)


@pytest.mark.parametrize(("step", "verdict"), [(0.4, "valid"), (-0.4, "valid"), (2.0, "suspect"), (-2.0, "suspect")])
def test_a_clock_that_was_set_during_the_run_makes_it_suspect(trial, step, verdict):
    found = trial(WRITE)
    judgement = judge(trial(WRITE, seconds=found.story["seconds"] - step))
    assert judgement.verdict == verdict, judgement.reasons
    if verdict == "suspect":
        assert judgement.codes == ("clock-step",)
        assert judgement.reasons[0].startswith(f"the clock was set by {step:+.1f} s during the run")


def test_one_void_finding_outweighs_suspect_ones_and_all_are_told(trial):
    judgement = judge(doubting(trial(WRITE, exit_status=1, seconds=100.0), shortest_run=60.0))
    assert (judgement.verdict, judgement.codes) == ("void", ("exit-status", "too-short", "clock-step"))


def with_share(found, share):
    """Return a read of which `share` of the bytes crossed the device."""
    rate = next(r.value for r in found.records if (r.metric, r.statistic) == ("throughput", "value"))
    moved = rate * measured_seconds(found, "read")
    counters = {"before": {"read_bytes": 1000}, "after": {"read_bytes": 1000 + math.ceil(share * moved)}}
    return found._replace(story={**found.story, "counters": counters})


@pytest.mark.parametrize(
    ("share", "cold", "verdict"),
    [
        (1.2, "cold", "valid"),
        (1.0, "cold", "valid"),
        (0.9, "cold", "valid"),
        (0.899, "mixed", "valid"),
        (0.5, "mixed", "valid"),
        (0.101, "mixed", "valid"),
        (0.0999, "warm", "suspect"),
        (0.0, "warm", "suspect"),
    ],
)
def test_a_read_is_as_cold_as_the_share_of_its_bytes_that_crossed_the_device(trial, share, cold, verdict):
    judgement = judge(with_share(trial(READ), share))
    assert (judgement.cold, judgement.verdict) == (cold, verdict)
    if verdict == "suspect":
        assert judgement.codes == ("served-from-cache",)
        assert re.fullmatch(r"[0-9.]+ M?i?B of [0-9.]+ MiB crossed the device", judgement.reasons[0])


def test_the_site_says_which_share_is_cold(trial):
    assert judge_cold(doubting(with_share(trial(READ), 0.96), cold_share=0.95)).verdict == "cold"
    assert judge_cold(doubting(with_share(trial(READ), 0.94), cold_share=0.95)).verdict == "mixed"
    assert judge_cold(doubting(with_share(trial(READ), 0.06), cold_share=0.95)).verdict == "mixed"


def test_a_read_that_nothing_counts_is_unproved_and_a_write_is_not_asked(trial):
    assert judge_cold(trial(READ, counters=None)).verdict == "unproved"
    assert judge_cold(trial(READ)._replace(records=[])).verdict == "unproved"
    assert judge_cold(trial(WRITE)).verdict == "not applicable"
    assert judge_cold(trial(CREATE)).verdict == "not applicable"


def test_the_measured_interval_is_the_one_that_the_log_states(trial):
    log = json.loads((Path("raw/tiny") / READ / "stdout.txt").read_text())
    assert measured_seconds(trial(READ), "read") == log["jobs"][0]["read"]["runtime"] / 1000
    assert measured_seconds(trial(READ), "write") is None


def test_where_the_log_states_no_interval_it_is_bytes_over_rate(root):
    for path in sorted((root / "raw/reference/quick/sequential").glob("*write,threads=*/r0")):
        found = load(path)
        if found.story["tool"] == "iozone":
            rate = next(r.value for r in found.records if (r.metric, r.statistic) == ("throughput", "value"))
            assert measured_seconds(found, "write") == pytest.approx(2**30 / rate)
            assert measured_seconds(found, "write") < found.story["seconds"]
            break
    else:
        pytest.skip("the reference campaign was measured without IOzone")
