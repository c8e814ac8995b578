"""Every planned trial is collected: a failure is a row with its reason, a missing one is named, nothing is a gap."""

import json
import shutil
from pathlib import Path

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.trials import collect_trials
from coldcache.core.errors import CampaignError

RAW = Path("raw/tiny")
READ = "tiny/transfers/operation=read,threads=2/r0"


@pytest.fixture
def collected(measured):
    def collect():
        return {trial.key: trial for trial in collect_trials(read_campaign(RAW))}

    return collect


def test_every_planned_trial_is_there_in_the_order_of_its_name(collected):
    found = collected()
    assert len(found) == 18
    assert list(found) == sorted(found)
    for key, trial in found.items():
        assert trial.outcome.key == key
        assert trial.judgement.verdict == "valid"
        assert trial.records


def test_a_trial_that_was_not_run_is_a_row_that_says_so(collected):
    shutil.rmtree(RAW / READ)
    trial = collected()[READ]
    assert (trial.judgement.verdict, trial.judgement.codes) == ("missing", ("not-run",))
    assert trial.judgement.reasons == ("not measured yet",)
    assert trial.records == []
    assert (trial.outcome.operations, trial.outcome.factors["threads"]) == (("read",), 2)
    assert len(collected()) == 18


@pytest.mark.parametrize(
    ("name", "damage", "reason"),
    [
        ("stdout.txt", lambda log: b"", None),
        ("stdout.txt", lambda log: log[: len(log) // 2], None),
        ("stdout.txt", None, "stdout.txt cannot be read: No such file or directory"),
        (
            "stdout.txt",
            lambda log: b"fio: terminating on signal 15\n" + log,
            "fio says 'fio: terminating on signal 15': the run failed or was cut short",
        ),
    ],
)
def test_a_damaged_log_is_a_void_row_without_values(collected, name, damage, reason):
    path = RAW / READ / name
    if damage is None:
        path.unlink()
    else:
        path.write_bytes(damage(path.read_bytes()))
    trial = collected()[READ]
    assert trial.records == []
    assert (trial.judgement.verdict, trial.judgement.codes[0]) == ("void", "log-refused")
    if reason:
        assert trial.judgement.reasons[0] == reason


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "Expecting value: line 1 column 1 (char 0)"),
        ("[]", "it is no object"),
        ("{}", "it lacks study"),
        ('{"tool": "fio"}', "it lacks study"),
    ],
)
def test_an_outcome_that_is_none_is_refused_by_name(collected, text, cause):
    (RAW / READ / "trial.json").write_text(text)
    with pytest.raises(CampaignError) as refused:
        collected()
    assert str(refused.value) == f"{RAW / READ}/trial.json: not the outcome of a trial ({cause})"


@pytest.mark.parametrize("tool", ["rm", "run", "fio_job", "../fio", ""])
def test_a_tool_that_is_none_is_refused_by_name(collected, tool):
    path = RAW / READ / "trial.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "tool": tool}))
    with pytest.raises(CampaignError) as refused:
        collected()
    assert str(refused.value) == f'{path}: not the outcome of a trial (unknown tool "{tool}")'


def test_an_outcome_of_another_trial_is_refused(collected):
    path = RAW / READ / "trial.json"
    path.write_text((RAW / READ.replace("r0", "r1") / "trial.json").read_text())
    with pytest.raises(CampaignError) as refused:
        collected()
    assert str(refused.value) == f"{path}: not the outcome of this trial (it is that of {READ.replace('r0', 'r1')})"


def test_an_outcome_that_lacks_a_field_is_refused_by_its_name(collected):
    path = RAW / READ / "trial.json"
    whole = json.loads(path.read_text())
    for field in ("failure", "settings", "timed_out", "exit_status", "counters", "factors", "start"):
        path.write_text(json.dumps({key: value for key, value in whole.items() if key != field}))
        with pytest.raises(CampaignError) as refused:
            collected()
        assert str(refused.value) == f"{path}: not the outcome of a trial (it lacks {field})"
