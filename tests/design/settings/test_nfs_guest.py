"""A guest is started with what its case asks for, and counts what its mount sends."""

import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from listed_processes import list_processes_of

from coldcache.design.settings.kernel_value import SysctlSetting
from coldcache.design.settings.nfs_guest import FOLDER, Guest, GuestSetting, describe_guest
from coldcache.measure.host.processes import kill_with_below
from coldcache.measure.nfs_guest.start import _keeps_registers, describe_kernel, explain_no_guest, wrap
from coldcache.tools.fio import command as fio
from coldcache.tools.nfs_guest_log import count_bytes, read, split
from coldcache.tools.run import Inputs, Run

SIZE = GuestSetting(kind="nfs-guest", option="rsize={level},wsize={level}")
VERSION = GuestSetting(kind="nfs-guest", option="vers={level}")


def test_options_of_factors_take_the_place_of_the_sites():
    settings = {"io_size": SIZE, "nfs_version": VERSION}
    found = describe_guest(settings, {"io_size": 65536, "nfs_version": "4.1"}, "vers=3,proto=tcp")
    assert found == Guest(("vers=4.1", "proto=tcp", "rsize=65536", "wsize=65536"))


def test_version_3_has_no_lock_manager_and_an_outage_is_passed_on():
    outage = GuestSetting(kind="nfs-guest", outage="6 s")
    parameters = GuestSetting(kind="nfs-guest", of="sysctl", values={"big": "a.b=1; c.d=2 3"})
    found = describe_guest(
        {"outage_option": outage, "sysctl": parameters}, {"outage_option": "hard", "sysctl": "big"}, "vers=3"
    )
    assert found == Guest(("vers=3", "hard", "nolock"), ("a.b=1", "c.d=2 3"), 6)


def test_standing_parameters_hold_where_no_factor_varies_the_same():
    standing = ["vm.dirty_expire_centisecs=360000"]
    alone = describe_guest({"io_size": SIZE}, {"io_size": 65536}, "vers=3", standing)
    assert alone.parameters == tuple(standing)
    values = {"defaults": "", "recommended": "vm.dirty_expire_centisecs=100; vm.dirty_ratio=20"}
    varied = GuestSetting(kind="nfs-guest", of="sysctl", values=values)
    assert describe_guest({"sysctl": varied}, {"sysctl": "defaults"}, "vers=3", standing).parameters == ()
    slots = GuestSetting(kind="nfs-guest", of="sysctl", option="sunrpc.tcp_max_slot_table_entries={level}")
    found = describe_guest({"slot_table_entries": slots}, {"slot_table_entries": 2}, "vers=3", standing)
    assert found.parameters == (*standing, "sunrpc.tcp_max_slot_table_entries=2")


def test_delays_and_layers_of_the_disk_are_passed_on():
    delay = GuestSetting(kind="nfs-guest", of="network", option="delay {level}s")
    rate = GuestSetting(kind="nfs-guest", of="server-network", option="rate {level}bps")
    cache = GuestSetting(kind="nfs-guest", of="disk", values={"none": "delay=10", "on": "delay=10; writecache"})
    settings = {"network_delay": delay, "server_rate": rate, "server_cache": cache}
    found = describe_guest(settings, {"network_delay": 0.001, "server_rate": 10**7, "server_cache": "on"}, "vers=3")
    layers = ("delay=10", "writecache")
    assert found == Guest(
        ("vers=3", "nolock"), network="delay 0.001s", server_network="rate 10000000bps", layers=layers
    )
    words = wrap(found, Run(("write",), "/mnt/t", 1, file_size=2**20), Inputs(), ["fio"])
    assert words[4:] == [
        "--network=delay 0.001s", "--server-network=rate 10000000bps", "--layer=delay=10", "--layer=writecache",
        "--disk=65", "--memory=652", "--", "fio",
    ]  # fmt: skip


