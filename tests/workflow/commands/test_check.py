"""`check SITE` shows in seconds what is possible, and why the rest is not, and leaves nothing behind."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from coldcache.measure.target import locked, make_work_folder

SITE = Path("config/sites/here.yaml")


@pytest.fixture
def check(coldcache):
    """Check the site; return the status, and each line by what it is about."""

    def run(*more, **environment):
        found = coldcache("check", "here", *more, env={**os.environ, **environment})
        assert found.stderr == ""
        lines = {line[5:31].strip(): (line[:3].strip(), line[33:]) for line in found.stdout.splitlines()}
        return found.returncode, lines

    return run


def test_what_is_possible_is_shown_within_seconds_and_nothing_is_left(check, project):
    before = sorted(project.rglob("*"))
    began = os.times().children_user
    status, lines = check()
    assert os.times().children_user - began < 10
    assert status == 0
    assert lines["target"][0] == lines["lock"][0] == lines["fio"][0] == "yes"
    assert lines["target"][1].startswith("scratch, ")
    assert lines["target"][1].endswith(" free")
    assert lines["fio"][1] == subprocess.run(
        ["fio", "--version"], capture_output=True, text=True, check=True
    ).stdout.strip().removeprefix("fio-")
    assert {"direct I/O", "cold by eviction", "cold by drop-caches", "cold by remount", "root"} <= set(lines)
    assert sorted(project.rglob("*")) == before


def test_a_target_that_cannot_be_used_is_named(check, project):
    Path("scratch").mkdir()
    Path("scratch/thesis.tex").touch()
    status, lines = check()
    assert status == 1
    assert lines["target"][0] == "no"
    assert lines["target"][1].endswith('scratch holds foreign files such as "thesis.tex"; name an empty folder')


def test_what_is_not_given_is_as_the_configuration_of_the_folder_has_it(coldcache, project):
    config = project / "config/config.yaml"
    config.write_text('campaign: local\nstudies: tiny\nsite: here\ntarget: mine\nsize: ""\nseconds: ""\n')

    def find_target(*more):
        found = coldcache("check", *more)
        return next(line.split()[2:] for line in found.stdout.splitlines() if line[5:].startswith("target "))

    # The folder of --target must be there, unlike that of a site that says `make`.
    assert " ".join(find_target()) == "target: mine does not exist; make it, or name another folder"
    (project / "mine").mkdir()
    assert find_target()[0] == "mine,"
    assert find_target("here")[0] == "mine,"
    assert find_target("--target=")[0] == "scratch,"
    config.write_text("campaign: local\nstudies: tiny\nsite: here\n")
    assert find_target()[0] == "scratch,"
    config.write_text("campaign: local\nstudies: tiny\n")
    refused = coldcache("check")
    assert (refused.returncode, refused.stderr) == (1, "coldcache: config/config.yaml: site is required\n")


def test_a_missing_tool_is_named_with_its_package(check, project):
    (project / "bin").mkdir()
    (project / "bin/sh").symlink_to(shutil.which("sh"))
    status, lines = check(PATH=str(project / "bin"))
    assert status == 1
    assert lines["fio"] == ("no", "fio is not on PATH; install it: apt-get install fio")
    assert lines["write_cache by qemu-nbd"] == ("no", "qemu-nbd is not on PATH; install it: apt-get install qemu-utils")


def test_a_target_in_use_is_named_with_its_owner(check, project):
    with locked(make_work_folder(project / "scratch")):
        status, lines = check()
    assert status == 1
    assert lines["lock"][0] == "no"
    assert f'"pid": {os.getpid()}' in lines["lock"][1]
    assert check()[1]["lock"] == ("yes", "nobody measures the target")


def test_settings_of_the_site_are_shown_with_the_reasons_against_them(check, project):
    with SITE.open("a") as file:
        file.write(
            "settings:\n"
            "  write_cache: {kind: file, path: /sys/block/loop999/queue/write_cache}\n"
            "  write_barrier: {kind: commands, apply: [no-such-program], verify: [no-such-program]}\n"
            f"  write_behind: {{kind: commands, apply: [{sys.executable}], verify: [{sys.executable}]}}\n"
        )
    lines = check()[1]
    assert lines["write_cache by the site"] == ("no", "/sys/block/loop999/queue/write_cache does not exist")
    assert lines["write_barrier by the site"] == ("no", "no-such-program is not on PATH")
    assert lines["write_behind by the site"] == ("yes", "commands")


def test_settings_that_a_killed_run_left_are_named(check, project):
    (make_work_folder(project / "scratch") / ".settings.json").touch()
    assert "settings as before" in check()[1]


def test_in_memory_nothing_is_evicted_and_nothing_counted(check):
    target = Path(f"/dev/shm/coldcache-{os.getpid()}")
    try:
        target.mkdir()
    except OSError as error:
        pytest.skip(f"no tmpfs: {error}")
    try:
        lines = check(f"--target={target}")[1]
    finally:
        target.rmdir()
    assert lines["cold by eviction"] == ("no", "1 MiB of 1 MiB stay in memory")
    assert lines["counters of the wire"] == (
        "no",
        "tmpfs has no block device; if it is served over a network, let the site name the interfaces (network); "
        "no read is proved cold",
    )


def test_an_unknown_site_is_refused(refuses):
    line = 'config/sites/her.yaml: there is no such file; did you mean "here"?'
    refuses(line, "check", "her")
