"""`compare` names a slowdown and nothing else, and says so to other programs."""

import json
import shutil
from pathlib import Path

#: The case that is slowed down.
NAMED = "paced/transfers operation=random-read,threads=2"


def test_the_other_way_round_it_is_better_and_no_failure(compare):
    status, said, _ = compare("after", "before")
    assert status == 0
    assert f" Better: {NAMED}: rate " in said


def test_beyond_a_threshold_of_thirty_per_cent_it_is_no_regression(compare):
    assert compare("before", "after", "--threshold=30")[0] == 0


def test_one_thing_that_differs_is_named_as_what_can_be_the_cause(compare):
    for path in Path("raw/after").rglob("trial.json"):
        outcome = json.loads(path.read_text())
        outcome["system"]["kernel"] = "9.9"
        path.write_text(json.dumps(outcome))
    said = compare("before", "after")[1]
    assert "Exactly one thing that the campaigns state differs: kernel (" in said
    assert " → 9.9). It can be the cause.\n" in said


def test_of_three_campaigns_two_are_compared_with_the_first(compare):
    shutil.copytree("raw/before", "raw/again")
    status, said, _ = compare("before", "after", "again", "--markdown=summary.md")
    assert status == 1
    last = said.splitlines()[-1]
    assert last.startswith("again against before, 4 cases: 0 worse by more than 5 %, 0 better by more than 5 %, ")
    assert "## Worse of after\n" in Path("summary.md").read_text()


def test_a_case_whose_trials_are_all_void_is_a_regression(compare):
    shutil.copytree("raw/before", "raw/broken")
    for log in Path("raw/broken/paced/transfers/operation=random-write,threads=1").glob("*/stdout.txt"):
        log.write_bytes(log.read_bytes()[:100])
    status, said, _ = compare("before", "broken")
    assert status == 1
    assert "Lost, as no trial counts any more: paced/transfers operation=random-write,threads=1." in said