def test_an_array_has_no_mount_options_and_several_clients_have_a_mount_each():
    cache = GuestSetting(kind="nfs-guest", of="array", values={"off": "delay=10", "on": "delay=10; writecache"})
    rate = GuestSetting(kind="nfs-guest", of="array", option="rate={level}")
    array = describe_guest({"write_cache": cache, "disk_rate": rate}, {"write_cache": "off", "disk_rate": 10**6}, "rw")
    assert array == Guest((), layers=("delay=10", "rate=1000000"))
    assert "--mount" not in " ".join(wrap(array, Run(("write",), "/mnt/t", 1), Inputs(), ["fio"]))
    standing = ["rate=48000000"]
    alone = describe_guest({"write_cache": cache}, {"write_cache": "on"}, "rw", array=standing)
    assert alone.layers == ("rate=48000000", "delay=10", "writecache")
    varied = {"write_cache": cache, "disk_rate": rate}
    assert describe_guest(varied, {"write_cache": "off", "disk_rate": 10**6}, "rw", array=standing) == array
    assert describe_guest({"io_size": SIZE}, {"io_size": 65536}, "vers=4.1", array=standing).layers == ()
    several = describe_guest({"io_size": SIZE}, {"io_size": 65536, "nodes": 2}, "vers=4.1")
    assert (several.clients, several.mounts, several.seconds) == (2, (f"{FOLDER}/c1", f"{FOLDER}/c2"), 6.4)
    assert "--clients=2" in wrap(several, Run(("write",), "/mnt/t", 1), Inputs(), ["fio"])


def test_other_settings_need_no_guest():
    assert describe_guest({"sysctl": SysctlSetting(kind="sysctl", name="a.b")}, {"sysctl": 1}, "vers=3") is None


def test_a_thousand_names_are_a_few_words():
    names = (tuple(f"t.0.{number}" for number in range(1000)), ("t1",))
    words = wrap(Guest(("vers=3",)), Run(("read",), "/mnt/t", 1), Inputs(names, 2**20), ["fio", "--x"])
    assert words[2:] == [
        "--at=/mnt/t", "--mount=vers=3", "--input=t.0.{0..999}", "--size=1048576", "--input=t1", "--size=1048576",
        "--disk=1165", "--memory=3050", "--", "fio", "--x",
    ]  # fmt: skip


