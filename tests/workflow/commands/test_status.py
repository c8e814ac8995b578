"""The progress of a campaign is read from its files alone."""

import json
from pathlib import Path

from coldcache.campaign.progress import missing_trials
from coldcache.workflow.commands.status import print_status


def lines(capsys):
    print_status("tiny")
    return capsys.readouterr().out.splitlines()


def test_a_whole_campaign_is_done(measured, capsys):
    assert lines(capsys) == [
        "18 of 18 trials are done",
        "verdicts.csv shows which of them count, once they are collected",
    ]


def test_waiting_running_void_and_refused_trials_are_separate(measured, capsys):
    files = Path("raw/tiny/tiny/files")
    first = files / "operation=file-create/r0"
    outcome = json.loads((first / "trial.json").read_text())
    (first / "trial.json").write_text(json.dumps({**outcome, "exit_status": 3}))
    (files / "operation=file-stat/r1").rename(files / "operation=file-stat/.r1.partial")
    (files / "operation=file-stat/.r1.partial/trial.json").unlink()
    for trial in Path("raw/tiny/tiny/cache").glob("*/r0/trial.json"):
        trial.unlink()
    Path("raw/tiny/tiny/cache/not-run.json").write_text('{"reason": "there is no such cache"}')
    said = lines(capsys)
    assert said[0] == "15 of 18 trials are done"
    assert said[1].startswith("running: tiny/files/operation=file-stat/r1, for ")
    assert said[2].startswith("waiting: 1 in 1 job, about ")
    assert said[3:] == [
        "not run: 2, there is no such cache",
        "void: tiny/files/operation=file-create/r0: exit status 3",
        "verdicts.csv shows which of them count, once they are collected",
    ]


def test_trials_of_the_sentinel_beside_a_sweep_that_cannot_run_do_not_wait(refused, capsys):
    count = len(missing_trials(refused))
    said = lines(capsys)
    assert not any(line.startswith("waiting: ") for line in said)
    assert any(line.startswith(f"not run: {count}, write_cache cannot be put in force") for line in said)


def test_a_campaign_that_never_began_is_named_in_one_line(coldcache):
    found = coldcache("status", "other")
    assert (found.returncode, found.stderr) == (1, "coldcache: raw/other holds no campaign.json: it is no campaign\n")
