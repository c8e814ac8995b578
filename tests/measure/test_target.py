"""A target is refused unless it is safe, before anything is written; only what was made there is ever removed."""

import fcntl
import json
import os
import pwd
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from coldcache.core.errors import TargetError
from coldcache.design.cases import Environment, expand_cases
from coldcache.design.settings.nfs_guest import Guest
from coldcache.design.site import Site, read_site
from coldcache.design.study import read_study
from coldcache.measure.fresh_files import renew
from coldcache.measure.target import (
    LOCK,
    MARKER,
    WORK,
    bytes_elsewhere,
    check_target,
    clear,
    locked,
    make_work_folder,
    takes_direct_io,
)

WHERE = "target"  # what replaces the path of the site's file

#: Checks the target `t` of the current folder for the tiny study, in a process that may have other mounts.
CHECK = """
import sys
from pathlib import Path
from coldcache.core.errors import ColdCacheError
from coldcache.design.cases import Environment, expand_cases
from coldcache.design.site import read_site
from coldcache.design.study import read_study
from coldcache.measure.target import check_target
site = read_site(Path("config/sites"), "here", "t")
study = read_study(Path("config/studies"), "tiny")
tools = {f"tiny/{name}": "fio" for name in study.sweeps}
try:
    check_target(site, expand_cases(study, site, Environment(1, True, tools, 1)))
except ColdCacheError as error:
    sys.exit(str(error))
"""


@pytest.fixture
def check(project):
    """Check a path as the tiny study's target."""
    study = read_study(Path("config/studies"), "tiny")
    study = study.model_copy(update={"sweeps": {name: study.sweeps[name] for name in ("transfers", "files")}})
    tools = {f"tiny/{name}": "fio" for name in study.sweeps}

    def checked(path, make=False):
        site = read_site(Path("config/sites"), "here", str(path))
        targets = {"scratch": {"path": str(path), "make": make}}
        site = Site.model_validate({**site.model_dump(), "targets": targets})
        return check_target(site, expand_cases(study, site, Environment(1, True, tools, 1)))

    return checked


@pytest.fixture
def target(project):
    Path("t").mkdir()
    return project / "t"


def refusal(function, *arguments, **more):
    with pytest.raises(TargetError) as refused:
        function(*arguments, **more)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def test_an_empty_folder_is_taken_and_stays_empty(check, target):
    assert check("t") == target
    assert list(target.iterdir()) == []


def test_a_folder_may_hold_what_a_new_file_system_holds(check, target):
    (target / "lost+found").mkdir()
    (target / WORK).mkdir()
    assert check("t") == target


def test_a_folder_that_was_used_before_is_taken(check, target):
    work = make_work_folder(target)
    (work / "tiny").mkdir()
    assert check("t") == target


def test_a_missing_folder_is_refused(check, project):
    assert refusal(check, "no/such") == f"{WHERE}: no/such does not exist; make it, or name another folder"
    assert refusal(check, "no") == f"{WHERE}: no does not exist; make it, or name another folder"


def test_a_folder_that_may_be_made_needs_its_parent(check, project):
    assert check("no", make=True) == project / "no"
    assert not Path("no").exists()
    message = refusal(check, "no/such", make=True)
    assert message == f"{WHERE}: no/such does not exist; make it, or name another folder"


def test_a_link_to_nowhere_is_refused_rather_than_made(check, project):
    Path("t").symlink_to("nowhere")
    assert refusal(check, "t", make=True) == f"{WHERE}: t does not exist; make it, or name another folder"


def test_a_file_in_place_of_a_folder_is_refused(check, project):
    Path("t").touch()
    expected = f"{WHERE}: t is not a folder; name an empty folder on the file system to measure"
    assert refusal(check, "t") == expected
    assert refusal(check, "t", make=True) == expected


def test_a_file_in_the_way_of_a_folder_is_refused(check, project):
    Path("f").touch()
    assert refusal(check, "f/t") == f"{WHERE}: f/t does not exist; make it, or name another folder"
    assert not takes_direct_io(project / "f/t")


def test_a_name_that_no_file_system_takes_is_refused(check, project):
    assert refusal(check, "x" * 300) == f"{WHERE}: {'x' * 300}: File name too long; name another folder"


@pytest.mark.parametrize("path", ["/", "/etc", "/usr/share", "/tmp", "/proc/self", "/dev", "/var", "~"])
def test_a_folder_of_the_system_is_refused(check, path):
    folder = Path(path).expanduser()
    message = refusal(check, folder)
    assert message == f"{WHERE}: {folder.resolve()} belongs to the system; name an empty folder of its own"


def test_the_home_folder_of_any_user_is_refused(check, target, monkeypatch):
    monkeypatch.setattr(
        "coldcache.measure.target.pwd.getpwuid",
        lambda user: pwd.struct_passwd(("ann", "", user, 0, "", str(target), "")),
    )
    message = refusal(check, target)
    assert message == f"{WHERE}: {target} is the home folder of {target.owner()}; name an empty folder of its own"
    (target / "scratch").mkdir()
    assert check(target / "scratch") == target / "scratch"