def test_a_missing_program_is_named_with_what_installs_it(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    assert explain_no_guest() == "linux.uml is not on PATH; bash envs/setup.sh nfs"


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
        assert (explain_no_guest() is not None and "this processor's registers (AMX)" in explain_no_guest()) == reason
    _keeps_registers.cache_clear()


@pytest.fixture
def guest():
    if explain_no_guest():
        pytest.skip(explain_no_guest())
    assert describe_kernel()["kind"] == "User-Mode Linux"


def start(guest, run, command=(), timeout=250):
    """Return the output of a command, by default fio's own, in a guest that ended well."""
    words = wrap(guest, run, fio.inputs(run), list(command) or fio.argv(run))
    done = subprocess.run(words, capture_output=True, timeout=timeout, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


@pytest.mark.usefixtures("guest")
@pytest.mark.parametrize(("mode", "calls"), [("sync", 128), ("async", 16)])
def test_a_guest_writes_a_call_for_each_write_or_for_each_wsize(mode, calls):
    run = Run(("write",), FOLDER, 1, transfer_size=8192, file_size=2**20, seconds=60)
    log = start(Guest(("vers=3", "nolock", mode, "wsize=65536")), run)
    counted = {
        record.operation: record.value
        for record in read(log)
        if record.metric == "count" and record.definition.startswith("operations,")
    }
    assert counted["rpc-write"] == calls


@pytest.mark.usefixtures("guest")
@pytest.mark.parametrize("version", ["vers=3,nolock", "vers=4.2"])
def test_each_call_waits_for_the_delay_of_both_ways_and_for_the_disk(version):
    """Both are lower bounds, which hold at any load: 32 calls of 2 x 5 ms, each of one write at least of 10 ms."""
    guest = Guest((version, "sync"), network="delay 5ms", layers=("delay=10",))
    log = start(guest, Run(("write",), FOLDER, 1, transfer_size=4096, file_size=2**17, seconds=60))
    sections = split(log)
    assert b"delay 5ms" in sections["network"]
    disk, delay = sections["server disk"].decode().splitlines()
    assert re.fullmatch(r"disk: 0 \d+ linear 1:0 0", disk)
    assert re.fullmatch(r"layer0: 0 \d+ delay 254:0 0 10", delay)
    (elapsed,) = (record.value for record in read(log) if (record.operation, record.metric) == ("write", "elapsed"))
    assert elapsed >= 32 * (2 * 0.005 + 0.01)


@pytest.mark.usefixtures("guest")
def test_each_client_fills_the_slots_of_its_connections_through_the_one_link_of_the_server():
    """Two clients with two connections of three slots; what the server's link lets through is a lower bound of time."""
    guest = Guest(
        ("vers=3", "nolock", "nconnect=2", "wsize=4096"), ("sunrpc.tcp_max_slot_table_entries=3",), network="delay 5ms",
        server_network="rate 2000000bps", clients=2,
    )  # fmt: skip
    run = Run(("write",), FOLDER, 2, mounts=guest.mounts, transfer_size=4096, file_size=2**20, seconds=60)
    log = start(guest, run)
    counted = {
        record.operation: record.value for record in read(log) if record.operation in ("transports", "most-in-flight")
    }
    assert counted == {"transports": 4.0, "most-in-flight": 12.0}
    counters = count_bytes(split(log))
    assert (counters.crossing, counters.difference("written_bytes")) == ("wire", 2 * 2**20)
    assert counters.difference("disk.written_bytes") >= 2 * 2**20
    (elapsed,) = (record.value for record in read(log) if (record.operation, record.metric) == ("write", "elapsed"))
    assert elapsed >= 2 * 2**20 / 2e6


@pytest.mark.usefixtures("guest")
def test_a_write_cache_takes_what_its_disks_would_and_each_device_counts_its_bytes():
    """Without a cache the disk has the bytes and its rate bounds them; with one the cache has them, and its rate."""
    run = Run(("write",), FOLDER, 1, transfer_size=2**20, file_size=4 * 2**20, direct_io=True, seconds=1)
    for layers, device in ((("rate=4000000",), "disk"), (("cache-rate=4000000", "writecache"), "cache")):
        log = start(Guest((), layers=layers), run)
        counters, sections = count_bytes(split(log)), split(log)
        assert sections["disk limits"].decode().strip() == layers[0]
        written = counters.difference("written_bytes")
        assert counters.crossing == "device"
        counts = [one.value for one in read(log) if (one.operation, one.metric) == ("write", "count")]
        # Nothing else writes meanwhile, such as the file system itself.
        assert written == counts[0] * 2**20 >= 4 * 2**20
        assert counters.difference(f"{device}.written_bytes") >= written
        assert sum(counters.difference(f"{name}.written_bytes") == 0 for name in ("disk",)) == (device == "cache")
        (elapsed,) = (one.value for one in read(log) if (one.operation, one.metric) == ("write", "elapsed"))
        # What the limit lets through in a tenth of a second is not held back.
        assert written / elapsed <= 1.5 * 4e6


@pytest.mark.usefixtures("guest")
def test_a_layer_that_is_none_ends_the_guest():
    words = wrap(Guest(("vers=3",), layers=("raid",)), Run(("write",), FOLDER, 1), Inputs(), ["true"])
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, "unknown layer raid" in done.stderr) == (125, True)


@pytest.mark.usefixtures("guest")
@pytest.mark.parametrize("end", [subprocess.Popen.terminate, lambda script: kill_with_below(script.pid)])
def test_a_guest_ends_with_its_script_and_the_next_one_removes_what_is_left(end):
    """The guest leads a session of its own, which a signal to the script's process group does not reach."""
    words = wrap(Guest(("vers=3", "nolock")), Run(("write",), FOLDER, 1), Inputs(), ["sleep", "600"])
    script = subprocess.Popen(words, start_new_session=True)
    lab = f"coldcache-nfs.{script.pid}."
    late = time.monotonic() + 120
    while not [*Path("/dev/shm").glob(f"{lab}*/out/stdout")]:
        assert time.monotonic() < late
        time.sleep(0.01)
    assert any(os.getsid(process) != script.pid for process in list_processes_of(f"LAB=/dev/shm/{lab}"))
    end(script)
    script.wait()
    while list_processes_of(f"LAB=/dev/shm/{lab}"):
        assert time.monotonic() < late
        time.sleep(0.05)
    subprocess.run([*words[:3], "--mount=vers=9", "--", "true"], capture_output=True, timeout=60, check=False)
    assert not [*Path("/dev/shm").glob(f"{lab}*")]
