"""A factor is called a cause only where nothing else that was recorded differs."""

from pathlib import Path

from coldcache.campaign.campaign import read_hosts
from coldcache.campaign.trial_json import read_outcome
from coldcache.core.outcome import ColdState, Outcome, SettingReading
from coldcache.dataset.confounders import (
    RecordedDifference,
    compare_hosts,
    find_confounders,
    tabulate_confounders,
    tabulate_hosts,
)
from coldcache.measure.host.inventory import describe_machine

CACHE = Path("raw/tiny/tiny/cache")


def outcomes():
    return [read_outcome(path) for path in sorted(CACHE.rglob("trial.json"))]


def test_arms_of_one_block_differ_in_the_factor_alone(measured):
    found = find_confounders(outcomes(), "write_cache")
    levels = {"unsafe": ("unsafe",), "writeback": ("writeback",)}
    assert (found.levels, found.differences, found.is_cause) == (levels, (), True)


def test_every_other_difference_is_listed_and_none_is_called_a_cause(measured):
    told = [
        outcome._replace(
            system={**outcome.system, "kernel": "2.6.32"},
            target={**outcome.target, "queue": {**outcome.target["queue"], "read_ahead_kb": "8"}},
            launch={"nodes": {"n1": {}, "n2": {}}},
        )
        if outcome.factors["write_cache"] == "unsafe"
        else outcome
        for outcome in outcomes()
    ]
    kernel, ahead = (told[-1].kernel, told[-1].target["queue"].get("read_ahead_kb", "none"))
    found = find_confounders(told, "write_cache")
    assert found.differences == (
        RecordedDifference("launch.nodes.n1", {"unsafe": ("there",), "writeback": ("none",)}),
        RecordedDifference("launch.nodes.n2", {"unsafe": ("there",), "writeback": ("none",)}),
        RecordedDifference("system.kernel", {"unsafe": ("2.6.32",), "writeback": (kernel,)}),
        RecordedDifference("target.queue.read_ahead_kb", {"unsafe": ("8",), "writeback": (ahead,)}),
    )
    assert not found.is_cause


def test_one_arm_is_no_comparison(measured):
    told = [outcome for outcome in outcomes() if outcome.factors["write_cache"] == "unsafe"]
    assert not find_confounders(told, "write_cache").is_cause


def outcome(level, options, read, **more):
    return Outcome(
        "nas", "sizes", f"io_size={level}", 0, ("read",), {"io_size": level, "threads": 1}, "fio", "3.33",
        start="2026-01-01", settings={"io_size": SettingReading(read, read)},
        target={"filesystem": "nfs", "mount_options": options}, **more,
    )  # fmt: skip


def test_the_mount_options_of_a_guest_are_its_levels_and_those_of_a_mount_that_was_found_are_not():
    small, large = (outcome(size, f"vers=3,wsize={size}", f"wsize={size}") for size in (65536, 1048576))
    guest = {"kernel": "6.1"}
    assert find_confounders([small._replace(guest=guest), large._replace(guest=guest)], "io_size").is_cause
    (found,) = find_confounders([small, large], "io_size").differences
    options = {"1048576": ("vers=3,wsize=1048576",), "65536": ("vers=3,wsize=65536",)}
    assert found == RecordedDifference("target.mount_options", options)
    (found,) = find_confounders(
        [small._replace(guest=guest), large._replace(guest={"kernel": "6.6"})], "io_size"
    ).differences
    assert found.what == "guest.kernel"


def test_the_table_begins_with_the_factor_as_it_was_read_and_leaves_alike_properties_out():
    told = [outcome(1, "rw", "one"), outcome(2, "rw", "two", cold=ColdState("remount", 0, 0))]
    rows = tabulate_confounders([*told, told[0]._replace(sweep="other")])
    assert rows.to_dict("split")["data"] == [
        ["nas", "sizes", "io_size", "io_size", "1", "one"],
        ["nas", "sizes", "io_size", "io_size", "2", "two"],
        ["nas", "sizes", "io_size", "cold.method", "1", "none"],
        ["nas", "sizes", "io_size", "cold.method", "2", "remount"],
    ]


def test_a_campaign_describes_its_host_once_and_hosts_are_compared(measured):
    ((host, described),) = read_hosts(Path("raw/tiny")).items()
    assert host == outcomes()[0].host
    assert described == describe_machine(Path("scratch"))
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
