"""A guest is started with what its case asks for, and counts what its mount sends."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from coldcache.nfs_lab.guest import Guest, describe_guest, describe_kernel, why_not, wrap
from coldcache.setting_kinds import GuestSetting, SysctlSetting
from coldcache.tools import fio
from coldcache.tools.nfs_guest import read
from coldcache.tools.run import Inputs, Run

SIZE = GuestSetting(kind="nfs-guest", option="rsize={level},wsize={level}")
VERSION = GuestSetting(kind="nfs-guest", option="vers={level}")


def test_options_of_factors_take_the_place_of_the_sites():
    settings = {"io_size": SIZE, "nfs_version": VERSION}
    found = describe_guest(settings, {"io_size": 65536, "nfs_version": "4.1"}, "vers=3,proto=tcp")
    assert found == Guest(("vers=4.1", "proto=tcp", "rsize=65536", "wsize=65536"), (), 0)


def test_version_3_has_no_lock_manager_and_an_outage_is_passed_on():
    outage = GuestSetting(kind="nfs-guest", outage="6 s")
    parameters = GuestSetting(kind="nfs-guest", of="sysctl", values={"big": "a.b=1; c.d=2 3"})
    found = describe_guest(
        {"outage_option": outage, "sysctl": parameters}, {"outage_option": "hard", "sysctl": "big"}, "vers=3"
    )
    assert found == Guest(("vers=3", "hard", "nolock"), ("a.b=1", "c.d=2 3"), 6)


def test_standing_parameters_hold_where_no_factor_varies_such():
    standing = ["vm.dirty_expire_centisecs=360000"]
    alone = describe_guest({"io_size": SIZE}, {"io_size": 65536}, "vers=3", standing)
    assert alone.parameters == tuple(standing)
    varied = GuestSetting(kind="nfs-guest", of="sysctl", values={"defaults": ""})
    assert describe_guest({"sysctl": varied}, {"sysctl": "defaults"}, "vers=3", standing).parameters == ()


def test_other_settings_need_no_guest():
    assert describe_guest({"sysctl": SysctlSetting(kind="sysctl", name="a.b")}, {"sysctl": 1}, "vers=3") is None


def test_a_thousand_names_are_a_few_words():
    names = (tuple(f"t.0.{number}" for number in range(1000)), ("t1",))
    words = wrap(Guest(("vers=3",), (), 0), Run(("read",), "/mnt/t", 1), Inputs(names, 2**20), ["fio", "--x"])
    assert words[2:] == [
        "--at=/mnt/t", "--mount=vers=3", "--input=t.0.{0..999}", "--size=1048576", "--input=t1", "--size=1048576",
        "--disk=1165", "--memory=3042", "--", "fio", "--x",
    ]  # fmt: skip


def test_a_missing_program_is_named_with_what_installs_it(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert why_not() == "linux.uml is not on PATH; bash envs/setup.sh nfs"


@pytest.fixture
def guest():
    if why_not():
        pytest.skip(why_not())
    assert describe_kernel()["kind"] == "User-Mode Linux"


@pytest.mark.usefixtures("guest")
@pytest.mark.parametrize(("mode", "calls"), [("sync", 128), ("async", 16)])
def test_a_guest_writes_a_call_for_each_write_or_for_each_wsize(tmp_path, monkeypatch, mode, calls):
    monkeypatch.chdir(tmp_path)
    folder = Path("a folder")
    folder.mkdir()
    run = Run(("write",), str(folder), 1, transfer_size=8192, file_size=2**20, seconds=60)
    words = wrap(Guest(("vers=3", "nolock", mode, "wsize=65536"), (), 0), run, fio.inputs(run), fio.argv(run))
    done = subprocess.run(words, capture_output=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    counted = {
        record.operation: record.value
        for record in read(done.stdout)
        if record.metric == "count" and record.definition.startswith("operations,")
    }
    assert counted["rpc-write"] == calls
    assert list(folder.iterdir()) == []


@pytest.mark.usefixtures("guest")
def test_a_guest_ends_with_its_process_group_and_the_next_one_removes_what_it_left(tmp_path):
    words = wrap(Guest(("vers=3", "nolock"), (), 0), Run(("write",), str(tmp_path), 1), Inputs(), ["sleep", "60"])
    process = subprocess.Popen(words, start_new_session=True)
    left = f"coldcache-nfs.{process.pid}."
    end = time.monotonic() + 30
    while not any(folder.name.startswith(left) for folder in Path("/dev/shm").iterdir()):
        assert time.monotonic() < end
        time.sleep(0.01)
    time.sleep(1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    time.sleep(0.2)
    members = subprocess.run(["ps", "-o", "stat=", "--sid", str(process.pid)], capture_output=True, text=True).stdout
    assert [state for state in members.split() if not state.startswith("Z")] == []
    subprocess.run([*words[:3], "--mount=vers=9", "--", "true"], capture_output=True, timeout=60, check=False)
    assert not any(folder.name.startswith(left) for folder in Path("/dev/shm").iterdir())
