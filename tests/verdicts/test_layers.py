"""A layer below the target that may answer from memory is named, and what is not known of a cold read."""

import pytest
from observed import observe

from coldcache.verdicts.evidence import find_evidence
from coldcache.verdicts.layers import name_cache_below, name_cache_device, name_memory, name_unseen_cache


def on(**layers):
    return observe(target={"filesystem": "ext4", "layers": layers})


def test_a_loop_device_without_direct_io_is_a_cache():
    cached, direct = {"name": "loop3", "direct_io": False}, {"name": "loop4", "direct_io": True}
    assert name_cache_below(on(loop=cached)) == (
        "loop3 is a loop device without direct I/O, which reads and writes a file in memory"
    )
    assert name_cache_below(on(loop1=direct, loop2=cached)).startswith("loop3 is a loop device")
    assert name_cache_below(on(loop1=direct)) is None
    assert name_cache_below(on(dm={"name": "dm-0"})) is None


@pytest.mark.parametrize("target", [{"filesystem": "ext4"}, {"filesystem": "ext4", "layers": {}}, None])
def test_a_target_whose_layers_are_not_known_has_no_cache(target):
    assert name_cache_below(observe(target=target)) is None


def test_servers_and_hosts_may_have_held_the_bytes():
    wire = {"crossing": "wire", "of": "nfs"}
    assert name_unseen_cache(observe(counters=wire)) == "; how much the server held in memory is unknown"
    assert name_unseen_cache(observe(system={"cores": 2, "hypervisor": True})) == (
        " of this guest; how much its host held in memory is unknown"
    )
    assert name_unseen_cache(observe(system={"cores": 2, "hypervisor": False})) is None
    assert name_unseen_cache(observe(system=None, counters=None)) is None


@pytest.mark.parametrize(
    ("layers", "what"),
    [
        ({"memory": {"name": "zram0"}}, "zram0 is a device in memory"),
        ({"dm": {"name": "dm-0", "table": ""}, "memory": {"name": "brd3"}}, "brd3 is a device in memory"),
        ({"loop": {"name": "loop1", "direct_io": False, "filesystem": "tmpfs"}}, "loop1 is a file of tmpfs, in memory"),
        (
            {"loop 2": {"name": "loop2", "direct_io": False, "filesystem": "tmpfs"}},
            "loop2 is a file of tmpfs, in memory",
        ),
        ({"loop": {"name": "loop1", "direct_io": False, "filesystem": "ext4"}, "disk": {"name": "sda"}}, None),
    ],
)
def test_what_is_kept_in_memory_has_not_reached_storage_whatever_crossed(layers, what):
    trial = on(**layers)
    assert name_memory(trial) == (what and f"{what}, where nothing can be cold")
    if what:
        found = find_evidence(trial, trial.outcome.operations[0])
        assert (found.reached, found.why) == ("memory", f"{what}, where nothing can be cold")


@pytest.mark.parametrize(
    ("layers", "what"),
    [
        ({"dm": {"name": "dm-1", "table": "0 2048 writecache s 7:1 7:2 4096 0"}}, "dm-1 is a dm-writecache"),
        ({"dm": {"name": "dm-1", "table": "0 9 linear 7:1 0; 9 2048 cache 7:1 7:2 7:3 512 1"}}, "dm-1 is a dm-cache"),
        ({"bcache": {"name": "bcache0", "cache_mode": "writeback"}, "disk": {"name": "sda"}}, "bcache0 is a bcache"),
        ({"dm": {"name": "dm-0", "table": "0 2048 linear 7:1 0"}, "disk": {"name": "cache"}}, None),
    ],
)
@pytest.mark.parametrize("operation", ["read", "write"])
def test_a_cache_device_hides_which_of_two_devices_was_reached(operation, layers, what):
    trial = observe(operation, target={"filesystem": "ext4", "layers": layers})
    assert name_cache_device(trial) == (what and f"{what}, a faster device in front of a slower one")
    if what:
        found = find_evidence(trial, operation)
        assert found.reached == "unknown" and found.why.endswith(
            f"but {what}, a faster device in front of a slower one"
        )
