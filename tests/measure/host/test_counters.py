"""Bytes are counted where they cross the device or the wire; captured trees replace kernels not at hand."""

import os
import re
import shutil
import stat
from pathlib import Path

import pytest

from coldcache.campaign.trial_json import read_outcome
from coldcache.core.outcome import Counters
from coldcache.measure.host.counters import (
    CounterSource,
    choose_counters,
    find_block_device,
    list_members,
    pair_counters,
    read_counters,
)
from coldcache.measure.host.mounts import Mount, find_mount
from coldcache.tools import find_tool
from coldcache.verdicts.cold_proof import judge_cold
from coldcache.verdicts.observation import Observation, measured_seconds
from coldcache.verdicts.thresholds import Thresholds

SPECIMENS = Path(__file__).parents[2] / "specimens"


def mounted(filesystem, source, point="/mnt/x", device="0:99"):
    return Mount(point, filesystem, source, "rw", device)


@pytest.fixture
def nfs(tmp_path):
    """The files of a client of NFS at a moment that a specimen shows."""

    def at(moment):
        (tmp_path / "proc/self").mkdir(parents=True, exist_ok=True)
        shutil.copy(SPECIMENS / f"mountstats-6.1-{moment}.txt", tmp_path / "proc/self/mountstats")
        return tmp_path

    return at


