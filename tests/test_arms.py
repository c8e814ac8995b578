"""A factor is called a cause only where nothing else that was recorded differs."""

import json
from pathlib import Path

from coldcache.arms import Difference, differences_between_arms, differences_between_hosts
from coldcache.campaign import read_hosts
from coldcache.mounts import find_mount
from coldcache.provenance import describe_host

CACHE = Path("raw/tiny/tiny/cache")


def stories():
    return [json.loads(path.read_text()) for path in sorted(CACHE.rglob("trial.json"))]


def test_arms_of_one_block_differ_in_the_factor_alone(measured):
    found = differences_between_arms(stories(), "write_cache")
    assert (found.levels, found.differences, found.is_cause) == (("unsafe", "writeback"), (), True)


def test_every_other_difference_is_listed_and_none_is_called_a_cause(measured):
    told = stories()
    for story in told:
        if story["factors"]["write_cache"] == "unsafe":
            story["system"] = {**story["system"], "kernel": "2.6.32"}
            story["target"] = {**story["target"], "queue": {**story["target"]["queue"], "read_ahead_kb": "8"}}
    kernel, ahead = (told[-1]["system"]["kernel"], told[-1]["target"]["queue"].get("read_ahead_kb", "not recorded"))
    found = differences_between_arms(told, "write_cache")
    assert found.differences == (
        Difference("system.kernel", {"unsafe": ("2.6.32",), "writeback": (kernel,)}),
        Difference("target.queue.read_ahead_kb", {"unsafe": ("8",), "writeback": (ahead,)}),
    )
    assert not found.is_cause


def test_one_arm_is_no_comparison(measured):
    told = [story for story in stories() if story["factors"]["write_cache"] == "unsafe"]
    assert not differences_between_arms(told, "write_cache").is_cause


def test_a_campaign_tells_its_host_once_and_hosts_are_compared(measured):
    ((host, described),) = read_hosts(Path("raw/tiny")).items()
    assert host == stories()[0]["system"]["host"]
    assert described == describe_host(find_mount(Path("scratch")).device)
    other = {**described, "governor": "other", "disk": {**described["disk"], "firmware": "2.0"}}
    found = differences_between_hosts({host: described, "zz": other})
    assert [difference.what for difference in found] == ["disk.firmware", "governor"]
    assert found[0].values["zz"] == ("2.0",)
