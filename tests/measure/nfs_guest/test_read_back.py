"""A level is in force when the guest's own mount, or its kernel, says so."""

from pathlib import Path

import pytest

from coldcache.design.settings.nfs_guest import GuestSetting
from coldcache.measure.nfs_guest.read_back import read_guest_levels
from coldcache.tools.nfs_guest_log import split

SPECIMENS = Path(__file__).parents[2] / "specimens"
RMEM = "net.ipv4.tcp_rmem=1048576 8388608 16777216"


def sections(name):
    return split((SPECIMENS / f"nfs-guest-6.1-{name}.txt").read_bytes())


def read(log, level, **stated):
    kind = GuestSetting.model_validate({"kind": "nfs-guest", **stated})
    (found,) = read_guest_levels({"factor": kind}, {"factor": level}, sections(log)).values()
    return found.asked, found.read


SYNC = {"values": {"sync": "sync", "async": "async"}, "shown": {"async": "default"}}
ACTIMEO = {
    "values": {"defaults": "", "long": "nocto,actimeo=600"},
    "shown": {"defaults": "default", "long": "nocto,acregmin=600,acregmax=600,acdirmin=600,acdirmax=600"},
}


@pytest.mark.parametrize(
    ("log", "level", "stated", "asked", "found"),
    [
        ("write", 65536, {"option": "rsize={level},wsize={level}"}, "rsize=65536,wsize=65536", None),
        ("write", 131072, {"option": "wsize={level}"}, "wsize=131072", "wsize=65536"),
        ("write", 4, {"option": "nconnect={level}", "shown": {1: "default"}}, "nconnect=4", None),
        ("read", 1, {"option": "nconnect={level}", "shown": {1: "default"}}, "default", None),
        ("write", "async", SYNC, "default", None),
        ("write", "sync", SYNC, "sync", "default"),
        ("read", "sync", SYNC, "sync", None),
        ("read", "async", SYNC, "default", "sync"),
        ("read", "long", ACTIMEO, "acregmin=600,acregmax=600,acdirmin=600,acdirmax=600,nocto", None),
        ("write", "long", ACTIMEO, "nocto,acregmin=600,acregmax=600,acdirmin=600,acdirmax=600", "default"),
        ("write", "big", {"of": "sysctl", "values": {"big": RMEM}}, RMEM, None),
        ("read", "big", {"of": "sysctl", "values": {"big": RMEM}}, RMEM, "net.ipv4.tcp_rmem="),
        ("refused", "sync", SYNC, "sync", ""),
        ("delayed", 0.002, {"of": "network", "option": "delay {level}s"}, "delay 0.002s", None),
        ("delayed", 0.0, {"of": "network", "option": "delay {level}s"}, "delay 0s", "delay 0.002s"),
        ("write", 0.0, {"of": "network", "option": "delay {level}s"}, "delay 0s", ""),
        ("delayed", "on", {"of": "disk", "values": {"on": "delay=10; writecache"}}, "delay=10; writecache", None),
        ("delayed", "none", {"of": "disk", "values": {"none": "delay=10"}}, "delay=10", "delay=10; writecache"),
        ("write", "none", {"of": "disk", "values": {"none": "delay=10"}}, "delay=10", ""),
    ],
)
def test_what_is_read_is_what_the_guest_negotiated(log, level, stated, asked, found):
    assert read(log, level, **stated) == (asked, asked if found is None else found)
