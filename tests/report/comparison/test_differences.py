"""What else differs is listed from all that campaigns state; a cause is named only where one thing does."""

from copy import deepcopy

import pandas as pd
import pytest

from coldcache.campaign.campaign import Campaign
from coldcache.campaign.trials import CollectedTrial
from coldcache.core.outcome import Outcome
from coldcache.design.grid import Environment
from coldcache.design.site import Site
from coldcache.design.study import Study
from coldcache.report.comparison.campaigns import ComparedCampaign
from coldcache.report.comparison.differences import list_differences, name_cause
from coldcache.verdicts.judge import Judgement

SITE = {"site": "here", "title": "Here", "targets": {"scratch": {"path": "/mnt/x"}}}
STUDY = {
    "study": "tiny", "title": "T", "question": "Q?", "notebooks": [],
    "sweeps": {"w": {"title": "W", "tools": ["fio"], "operations": ["read"], "factors": {
        "threads": [1], "transfer_size": ["4 KiB"], "file_size": ["1 MiB"]}}},
}  # fmt: skip
OUTCOME = {
    "study": "tiny", "sweep": "w", "case": "threads=1", "repetition": 0, "operations": ["read"],
    "factors": {"threads": 1, "files": 500}, "failure": None, "timed_out": False, "time_limit": None,
    "exit_status": 0, "start": None, "end": None, "seconds": None, "counters": None,
    "tool": "fio", "tool_version": "3.33", "argv": ["fio", "--directory=/mnt/x/coldcache/tiny", "--nrfiles=500"],
    "settings": {"write_cache": {"asked": "unsafe", "read": "unsafe"}},
    "cold": {"method": "eviction", "bytes": 1, "resident_bytes": 0},
    "size_bytes": 1000, "free_bytes": 600, "own_bytes": 0,
    "system": {"host": "one", "kernel": "6.1", "memory_bytes": 8 * 2**30},
    "target": {"path": "/mnt/x", "filesystem": "ext4", "mount_options": "rw", "device": "7:0",
               "queue": {"scheduler": "none"}},
}  # fmt: skip


@pytest.fixture
def told():
    """Return a side of a design and an outcome, some of whose values are others."""

    def tell(name="a", site=None, study=None, seed=1, studies="tiny", **outcome):
        changed = deepcopy(OUTCOME)
        for key, value in outcome.items():
            changed[key] = {**changed[key], **value} if isinstance(value, dict) else value
        environment = Environment(2, True, {"tiny/w": "fio"}, seed, studies=studies)
        design = Campaign(
            name, Site.model_validate({**SITE, **(site or {})}), (Study.model_validate({**STUDY, **(study or {})}),),
            environment,
        )  # fmt: skip
        return ComparedCampaign(
            design,
            [CollectedTrial("k", Outcome.from_json(changed), [], Judgement("valid", (), (), "cold"))],
            pd.DataFrame(),
        )

    return tell


def test_campaigns_that_state_the_same_differ_in_nothing_whatever_they_are_called(told):
    other = told("b", {"site": "there", "title": "There"}, {"title": "Another"}, seed=2, studies="tiny.w")
    found = list_differences([told(), other])
    assert found == []
    assert name_cause(found) == "The campaigns state no difference, so no cause can be named."


@pytest.mark.parametrize(
    ("changed", "shown"),
    [
        ({"tool_version": "3.36"}, "tools: fio (3.33 → 3.36)"),
        ({"system": {"kernel": "6.12"}}, "machine: kernel (6.1 → 6.12)"),
        ({"system": {"memory_bytes": 16 * 2**30}}, "machine: memory (8 GiB → 16 GiB)"),
        ({"target": {"mount_options": "rw,sync"}}, "target: mount options (rw → rw,sync)"),
        ({"target": {"queue": {"scheduler": "bfq"}}}, "target: queue of the device: scheduler (none → bfq)"),
        ({"settings": {"write_cache": {"asked": "unsafe", "read": "writeback"}}},
         "target: tiny/w: write_cache as read back (unsafe → writeback)"),
        ({"cold": {"method": "remount"}}, "design: tiny/w: made cold by (eviction → remount)"),
        ({"free_bytes": 200}, "target: filled by others, about (40 % → 80 %)"),
        ({"site": {"limits": {"seconds": 9}}}, "site: limits.seconds (60.0 → 9.0)"),
        ({"study": {"repetitions": 7}}, "design: tiny.repetitions (5 → 7)"),
        ({"argv": [*OUTCOME["argv"], "--rate=8m"]}, "command lines: arguments of 1 cases (not stated → --rate=8m)"),
    ],
)  # fmt: skip
def test_one_thing_that_differs_is_named_as_what_can_be_the_cause(told, changed, shown):
    found = list_differences([told(), told("b", **changed)])
    assert [f"{difference.group}: {difference}" for difference in found] == [shown]
    assert name_cause(found) == f"Exactly one thing that the campaigns state differs: {found[0]}. It can be the cause."


def test_no_cause_is_named_where_two_things_differ(told):
    found = list_differences([told(), told("b", tool_version="3.36", system={"kernel": "6.12"})])
    assert name_cause(found) == "2 things differ, so no single cause can be named."


def test_files_as_many_as_could_be_laid_out_and_the_number_of_a_device_are_no_difference(told):
    argv = [word.replace("500", "617") for word in OUTCOME["argv"]]
    other = told("b", argv=argv, factors={"files": 617}, target={"device": "7:3"})
    assert list_differences([told(), other]) == []


def test_a_property_that_only_one_campaign_states_differs(told):
    (found,) = list_differences([told(), told("b", system={"numa": "2"}), told("c")])
    assert found.values == ("not stated", "2", "not stated")
