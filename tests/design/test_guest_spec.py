"""A guest is started with what its case asks for, and counts what its mount sends."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from coldcache.design.guest_spec import Guest, describe_guest
from coldcache.design.settings.kernel_value import SysctlSetting
from coldcache.design.settings.nfs_guest import GuestSetting
from coldcache.measure.nfs_guest.start import _keeps_registers, describe_kernel, why_not, wrap
from coldcache.tools.fio import command as fio
from coldcache.tools.nfs_guest_log import read, split
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


def test_delays_and_layers_of_the_disk_are_passed_on():
    delay = GuestSetting(kind="nfs-guest", of="network", option="delay {level}s")
    cache = GuestSetting(kind="nfs-guest", of="disk", values={"none": "delay=10", "on": "delay=10; writecache"})
    settings = {"network_delay": delay, "server_cache": cache}
    found = describe_guest(settings, {"network_delay": 0.001, "server_cache": "on"}, "vers=3")
    assert found == Guest(("vers=3", "nolock"), (), 0, "delay 0.001s", ("delay=10", "writecache"))
    words = wrap(found, Run(("write",), "/mnt/t", 1, file_size=2**20), Inputs(), ["fio"])
    assert words[4:] == [
        "--network=delay 0.001s", "--layer=delay=10", "--layer=writecache", "--disk=65", "--memory=644", "--", "fio",
    ]  # fmt: skip


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


def test_a_guest_that_cannot_save_the_registers_of_the_processor_is_no_guest(tmp_path, monkeypatch):
    if " amx_tile" not in Path("/proc/cpuinfo").read_text():
        pytest.skip("this processor has no AMX registers")
    monkeypatch.setattr("coldcache.measure.nfs_guest.start._PROGRAMS", ())
    for said, reason in (("userspace - ptrace set fp regs failed, errno = 14", True), ("Linux", False)):
        (tmp_path / "linux.uml").write_text(f"#!/bin/sh\necho '{said}'\n")
        (tmp_path / "linux.uml").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
        monkeypatch.setattr("coldcache.measure.nfs_guest.start._PATH", f"{tmp_path}:/usr/bin:/bin")
        _keeps_registers.cache_clear()
        assert (why_not() is not None and "registers of this processor (AMX)" in why_not()) == reason
    _keeps_registers.cache_clear()


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
@pytest.mark.parametrize("version", ["vers=3,nolock", "vers=4.2"])
def test_each_call_waits_for_the_delay_of_both_ways_and_for_the_disk(tmp_path, version):
    """Both are lower bounds, which hold at any load: 32 calls of 2 x 5 ms, each of one write at least of 10 ms."""
    folder = tmp_path / "target"
    folder.mkdir()
    guest = Guest((version, "sync"), (), 0, "delay 5ms", ("delay=10",))
    run = Run(("write",), str(folder), 1, transfer_size=4096, file_size=2**17, seconds=60)
    words = wrap(guest, run, fio.inputs(run), fio.argv(run))
    done = subprocess.run(words, capture_output=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    sections = split(done.stdout)
    assert b"delay 5ms" in sections["network"]
    assert re.fullmatch(rb"layer0: 0 \d+ delay 1:0 0 10\n", sections["server disk"])
    found = read(done.stdout)
    (elapsed,) = (record.value for record in found if (record.operation, record.metric) == ("write", "elapsed"))
    assert elapsed >= 32 * (2 * 0.005 + 0.01)


@pytest.mark.usefixtures("guest")
def test_a_write_cache_hides_the_disk_behind_it(tmp_path):
    """Of one file with each write synchronous, the cache makes the same writes several times as fast."""
    rates = []
    for layers in (("delay=10",), ("delay=10", "writecache")):
        guest = Guest(("vers=3", "nolock", "sync"), (), 0, "", layers)
        run = Run(("write",), str(tmp_path), 1, transfer_size=4096, file_size=2**19, seconds=60)
        done = subprocess.run(wrap(guest, run, Inputs(), fio.argv(run)), capture_output=True, timeout=300, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        assert (b"writecache s 254:0 1:1 4096" in split(done.stdout)["server disk"]) == ("writecache" in layers)
        rates += [record.value for record in read(done.stdout) if record.metric == "throughput"][:1]
    assert rates[1] > 2 * rates[0]


@pytest.mark.usefixtures("guest")
def test_a_layer_that_is_none_ends_the_guest(tmp_path):
    words = wrap(Guest(("vers=3",), (), 0, "", ("raid",)), Run(("write",), str(tmp_path), 1), Inputs(), ["true"])
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, "unknown layer raid" in done.stderr) == (125, True)


@pytest.mark.usefixtures("guest")
def test_a_guest_ends_with_its_process_group_and_the_next_one_removes_what_it_left(tmp_path):
    words = wrap(Guest(("vers=3", "nolock"), (), 0), Run(("write",), str(tmp_path), 1), Inputs(), ["sleep", "60"])
    process = subprocess.Popen(words, start_new_session=True)
    left = f"coldcache-nfs.{process.pid}."
    end = time.monotonic() + 120
    while not any(folder.name.startswith(left) for folder in Path("/dev/shm").iterdir()):
        assert time.monotonic() < end
        time.sleep(0.01)
    time.sleep(1)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    listed = ["ps", "-o", "stat=", "--sid", str(process.pid)]
    # A zombie holds nothing any more.
    while re.search(r"(?m)^[^Z]", subprocess.run(listed, capture_output=True, text=True, check=False).stdout):
        assert time.monotonic() < end
        time.sleep(0.05)
    subprocess.run([*words[:3], "--mount=vers=9", "--", "true"], capture_output=True, timeout=60, check=False)
    assert not any(folder.name.startswith(left) for folder in Path("/dev/shm").iterdir())
