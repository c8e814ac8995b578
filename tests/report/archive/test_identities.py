"""Hosts, users, addresses and the site's folders are found in whatever a campaign's files say, and nothing else is."""

import json

import pytest

from coldcache.campaign.campaign import Campaign
from coldcache.design.site import Site
from coldcache.report.archive import identities
from coldcache.report.archive.identities import find_identities

TEXT = """\
fio-3.33 at 12:30:45, version 2.1.11.3 is no address, 1.5 GiB/s, std::move, a/b, 3/4, http://x.org/a/b, </a>, ~/a/b
"""


@pytest.fixture
def found(tmp_path, monkeypatch):
    """Return a function that finds the identities of a campaign with one log and one outcome."""
    monkeypatch.setattr(identities.platform, "node", lambda: "localhost")
    monkeypatch.setattr(identities.getpass, "getuser", lambda: "root")
    monkeypatch.setenv("HOME", "/root")
    monkeypatch.chdir("/")

    def find(log="", host="localhost", path="/mnt/fast/target", mount_point="/", hidden=(), model=None, **recorded):
        folder = tmp_path / "s/w/c/r0"
        folder.mkdir(parents=True)
        outcome = {"system": {"host": host}, "target": {"mount_point": mount_point, **recorded}}
        (folder / "trial.json").write_text(json.dumps(outcome))
        (folder / "stdout.txt").write_text(log)
        stated = {"site": "here", "title": "Here", "targets": {"scratch": {"path": path}}, "model": model}
        site = Site.model_validate(stated)
        return [tuple(each) for each in find_identities(Campaign("a", site, (), None), tmp_path, hidden)]

    return find


TARGET = ("path", "/mnt/fast/target", "/anonymous/path-1")


@pytest.mark.parametrize(
    ("log", "expected"),
    [
        (TEXT.replace("2.1.11.3", "2.1.11"), []),
        ("to 10.1.2.3@o2ib, fe80::1, 52:54:00:aa:bb:cc, 127.0.0.1, ::1", [
            ("address", "52:54:00:aa:bb:cc", "address-3"), ("address", "10.1.2.3", "address-1"),
            ("address", "fe80::1", "address-2")]),
        ("10.1.2.3:/export, 10.1.2.4:8765, at 10.1.2.5. 10.1.2.6 10.1.2.7.8 10.1.2.9b 1.2.3.400", [
            ("address", f"10.1.2.{number}", f"address-{number - 2}") for number in (3, 4, 5, 6)]),
        ("10.0.0.40:6789,10.0.0.41:6789:/ 10.0.0.42@tcp:10.0.0.43@tcp:/lus", [
            ("address", f"10.0.0.4{number}", f"address-{number + 1}") for number in range(4)]),
        ("hostname=node17, be=0, 64-bit, os=Linux\n<node18> put: (g=0): rw=write", [
            ("host", "node17", "host-1"), ("host", "node18", "host-2")]),
        ("Machine             : Linux node17.site.org", [
            ("host", "node17.site.org", "host-1")]),
        ("-o /home/alice/runs/a.dat", [("path", "/home/alice/runs", "/anonymous/path-1"), ("user", "alice", "user-1")]),
        ("/usr/bin/ior /dev/nvme0n1 /proc/sys/vm/drop_caches /etc/fstab", []),
        ("/mnt/fast/target/coldcache/s/t0", []),
        ("--directory=/mnt/fast/target/stripe-count:/mnt/fast/target2/stripe-count", []),
        ("gate-7:/export/x", [("host", "gate-7", "host-1")]),
        ("bob@gate:/export/home/x", [("host", "gate", "host-1"), ("user", "bob", "user-1")]),
    ],
)  # fmt: skip
def test_each_kind_of_name_is_found_and_numbered(found, log, expected):
    names = [each for each in found(log) if not each[1].startswith("/mnt/fast")]
    paths = [each for each in names if each[0] != "path" or "alice" in each[1]]
    assert paths == expected


def test_what_design_and_trials_state_is_found_however_short_and_the_longest_is_first(found):
    assert found("", host="vm.site.org", mount_point="/mnt/fast", hidden=["Example Labs"]) == [
        ("path", "/mnt/fast/target", "/anonymous/path-2"), ("word", "Example Labs", "word-1"),
        ("host", "vm.site.org", "host-1"), ("path", "/mnt/fast", "/anonymous/path-1"), ("host", "vm", "host-1"),
    ]  # fmt: skip


def test_names_that_every_system_has_are_left(found):
    assert found("root@localhost", host="localhost") == [TARGET]


@pytest.mark.parametrize("error", [KeyError, OSError])
def test_a_user_without_a_name_and_a_home_is_none(found, monkeypatch, error):
    def fail(kind):
        raise kind("uid not found")

    monkeypatch.setattr(identities.getpass, "getuser", lambda: fail(error))
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", lambda _: fail(KeyError))
    assert found() == [TARGET]


@pytest.mark.parametrize("folder", ["/acmescratch", "/opt/acme", "/run/media/acme", "/dev/shm/acme"])
def test_the_sites_own_folder_is_found_wherever_it_lies(found, folder):
    assert found(path=folder) == [("path", folder, "/anonymous/path-1")]


@pytest.mark.parametrize("folder", ["/acmescratch", "/opt/acme"])
def test_a_recorded_folder_is_found_and_one_that_every_system_has_is_not(found, folder):
    assert found(path="/scratch", mount_point=folder) == [("path", folder, "/anonymous/path-1")]


@pytest.mark.parametrize(
    ("folder", "expected"),
    [
        ("/var/tmp/acme", [
            ("path", "/var/tmp/acme2/c2/data", "/anonymous/path-2"), ("path", "/var/tmp/acme", "/anonymous/path-1")]),
        ("/scratch", [("path", "/var/tmp/acme2/c2/data", "/anonymous/path-1")]),
    ],
)  # fmt: skip
def test_of_a_scale_model_its_folder_is_found_and_those_of_its_clients_are_left(found, folder, expected):
    log = f"{folder}/c2/data/coldcache/s/t0 /var/tmp/acme2/c2/data/t0"
    assert found(log, path=f"{folder}/c1/data", mount_point=f"{folder}/c1", model={}) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("//nas7.acme.example/share", {"//nas7.acme.example/share", "nas7.acme.example", "nas7"}),
        ("gate.acme.example:/vol7", {"gate.acme.example", "gate", "/vol7"}),
        ("mgs1@tcp:mgs2@o2ib1:/lus", {"mgs1", "mgs2", "/lus"}),
        ("10.0.0.40:6789,10.0.0.41:6789:/", {"10.0.0.40", "10.0.0.41"}),
        ("/dev/mapper/vg_acme-fast", {"vg_acme-fast"}),
        ("/dev/mapper/data", set()),
        ("/dev/sdb1", set()),
        ("ceph-fuse", set()),
        (None, set()),
    ],
)
def test_the_source_of_the_mount_is_found(found, source, expected):
    assert {name for _, name, _ in found(path="/mnt", source=source)} == expected
