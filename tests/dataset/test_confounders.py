"""A factor is called a cause only where nothing else that was recorded differs."""

import json
from pathlib import Path

from coldcache.campaign.campaign import read_hosts
from coldcache.dataset.confounders import (
    RecordedDifference,
    compare_hosts,
    find_confounders,
    tabulate_confounders,
    tabulate_hosts,
)
from coldcache.measure.host.inventory import describe_machine
from coldcache.measure.host.mounts import find_mount

CACHE = Path("raw/tiny/tiny/cache")


def stories():
    return [json.loads(path.read_text()) for path in sorted(CACHE.rglob("trial.json"))]


def test_arms_of_one_block_differ_in_the_factor_alone(measured):
    found = find_confounders(stories(), "write_cache")
    levels = {"unsafe": ("unsafe",), "writeback": ("writeback",)}
    assert (found.levels, found.differences, found.is_cause) == (levels, (), True)


def test_every_other_difference_is_listed_and_none_is_called_a_cause(measured):
    told = stories()
    for story in told:
        if story["factors"]["write_cache"] == "unsafe":
            story["system"] = {**story["system"], "kernel": "2.6.32"}
            story["target"] = {**story["target"], "queue": {**story["target"]["queue"], "read_ahead_kb": "8"}}
            story["launch"] = {"nodes": {"n1": {}, "n2": {}}}
    kernel, ahead = (told[-1]["system"]["kernel"], told[-1]["target"]["queue"].get("read_ahead_kb", "none"))
    found = find_confounders(told, "write_cache")
    assert found.differences == (
        RecordedDifference("launch.nodes.n1", {"unsafe": ("there",), "writeback": ("none",)}),
        RecordedDifference("launch.nodes.n2", {"unsafe": ("there",), "writeback": ("none",)}),
        RecordedDifference("system.kernel", {"unsafe": ("2.6.32",), "writeback": (kernel,)}),
        RecordedDifference("target.queue.read_ahead_kb", {"unsafe": ("8",), "writeback": (ahead,)}),
    )
    assert not found.is_cause


def test_one_arm_is_no_comparison(measured):
    told = [story for story in stories() if story["factors"]["write_cache"] == "unsafe"]
    assert not find_confounders(told, "write_cache").is_cause


def story(level, options, read, **more):
    return {
        "study": "nas", "sweep": "sizes", "start": "2026-01-01", "tool": "fio", "tool_version": "3.33",
        "factors": {"io_size": level, "threads": 1}, "settings": {"io_size": {"asked": read, "read": read}},
        "target": {"filesystem": "nfs", "mount_options": options}, **more,
    }  # fmt: skip


def test_the_mount_options_of_a_guest_are_its_levels_and_those_of_a_mount_that_was_found_are_not():
    small, large = (story(size, f"vers=3,wsize={size}", f"wsize={size}") for size in (65536, 1048576))
    guest = {"guest": {"kernel": "6.1"}}
    assert find_confounders([{**small, **guest}, {**large, **guest}], "io_size").is_cause
    (found,) = find_confounders([small, large], "io_size").differences
    options = {"1048576": ("vers=3,wsize=1048576",), "65536": ("vers=3,wsize=65536",)}
    assert found == RecordedDifference("target.mount_options", options)
    (found,) = find_confounders([{**small, **guest}, {**large, "guest": {"kernel": "6.6"}}], "io_size").differences
    assert found.what == "guest.kernel"


def test_the_table_begins_with_the_factor_as_it_was_read_and_leaves_alike_properties_out():
    told = [story(1, "rw", "one"), story(2, "rw", "two", cold={"method": "remount"})]
    rows = tabulate_confounders([*told, {**told[0], "sweep": "other"}])
    assert rows.to_dict("split")["data"] == [
        ["nas", "sizes", "io_size", "io_size", "1", "one"],
        ["nas", "sizes", "io_size", "io_size", "2", "two"],
        ["nas", "sizes", "io_size", "cold.method", "1", "none"],
        ["nas", "sizes", "io_size", "cold.method", "2", "remount"],
    ]


def test_a_campaign_tells_its_host_once_and_hosts_are_compared(measured):
    ((host, described),) = read_hosts(Path("raw/tiny")).items()
    assert host == stories()[0]["system"]["host"]
    assert described == describe_machine(find_mount(Path("scratch")).device)
    other = {**described, "governor": "other", "disk": {**described["disk"], "firmware": "2.0"}}
    other["modules"] = [*described["modules"], "ballast"]
    found = compare_hosts({host: described, "zz": other})
    assert [difference.what for difference in found] == ["disk.firmware", "governor", "modules.ballast"]
    assert found[0].values["zz"] == ("2.0",)
    assert found[2].values == {host: ("none",), "zz": ("there",)}


def test_the_table_of_hosts_has_every_property_of_each(measured):
    table = tabulate_hosts({"b": {"cores": 4, "disk": {"model": "x"}}, "a": {"cores": 8}})
    assert table.to_dict("split")["data"] == [
        ["cores", "a", "8"], ["cores", "b", "4"], ["disk.model", "a", "none"], ["disk.model", "b", "x"],
    ]  # fmt: skip
