"""A site says where it runs; an unknown word in it is refused with file, key and the nearest valid one."""

import os
from pathlib import Path

import pytest
from yaml_lines import drop_line

from coldcache.core.errors import DesignError
from coldcache.design.site import Clients, read_site

WHERE = "config/sites/here.yaml"


@pytest.fixture
def altered(project, change):
    """Read the site after a change to its text."""

    def read(old, new):
        change(Path(WHERE), old, new)
        return read_site(Path("config/sites"), "here")

    return read


def test_the_site_is_read_in_stored_units(project):
    site = read_site(Path("config/sites"), "here")
    assert (site.target_name, site.target.path, site.target.make) == ("scratch", "scratch", True)
    assert (site.limits.bytes, site.limits.seconds, site.limits.layout_seconds) == (64 * 2**20, 20.0, 1.0)
    assert (site.thresholds.shortest_run, site.thresholds.cold_share) == (0.001, 0.9)


def test_a_target_of_the_command_line_takes_the_place_of_the_sites(project):
    site = read_site(Path("config/sites"), "here", "/mnt/fast")
    assert (site.target_name, site.target.path, site.target.make) == ("scratch", "/mnt/fast", False)


@pytest.mark.parametrize(
    ("site", "target", "message"),
    [
        (
            "model",
            "/some/path",
            "/some/path is not on the model's first client; name a folder such as /var/tmp/model/c1",
        ),
        ("slurm-lustre", "scratch", "scratch is not the same on all nodes; name it from the root on"),
    ],
)
def test_a_target_of_the_command_line_must_fit_the_site(root, monkeypatch, site, target, message):
    monkeypatch.chdir(root)
    with pytest.raises(DesignError) as refused:
        read_site(Path("config/sites"), site, target)
    assert str(refused.value).startswith(f"target: {message}")


@pytest.mark.parametrize(
    ("clients", "cores"),
    [(Clients(nodes=4, cores=16), 64), (Clients(cores=3), 3), (Clients(), len(os.sched_getaffinity(0)))],
)
def test_cores_are_those_of_all_nodes(clients, cores):
    assert clients.total_cores() == cores


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("targets:", "target:", 'unknown key "target"; did you mean "targets"?'),
        ("make: true", "mkae: true", 'targets.scratch: unknown key "mkae"; did you mean "make"?'),
        ("path: scratch", 'path: ""', "targets.scratch.path: must not be empty"),
        ("bytes: 64 MiB", "bites: 64 MiB", 'limits: unknown key "bites"; did you mean "bytes"?'),
        (
            "bytes: 64 MiB",
            "bytes: 64 MiG",
            'limits.bytes: "64 MiG" has an unknown unit "MiG"; did you mean "MiB"?',
        ),
        (
            "seconds: 20 s",
            "seconds: 20 sec",
            'limits.seconds: "20 sec" has an unknown unit "sec"; did you mean 20 s?',
        ),
        ("seconds: 20 s", "seconds: 0", "limits.seconds: must be greater than 0, not 0"),
        (
            "shortest_run: 1 ms",
            "shortest: 1 ms",
            'thresholds: unknown key "shortest"; did you mean "shortest_run"?',
        ),
        (
            "shortest_run: 1 ms",
            "cold_share: 1.5",
            "thresholds.cold_share: must be at most 1, not 1.5",
        ),
        (
            "  scratch: {path: scratch, make: true}",
            "  {}",
            "targets: must not be empty",
        ),
        *[
            ("limits:", f"settings:\n  {given}\nlimits:", f"settings{message}")
            for given, message in [
                ("cache: {kind: file, path: /sys/a}", ': unknown factor "cache"; did you mean "write_cache"?'),
                ("write_cache: {kind: fil, path: /sys/a}", '.write_cache: unknown kind "fil"; did you mean "file"?'),
                (
                    "write_cache: sysctl",
                    '.write_cache: "sysctl" states no kind; known are cgroup, commands, file, gluster, lctl, '
                    "lfs, model, mount, mounts, nfs-guest, sysctl, tuned",
                ),
                (
                    "write_cache: {kind: file, path: /etc/passwd}",
                    '.write_cache.path: "/etc/passwd" cannot be meant: what belongs here is a path below /sys or /proc',
                ),
                (
                    "write_cache: {kind: file, path: /sys/../etc/passwd}",
                    '.write_cache.path: "/sys/../etc/passwd" leads out of sysfs and procfs; write the whole path',
                ),
                (
                    "write_cache: {kind: sysctl, name: a, values: {on: 1, off: 1}}",
                    ".write_cache: two levels read the same, so none of them can be verified",
                ),
                (
                    "write_cache: {kind: sysctl, name: a, values: {on: 1}, shown: {onn: 1}}",
                    '.write_cache: shown: unknown level "onn"; did you mean "on"?',
                ),
                ("write_cache: {kind: commands, apply: [a]}", ".write_cache.verify: is required"),
            ]
        ],
        ("title: This machine\n", "", "title: is required"),
    ],
)
def test_an_unknown_word_is_refused_with_its_place(altered, old, new, message):
    with pytest.raises(DesignError) as refused:
        altered(old, new)
    assert drop_line(str(refused.value), Path(WHERE).read_text()) == f"{WHERE}, {message}"


def test_a_file_that_holds_another_site_is_refused(altered):
    with pytest.raises(DesignError) as refused:
        altered("site: here", "site: there")
    assert str(refused.value) == f'{WHERE}, line 1, site: "there" is not the name of the file; write "here"'
