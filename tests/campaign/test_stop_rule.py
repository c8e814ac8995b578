"""A case is repeated until its interval is narrow enough or its budget is spent, whoever starts how often."""

import csv
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from coldcache.campaign.campaign import read_campaign
from coldcache.campaign.progress import missing_trials
from coldcache.campaign.seal import seal
from coldcache.campaign.stop_rule import weigh
from coldcache.campaign.trials import collect_trials

STUDY = Path("config/studies/tiny.yaml")
RAW = Path("raw/tiny")


@pytest.fixture
def rule(project):
    """Let the tiny study have one case that a rule ends."""

    def state(until):
        text = STUDY.read_text().partition("  files:\n")[0]
        for old, new in (
            ("threads: [1, 2]", "threads: [1]"), ("operations: [write, read]", "operations: [write]"),
            ("file_size: [16 MiB]", "file_size: [4 MiB]"), ("repetitions: 2", f"repetitions: 5\nrepeat_until: {until}"),
        ):  # fmt: skip
            assert old in text
            text = text.replace(old, new)
        STUDY.write_text(text)

    return state


def repetitions():
    return sorted(int(path.parent.name[1:]) for path in RAW.rglob("trial.json"))


@pytest.mark.parametrize(
    ("until", "count", "reason"),
    [
        ("{relative_width: 1000, most: 12}", 9, "narrow enough"),
        ("{relative_width: 0.000000001, most: 7}", 7, "most repetitions reached"),
        ("{relative_width: 0.000000001, most: 7, seconds: 1 ms}", 5, "budget spent"),
    ],
)
def test_a_case_stops_for_the_reason_that_is_told(rule, coldcache, measure_arguments, until, count, reason):
    rule(until)
    found = coldcache(*measure_arguments("tiny.transfers"))
    assert found.returncode == 0, found.stderr
    assert repetitions() == list(range(count))
    before = [path.stat().st_mtime_ns for path in RAW.rglob("trial.json")]
    again = coldcache(*measure_arguments("tiny.transfers"))
    assert (again.returncode, again.stderr) == (0, "")
    assert [path.stat().st_mtime_ns for path in RAW.rglob("trial.json")] == before
    campaign = read_campaign(RAW)
    assert missing_trials(campaign) == []
    assert len(list(collect_trials(campaign))) == count
    assert len(json.loads(Path("results/tiny/blocks/tiny.transfers.json").read_text())["trials"]) == count
    subprocess.run(["python", "-m", "coldcache", "collect", "--campaign=tiny", "--results=results/tiny"], check=True)
    with Path("results/tiny/repetitions.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert (row["case"], row["trials"], row["reason"]) == ("only", str(count), reason)
    assert seal(RAW) > count


def test_a_start_goes_on_where_another_one_ended(rule, coldcache, measure_arguments):
    rule("{relative_width: 0.000000001, most: 7}")
    assert coldcache(*measure_arguments("tiny.transfers")).returncode == 0
    for lost in (3, 5, 6):
        shutil.rmtree(RAW / f"tiny/transfers/only/r{lost}")
    assert missing_trials(read_campaign(RAW)) == ["tiny/transfers/only/r3"]
    assert coldcache(*measure_arguments("tiny.transfers")).returncode == 0
    assert repetitions() == list(range(7))


def test_a_tool_that_does_not_repeat_itself_may_run_more_often_than_the_rule_allows(rule, coldcache, measure_arguments):
    rule("{relative_width: 0.000000001, most: 6}")
    STUDY.write_text(STUDY.read_text().replace("operations: [write]", "operations: [write]\n    iterations: 2"))
    found = coldcache(*measure_arguments("tiny.transfers"))
    assert found.returncode == 0, found.stderr
    assert repetitions() == list(range(10))
    campaign = read_campaign(RAW)
    stop = weigh(campaign.folder, campaign.site, campaign.blocks()[0].trials[0].case)
    assert (stop.enough, stop.reason) == (True, "most repetitions reached")


def test_void_trials_narrow_nothing_and_others_take_their_place(rule, coldcache, measure_arguments):
    rule("{relative_width: 1000, most: 30}")
    assert coldcache(*measure_arguments("tiny.transfers")).returncode == 0
    for number in (1, 2):
        path = RAW / f"tiny/transfers/only/r{number}/trial.json"
        path.write_text(json.dumps({**json.loads(path.read_text()), "exit_status": 1}))
    campaign = read_campaign(RAW)
    case = campaign.blocks()[0].trials[0].case
    stop = weigh(campaign.folder, campaign.site, case)
    assert (stop.enough, stop.reason, stop.further) == (False, None, 2)
    assert coldcache(*measure_arguments("tiny.transfers")).returncode == 0
    # On a busy machine further trials may be void.
    void = {trial.outcome.repetition for trial in collect_trials(campaign) if trial.judgement.verdict == "void"}
    assert void >= {1, 2}
    assert repetitions() == list(range(9 + len(void)))
    assert repetitions()[-1] not in void
    assert weigh(campaign.folder, campaign.site, case).reason == "narrow enough"


def test_void_trials_count_towards_the_most(rule, coldcache, measure_arguments):
    rule("{relative_width: 1000, most: 10}")
    assert coldcache(*measure_arguments("tiny.transfers")).returncode == 0
    for path in RAW.rglob("trial.json"):
        path.write_text(json.dumps({**json.loads(path.read_text()), "exit_status": 1}))
    assert coldcache(*measure_arguments("tiny.transfers")).returncode == 0
    assert repetitions() == list(range(10))
    campaign = read_campaign(RAW)
    stop = weigh(campaign.folder, campaign.site, campaign.blocks()[0].trials[0].case)
    assert (stop.enough, stop.reason) == (True, "most repetitions reached")


def test_a_trial_counts_for_the_rule_as_it_does_for_the_collector(rule, coldcache, measure_arguments):
    rule("{relative_width: 1000, most: 11}")
    assert coldcache(*measure_arguments("tiny.transfers")).returncode == 0
    path = RAW / "tiny/transfers/only/r1/trial.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "tool_version": "0.1"}))
    campaign = read_campaign(RAW)
    collected = {trial.outcome.repetition: trial.judgement for trial in collect_trials(campaign)}
    assert [number for number, judgement in collected.items() if judgement.verdict == "void"] == [1]
    assert collected[1].codes[0] == "tool-changed"
    stop = weigh(campaign.folder, campaign.site, campaign.blocks()[0].trials[0].case)
    assert (stop.enough, stop.further) == (False, 1)


def test_the_plan_states_least_and_most_and_the_budget(rule, coldcache):
    rule("{relative_width: 0.1, most: 15, seconds: 10 min}")
    found = coldcache("plan", "--study=tiny", "--site=here")
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    assert lines[1].startswith("  only  x 5 to 15, until 10 % wide or 10 min 00 s are spent  4 MiB, about ")
    assert lines[-1].startswith("5 trials, about 3 s (at most 15 trials, 9 s), up to 4 MiB on ")
    trials = coldcache("plan", "--study=tiny", "--site=here", "--format=jsonl").stdout.splitlines()
    assert len(trials) == 5
    assert json.loads(trials[0])["repeat_until"] == {"relative_width": 0.1, "most": 15, "seconds": 600.0}


def test_a_rule_that_cannot_be_kept_is_refused(rule, refuses):
    rule("{relative_width: 0.1, most: 4}")
    line = "config/studies/tiny.yaml, line 5, repeat_until.most: 4 are fewer than the 5 repetitions of transfers"
    refuses(line, "plan", "--study=tiny", "--site=here")