def test_a_user_whom_the_system_does_not_know_has_no_home_folder_to_refuse(check, target, monkeypatch):
    def fail(user):
        raise KeyError(user)

    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", fail)
    assert check(target) == target
    assert refusal(check, "/etc") == f"{WHERE}: /etc belongs to the system; name an empty folder of its own"


def test_no_folder_is_made_in_one_of_the_system(check):
    message = refusal(check, "/etc/coldcache-test", make=True)
    assert message == f"{WHERE}: /etc/coldcache-test belongs to the system; name an empty folder of its own"


def test_a_link_to_a_folder_of_the_system_is_refused(check, project):
    Path("t").symlink_to("/etc")
    assert refusal(check, "t") == f"{WHERE}: /etc belongs to the system; name an empty folder of its own"


@pytest.mark.parametrize("path", ["t", "t/below"])
def test_a_link_that_leads_back_to_itself_is_refused(check, project, path):
    Path("t").symlink_to("t")
    for make in (False, True):
        message = refusal(check, path, make=make)
        assert message == f"{WHERE}: {path}: Too many levels of symbolic links; name another folder"


def test_a_folder_without_permission_to_write_is_refused(check, target):
    target.chmod(0o555)
    if os.access(target, os.W_OK):
        pytest.skip("root may write everywhere")
    assert refusal(check, "t") == f"{WHERE}: t is not writable; name a folder that you may write to"
    (target / "t").parent.chmod(0o755)


def test_foreign_files_are_refused_by_name(check, target):
    (target / "thesis.doc").touch()
    assert refusal(check, "t") == f'{WHERE}: t holds foreign files such as "thesis.doc"; name an empty folder'


def test_a_work_folder_of_somebody_else_is_refused(check, target):
    (target / WORK).mkdir()
    (target / WORK / "thesis.doc").touch()
    expected = f"{WHERE}: {target / WORK} was not made by this program; move it away, or name another folder"
    assert refusal(check, "t") == expected
    (target / WORK / MARKER).mkdir()
    assert refusal(check, "t") == expected


def test_a_work_folder_that_is_a_link_is_refused(check, target):
    elsewhere = make_work_folder(target.parent / "elsewhere")
    (target / WORK).symlink_to(elsewhere)
    expected = f"{WHERE}: {target / WORK} was not made by this program; move it away, or name another folder"
    assert refusal(check, "t") == expected
    (target / WORK).unlink()
    (target / WORK).symlink_to("nowhere")
    assert refusal(check, "t") == expected


def test_a_file_in_place_of_the_work_folder_is_refused(check, target):
    (target / WORK).touch()
    expected = f"{WHERE}: {target / WORK} was not made by this program; move it away, or name another folder"
    assert refusal(check, "t") == expected


@pytest.mark.parametrize(
    ("mounts", "message"),
    [
        ("mount -t tmpfs -o ro none t", "t is not writable; name a folder that you may write to"),
        (
            "mount -t tmpfs -o size=90m none t",
            "t has 90 MiB free, study tiny needs 96 MiB (sweep transfers): free space, or lower its file_size",
        ),
        (
            "mount -t tmpfs -o size=100m,nr_inodes=3k none t",
            "t has 3,071 inodes free, the plan needs 4,000: name fewer files",
        ),
        ("mount -t tmpfs -o size=100m none t", ""),
        (
            "mount -t tmpfs -o size=100m none t; mkdir t/coldcache; touch t/coldcache/.made-by-coldcache;"
            " head -c 99m /dev/zero >t/coldcache/left",
            "",
        ),
    ],
    ids=["read-only", "small", "few-inodes", "just-right", "full-of-what-was-left"],
)
def test_space_and_permission_are_looked_at_beforehand(project, mount_namespace, mounts, message):
    Path("t").mkdir()
    found = subprocess.run(
        mount_namespace(mounts, [sys.executable, "-c", CHECK]), capture_output=True, text=True, check=False
    )
    assert found.stderr == (f"{WHERE}: {message}\n" if message else "")


@pytest.mark.parametrize("options", ["ro", "size=90m"])
def test_the_program_refuses_such_a_target_and_writes_nothing(project, mount_namespace, measure_arguments, options):
    Path("t").mkdir()
    command = [sys.executable, "-m", "coldcache", *measure_arguments("tiny.transfers"), "--target=t"]
    found = subprocess.run(
        mount_namespace(f"mount -t tmpfs -o {options} none t", command), capture_output=True, text=True, check=False
    )
    assert found.returncode == 1
    assert found.stdout == ""
    assert found.stderr.startswith(f"coldcache: {WHERE}: t ")
    assert found.stderr.count("\n") == 1
    assert sorted(path.name for path in project.iterdir()) == ["config", "t"]


def test_a_guest_needs_no_space(project, target):
    site = read_site(Path("config/sites"), "here", str(target))
    study = read_study(Path("config/studies"), "tiny")
    study = study.model_copy(update={"sweeps": {"transfers": study.sweeps["transfers"]}})
    case = expand_cases(study, site, Environment(1, True, {"tiny/transfers": "fio"}, 1))[0]
    large = case._replace(run=case.run._replace(file_size=2**60))
    assert "free, study tiny needs" in refusal(check_target, site, [large])
    assert check_target(site, [large._replace(guest=Guest(()))]) == target