@pytest.fixture
def lustre(tmp_path):
    """The files of a client of Lustre, as lctl names them: ``osc.NAME.stats`` is osc/NAME/stats."""
    text = (SPECIMENS / "lustre-2.14.0-stats.txt").read_text()
    for name, stats in re.findall(r"^([a-z]+\..*)=\n((?:[a-z_]+ .*\n)+)", text, re.MULTILINE):
        path = tmp_path / "sys/kernel/debug/lustre" / name.replace(".", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(stats)
    return tmp_path


def test_an_nfs_mount_counts_its_own_bytes(nfs):
    for point, read, written, calls in (
        ("/mnt/a", 0, 16 * 2**20, 260), ("/mnt/with blank", 8 * 2**20, 8 * 2**20, 79),
    ):  # fmt: skip
        root = nfs("before")
        counters = choose_counters(mounted("nfs4", "127.0.0.1:/", point), root=root)
        assert (counters, counters.crossing) == (CounterSource("nfs", point), "wire")
        before = read_counters(counters, root)
        after = read_counters(counters, nfs("after"))
        assert (before["read_bytes"], before["written_bytes"]) == (0, 0)
        assert (after["read_bytes"], after["written_bytes"]) == (read, written)
        # The calls are those of this mount alone.
        assert after["calls"] - before["calls"] == calls


def test_an_nfs_mount_that_is_gone_counts_nothing(nfs):
    assert read_counters(CounterSource("nfs", "/mnt/a"), nfs("none")) is None
    assert read_counters(CounterSource("nfs", "/mnt/b"), nfs("after")) is None


def test_a_lustre_client_counts_what_its_servers_moved_and_not_what_was_asked_of_it(lustre):
    counters = choose_counters(mounted("lustre", "10.0.0.1@tcp:10.0.0.2@tcp:/a361000/home"), root=lustre)
    assert counters == CounterSource("lustre", "a361000")
    # Of 44,179,456 bytes that were read all but 64 KiB came from memory.
    assert read_counters(counters, lustre) == {"read_bytes": 65536, "written_bytes": 65536}


def test_counters_of_lustre_that_cannot_be_read_are_told(tmp_path):
    counters = choose_counters(mounted("lustre", "mgs@o2ib:/scratch"), root=tmp_path)
    assert counters.why_not == "the counters of Lustre's scratch cannot be read; they need root"
    assert read_counters(counters, tmp_path) is None


def test_interfaces_that_the_site_names_count_for_every_other_network_file_system(tmp_path):
    (tmp_path / "proc/net").mkdir(parents=True)
    shutil.copy(SPECIMENS / "proc-net-dev-6.18.txt", tmp_path / "proc/net/dev")
    mount = mounted("fuse.glusterfs", "server:/volume")
    assert choose_counters(mount, root=tmp_path).why_not == (
        "fuse.glusterfs has no block device; if it is served over a network, let the site name the interfaces (network)"
    )
    assert choose_counters(mount, ["ib0"], tmp_path).why_not == "there is no network interface ib0"
    counters = choose_counters(mount, ["eth0", "ifb0"], tmp_path)
    numbers = (SPECIMENS / "proc-net-dev-6.18.txt").read_text().split("eth0:")[1].split()
    assert read_counters(counters, tmp_path) == {"read_bytes": int(numbers[0]), "written_bytes": int(numbers[8])}


@pytest.mark.skipif(bool(os.geteuid()), reason="another user can be taken by root alone")
def test_a_plain_user_who_may_not_look_into_debugfs_has_no_counters_of_lustre(lustre):
    for folder in (lustre, *lustre.parents[:-1]):
        folder.chmod(folder.stat().st_mode | 0o011)
    (lustre / "sys/kernel/debug").chmod(0o700)
    mount = mounted("lustre", "10.0.0.1@tcp:10.0.0.2@tcp:/a361000/home")
    os.seteuid(65534)
    try:
        counters = choose_counters(mount, root=lustre)
        assert read_counters(CounterSource("lustre", "a361000"), lustre) is None
    finally:
        os.seteuid(0)
    assert counters.why_not == "the counters of Lustre's a361000 cannot be read; they need root"


def test_the_name_that_a_mapper_gives_a_device_leads_to_its_number(loop_device, tmp_path):
    number = Path(loop_device).stat().st_rdev
    (tmp_path / "dev/mapper").mkdir(parents=True)
    os.mknod(tmp_path / "dev/mapper/vg-root", 0o600 | stat.S_IFBLK, number)
    mount = mounted("btrfs", "/dev/mapper/vg-root", device="0:77")
    assert find_block_device(mount, tmp_path) == f"{os.major(number)}:{os.minor(number)}"
    assert find_block_device(mount._replace(source="/dev/mapper/vg-home"), tmp_path) is None
    (tmp_path / "dev/mapper/vg-home").touch()
    assert find_block_device(mount._replace(source="/dev/mapper/vg-home"), tmp_path) is None


def test_the_device_of_a_file_system_that_hides_it_is_found_by_its_source(loop_mount, loop_device):
    mount = find_mount(loop_mount)
    assert choose_counters(mount) == CounterSource("device", mount.device)
    hidden = mount._replace(filesystem="btrfs", device="0:77")
    assert choose_counters(hidden) == CounterSource("device", mount.device)
    before = read_counters(CounterSource("device", mount.device))
    with (loop_mount / "x").open("wb") as file:
        file.write(bytes(2**20))
        file.flush()
        os.fsync(file.fileno())
    assert read_counters(CounterSource("device", mount.device))["written_bytes"] - before["written_bytes"] >= 2**20


@pytest.mark.parametrize(
    ("read", "nodes", "verdict", "why"),
    [
        (32 * 2**20, 1, "cold", "32 MiB of 32 MiB crossed the wire; how much the server held in memory is unknown"),
        (0, 1, "warm", "0 B of 32 MiB crossed the wire"),
        (32 * 2**20, 2, "unproved", "the bytes were counted on one of 2 nodes"),
    ],
)
def test_a_read_over_the_wire_is_told_apart_from_one_of_the_device(measured, read, nodes, verdict, why):
    folder = Path("raw/tiny/tiny/transfers/operation=read,threads=2/r0")
    outcome = read_outcome(folder / "trial.json")
    records = find_tool("fio").read((folder / "stdout.txt").read_bytes())
    trial = Observation(outcome, records, None, Thresholds())
    rate = next(record for record in records if record.metric == "throughput")
    trial = trial._replace(records=[rate._replace(value=32 * 2**20 / measured_seconds(trial, "read")),
                                    *(record for record in records if record.metric == "elapsed")])  # fmt: skip
    counters = Counters({"read_bytes": 5}, {"read_bytes": 5 + read}, "nfs", "wire")
    factors, cold = {**outcome.factors, "nodes": nodes}, outcome.cold._replace(resident_bytes=0)
    found = judge_cold(trial._replace(outcome=outcome._replace(counters=counters, factors=factors, cold=cold)))
    # What the tool moved is its rate over its time, which is whole bytes but for rounding.
    assert (found.verdict, found.why.replace("32.0 MiB", "32 MiB")) == (verdict, why)


def test_a_read_that_nothing_counts_is_unproved_with_the_reason(measured):
    folder = Path("raw/tiny/tiny/transfers/operation=read,threads=2/r0")
    outcome = read_outcome(folder / "trial.json")
    records = find_tool("fio").read((folder / "stdout.txt").read_bytes())
    outcome = outcome._replace(counters=None, uncounted="fuse.x has no block device")
    found = judge_cold(Observation(outcome, records, None, Thresholds()))
    assert (found.verdict, found.why) == ("unproved", "fuse.x has no block device")


def disk(root, name, number, iostats="1", reads=0):
    """Write the files of a block device that read so many sectors below another root, and return its folder."""
    folder = root / "sys/devices" / name
    (folder / "queue").mkdir(parents=True, exist_ok=True)
    (folder / "dev").write_text(f"{number}\n")
    (folder / "stat").write_text(f"{reads} 0 {reads} 0 {'0 ' * 13}\n")
    (folder / "queue/iostats").write_text(f"{iostats}\n")
    link = root / "sys/dev/block" / number
    link.parent.mkdir(parents=True, exist_ok=True)
    if not link.is_symlink():
        link.symlink_to(folder)
    return folder


def test_a_disk_that_was_told_not_to_count_counts_nothing(tmp_path):
    mount = mounted("xfs", "/dev/nvme0n1", device="259:0")
    why = "nvme0n1 does not count: /sys/block/nvme0n1/queue/iostats is 0; write 1 into it"
    disk(tmp_path, "nvme0n1", "259:0", iostats="0", reads=7)
    off = choose_counters(mount, root=tmp_path)
    assert off == CounterSource("device", "259:0", doubt=why)
    before = read_counters(off, tmp_path)
    assert pair_counters(off, before, before) == why
    flushed = {**before, "flushes": before["flushes"] + 4}
    assert pair_counters(off, before, flushed) == why
    # Whatever it states, one that moves counts.
    after = {**before, "read_bytes": before["read_bytes"] + 512}
    assert pair_counters(off, before, after) == Counters(before, after, "device", "device")
    disk(tmp_path, "nvme0n1", "259:0", iostats="1")
    on = choose_counters(mount, root=tmp_path)
    assert (on.doubt, pair_counters(on, before, before)) == (None, Counters(before, before, "device", "device"))
    assert pair_counters(on, before, flushed) == Counters(before, flushed, "device", "device")


def test_a_partition_counts_as_its_disk_does(tmp_path):
    part = disk(tmp_path, "sda", "8:0", iostats="0") / "sda1"
    part.mkdir()
    (part / "partition").write_text("1\n")
    (tmp_path / "sys/dev/block/8:1").symlink_to(part)
    found = choose_counters(mounted("ext4", "/dev/sda1", device="8:1"), root=tmp_path)
    assert found.doubt == "sda does not count: /sys/block/sda/queue/iostats is 0; write 1 into it"


def test_a_device_that_is_made_of_others_counts_whatever_it_states(tmp_path):
    (disk(tmp_path, "dm-0", "253:0", iostats="0") / "slaves/sda").mkdir(parents=True)
    assert choose_counters(mounted("xfs", "/dev/mapper/v", device="253:0"), root=tmp_path).doubt is None


def test_btrfs_on_several_devices_has_no_counters_as_its_source_names_one(tmp_path):
    members = tmp_path / "sys/fs/btrfs/0a1b/devices"
    members.mkdir(parents=True)
    for name, number in (("sdb", "8:16"), ("sdc", "8:32")):
        (members / name).symlink_to(disk(tmp_path, name, number))
    mount = mounted("btrfs", "/dev/sdb", device="8:16")
    found = choose_counters(mount, root=tmp_path)
    assert found == CounterSource("", why_not="btrfs on 2 devices: its source names one")
    assert sorted(list_members("8:32", tmp_path)) == ["8:16", "8:32"]
    assert list_members("8:48", tmp_path) == ["8:48"]
    (members / "sdc").unlink()
    assert choose_counters(mount, root=tmp_path) == CounterSource("device", "8:16")


def test_counters_that_cannot_be_read_are_told():
    assert pair_counters(CounterSource("nfs", "/mnt/a"), {"calls": 1}, None) == "the counters of /mnt/a cannot be read"
    assert pair_counters(CounterSource("", why_not="none"), None, None) == "none"


def test_a_sync_is_counted_as_a_flush_of_the_device(loop_mount):
    source = choose_counters(find_mount(loop_mount))
    before = read_counters(source)
    with (loop_mount / "x").open("wb") as file:
        for _ in range(3):
            file.write(bytes(4096))
            file.flush()
            os.fsync(file.fileno())
    after = read_counters(source)
    assert after["flushes"] - before["flushes"] >= 3
    assert after["writes"] - before["writes"] >= 3