def test_direct_io_is_tried_on_the_file_system_itself(project):
    found = takes_direct_io(project / "not/yet/made")
    try:
        descriptor = os.open("probe", os.O_CREAT | os.O_RDWR | os.O_DIRECT)
    except OSError:
        assert found is False
    else:
        os.close(descriptor)
        assert found is True
    assert takes_direct_io(Path("/proc")) is False


def test_only_marked_folders_are_cleared(target):
    (target / "a/b").mkdir(parents=True)
    message = refusal(clear, target / "a")
    assert message == f"{target / 'a'} was not made by this program; nothing is removed"
    assert (target / "a/b").is_dir()
    work = make_work_folder(target)
    (work / "s/x").mkdir(parents=True)
    (work / "s/x/file").touch()
    clear(work / "s/x")
    clear(work / "s/x")
    assert [path.name for path in work.rglob("*")] == [MARKER, "s"]


def test_links_inside_are_not_followed_when_clearing(target):
    work = make_work_folder(target)
    (target / "precious").mkdir()
    (target / "precious/file").touch()
    (work / "s").mkdir()
    (work / "s/link").symlink_to(target / "precious")
    clear(work / "s")
    (work / "s").symlink_to(target / "precious")
    refusal(clear, work / "s")
    (target / "precious/x").mkdir()
    refusal(clear, work / "s/x")
    assert sorted(path.name for path in (target / "precious").iterdir()) == ["file", "x"]


def test_a_lock_is_held_alone_and_names_its_holder(target):
    work = make_work_folder(target)
    with locked(work) as descriptor:
        owner = json.loads(os.pread(descriptor, 4096, 0))
        assert (owner["pid"], owner["host"]) == (os.getpid(), socket.gethostname())
        message = refusal(locked(work).__enter__)
        assert message == (
            f"{target} is being measured by process {os.getpid()} on {socket.gethostname()}; "
            "wait for it, or name another target"
        )
    with locked(work):
        pass


def test_a_lock_held_on_another_host_is_left_alone(target):
    work = make_work_folder(target)
    holder = os.open(work / LOCK, os.O_RDWR | os.O_CREAT)
    fcntl.flock(holder, fcntl.LOCK_EX)
    sleeper = subprocess.Popen(["sleep", "60"], pass_fds=(holder,))
    os.pwrite(holder, json.dumps({"pid": 1, "host": "elsewhere", "started": 5}).encode(), 0)
    os.close(holder)
    try:
        assert "is being measured by process 1 on elsewhere" in refusal(locked(work).__enter__)
        assert sleeper.poll() is None
    finally:
        sleeper.kill()
        sleeper.wait()


def test_what_a_dead_runner_left_running_is_ended_for_the_lock(target):
    work = make_work_folder(target)
    holder = os.open(work / LOCK, os.O_RDWR | os.O_CREAT)
    fcntl.flock(holder, fcntl.LOCK_EX)
    left = [subprocess.Popen(["sleep", "60"], pass_fds=(holder,), start_new_session=new) for new in (True, False)]
    stranger = subprocess.Popen(["sleep", "60"])
    os.pwrite(holder, json.dumps({"pid": 2**22 + 1, "host": socket.gethostname(), "started": 5}).encode(), 0)
    os.close(holder)
    try:
        with locked(work):
            assert [process.wait() for process in left] == [-9, -9]
            assert stranger.poll() is None
    finally:
        for process in (*left, stranger):
            process.kill()
            process.wait()


def test_what_a_work_folder_holds_outside_of_a_sweep_is_counted_by_blocks(target):
    work = make_work_folder(target)
    for name, size in (("s/own/t0", 8192), ("s/own/below/t0", 8192), ("s/probe/t0", 4096), ("s/probe/t1", 4096)):
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(size))
    with (work / "s/probe/hole").open("wb") as hole:
        hole.truncate(2**20)
    (work / "s/probe/link").symlink_to("../own/t0")
    assert bytes_elsewhere(work, work / "s/own") == 2 * 4096
    assert bytes_elsewhere(work, work / "s/probe") == 2 * 8192


def test_what_is_kept_aside_is_walked_once(target, monkeypatch):
    work = make_work_folder(target)
    folder = work / "s/own"
    for _ in range(3):
        (folder / "d").mkdir(parents=True)
        for name in ("t0", "d/t1"):
            (folder / name).write_bytes(bytes(4096))
        renew(folder, 1, 0)
    assert bytes_elsewhere(work, folder) == 3 * 2 * 4096
    walked = []
    scan = os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: walked.append(Path(path).name) or scan(path))
    assert bytes_elsewhere(work, folder) == 3 * 2 * 4096
    assert walked == ["coldcache", "s", ".aside"]
    (folder / "t0").write_bytes(bytes(4096))
    renew(folder, 1, 0)
    assert bytes_elsewhere(work, folder) == 7 * 4096
