"""Each method is judged by its proof: one that drops nothing gives warm or unproved, never cold."""

import csv
import json
import os
import shutil
from pathlib import Path

import pytest

from coldcache.core.errors import SettingError, TargetError
from coldcache.core.outcome import ColdState
from coldcache.core.units import show_bytes
from coldcache.design.site import Cold
from coldcache.measure.cold import make_cold, why_not_cold
from coldcache.measure.host import mounts
from coldcache.measure.host.page_cache import measure_residency
from coldcache.measure.target import locked, make_work_folder

SITE = Path("config/sites/here.yaml")
STUDY = Path("config/studies/tiny.yaml")


def read_rows(table):
    with Path(f"results/tiny/{table}.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.fixture
def read_cold(project, coldcache, measure_arguments, change):
    """Measure buffered transfers by a method on a target; return the rows of `cold.csv`, each with its verdict."""

    def measure(method, target, commands=""):
        with SITE.open("a") as file:
            file.write(f"cold: {{method: {method}{', commands: ' + commands if commands else ''}}}\n")
        # The path of a socket has 107 bytes, and the folders of tests are deep.
        STUDY.write_text(STUDY.read_text().partition("  cache:\n")[0])
        change(STUDY, "file_size: [16 MiB]", "file_size: [4 MiB]")
        change(STUDY, "direct_io: [where-possible]", "direct_io: [false]")
        change(STUDY, "threads: [1, 2]", "threads: [2]")
        # 64 transfers of each thread with pauses between them, as fio's clock cannot measure 8 MiB from memory.
        operations = "    operations: [write, read]\n"
        change(STUDY, operations, f"{operations}    options: {{fio: [--thinktime=2000]}}\n")
        change(
            STUDY,
            "seconds: 0.2 s\n    factors:\n      threads: [2]\n      transfer",
            "seconds: 9 s\n    factors:\n      threads: [2]\n      transfer",
        )
        found = coldcache(*measure_arguments("tiny.transfers", "tiny", f"--target={target}"))
        assert found.returncode == 0, found.stderr
        assert coldcache("collect", "--campaign=tiny", "--results=results/tiny").returncode == 0
        verdicts = {(row["case"], row["repetition"]): row["codes"] for row in read_rows("verdicts")}
        rows = read_rows("cold")
        assert len(rows) == 2
        return [{**row, "codes": verdicts[row["case"], row["repetition"]]} for row in rows]

    return measure


@pytest.mark.parametrize("method", ["eviction", "remount"])
def test_a_method_that_drops_the_files_is_proved_cold(read_cold, loop_mount, method):
    for row in read_cold(method, loop_mount):
        assert (row["cold"], row["method"], row["resident_bytes"]) == ("cold", method, "0")
        assert row["file_bytes"] == row["moved_bytes"] == str(8 * 2**20)
        assert int(row["crossed_bytes"]) >= 8 * 2**20
        assert row["codes"] == ""


@pytest.mark.slow
def test_dropping_all_caches_is_proved_cold(read_cold, loop_mount):
    if not os.access("/proc/sys/vm/drop_caches", os.W_OK):
        pytest.skip("caches cannot be dropped here")
    for row in read_cold("drop-caches", loop_mount):
        assert (row["cold"], row["method"], row["resident_bytes"]) == ("cold", "drop-caches", "0")


@pytest.mark.parametrize(("method", "commands"), [("commands", '[["true"]]'), ("none", "")])
def test_a_method_that_drops_nothing_is_warm(read_cold, loop_mount, method, commands):
    for row in read_cold(method, loop_mount, commands):
        assert (row["cold"], row["method"]) == ("warm", method)
        assert row["resident_bytes"] == row["file_bytes"] == str(8 * 2**20)
        # The file system may read some blocks of its own meanwhile: the verdict lets a tenth of the bytes cross.
        crossed = int(row["crossed_bytes"])
        assert crossed <= 0.1 * 8 * 2**20
        # The bytes read are a rate times a time: 8 MiB, give or take a byte.
        assert row["why"].replace("8.0 MiB", "8 MiB") == f"{show_bytes(crossed)} of 8 MiB crossed the device"
        assert row["codes"] == "served-from-cache"


def test_a_drop_that_other_traffic_hides_is_unproved(read_cold, loop_mount, loop_device):
    """The command drops nothing of the files and makes the device deliver as much as the tool will read."""
    script = f"(sleep 0.05; dd if={loop_device} of=/dev/null bs=1M count=64 iflag=direct) >/dev/null 2>&1 &"
    for row in read_cold("commands", loop_mount, json.dumps([["sh", "-c", script]])):
        assert row["cold"] in ("unproved", "warm", "mixed")
        assert row["resident_bytes"] == row["file_bytes"]
        if row["cold"] == "unproved":
            assert row["why"].endswith("crossed the device, but 8 MiB of 8 MiB were in memory before")


def test_nothing_on_tmpfs_is_cold(read_cold):
    target = Path(f"/dev/shm/coldcache-{os.getpid()}")
    try:
        target.mkdir()
    except OSError as error:
        pytest.skip(f"no tmpfs: {error}")
    try:
        for row in read_cold("eviction", target):
            assert (row["cold"], row["why"]) == ("warm", "tmpfs is in memory, where nothing can be cold")
            assert row["resident_bytes"] == row["file_bytes"]
            assert row["codes"] == "served-from-cache"
    finally:
        shutil.rmtree(target)


def test_a_command_that_fails_is_told(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"x")
    cold = Cold(method="commands", commands=[["sh", "-c", "echo no such server >&2; exit 3"]])
    with pytest.raises(SettingError, match=r"exit status 3: no such server$"):
        make_cold(cold, [path], tmp_path, 0)


def test_the_lock_is_held_again_after_a_remount(loop_mount):
    work = make_work_folder(loop_mount)
    path = work / "file"
    path.write_bytes(os.urandom(2**20))
    with locked(work) as lock:
        inode = os.fstat(lock).st_ino
        found = make_cold(Cold(method="remount"), [path], work, lock)
        assert found == ColdState("remount", 2**20, 0)
        assert os.fstat(lock).st_ino == inode
        with pytest.raises(TargetError, match=f"is being measured by process {os.getpid()} "), locked(work):
            pass
    with locked(work):
        pass


def test_a_target_that_cannot_be_unmounted_stays_locked(loop_mount):
    work = make_work_folder(loop_mount)
    path = work / "file"
    path.write_bytes(b"x")
    with locked(work) as lock, path.open():
        with pytest.raises(SettingError, match="target is busy"):
            make_cold(Cold(method="remount"), [path], work, lock)
        with pytest.raises(TargetError), locked(work):
            pass
    assert measure_residency([path]).bytes == 1


def test_the_root_file_system_is_not_remounted():
    assert why_not_cold(Cold(method="remount"), Path("/")).endswith(": / is on the root file system")
    assert why_not_cold(Cold(), Path("/")) is None


HIDDEN = "10.0.0.10:6789:/ rw,name=admin,secret=<hidden>,acl"


@pytest.mark.parametrize(
    ("root", "line", "reason"),
    [
        ("/", "ext4 /dev/sdb1 rw", None),
        ("/", "nfs4 nas:/x rw,vers=4.2", None),
        ("/@data", "btrfs /dev/sdb1 rw,subvolid=256,subvol=/@data", None),
        ("/bench", "ext4 /dev/sdb1 rw",
         "{} shows the folder /bench of /dev/sdb1, which is not mounted as a whole there"),
        ("/@data/b", "btrfs /dev/sdb1 rw,subvolid=256,subvol=/@data",
         "{} shows the folder /@data/b of /dev/sdb1, which is not mounted as a whole there"),
        ("/", f"ceph {HIDDEN}", "the kernel hides an option of {}, without which it is not mounted again"),
        ("/", "cifs //nas/x rw", "{} is cifs, whose options in force do not mount it again"),
        ("/", "smb3 //nas/x rw", "{} is smb3, whose options in force do not mount it again"),
        ("/", "fuse.glusterfs nas:/x rw", "{} is fuse.glusterfs, whose options in force do not mount it again"),
    ],
)  # fmt: skip
def test_what_could_not_be_mounted_again_is_not_unmounted(tmp_path, monkeypatch, root, line, reason):
    table = tmp_path / "mountinfo"
    table.write_text(f"30 1 8:1 / / rw - ext4 /dev/sda1 rw\n31 30 8:17 {root} {tmp_path} rw,relatime - {line}\n")
    monkeypatch.setattr(mounts, "_TABLE", table)
    monkeypatch.setattr("coldcache.measure.cold.why_no_root", lambda: None)
    told = reason and f"caches cannot be dropped by remount: {reason.format(tmp_path)}; use drop-caches"
    assert why_not_cold(Cold(method="remount"), tmp_path) == told
    assert why_not_cold(Cold(method="drop-caches"), tmp_path) == why_not_cold(Cold(method="drop-caches"), Path("/"))
    # A model starts its own clients, whatever they mount.
    monkeypatch.setattr("coldcache.measure.cold.find_place", lambda folder: Path("/model"))
    assert why_not_cold(Cold(method="remount"), tmp_path) is None


def test_what_is_mounted_elsewhere_too_would_stay_in_memory(tmp_path, monkeypatch):
    table = tmp_path / "mountinfo"
    table.write_text(f"31 1 8:17 / {tmp_path} rw - ext4 /dev/sdb1 rw\n32 1 8:17 / /data\\0401 rw - ext4 /dev/sdb1 rw\n")
    monkeypatch.setattr(mounts, "_TABLE", table)
    assert why_not_cold(Cold(method="remount"), tmp_path) == (
        "caches cannot be dropped by remount: /dev/sdb1 is mounted on /data 1 too, so the kernel would keep what it "
        "holds of it; use drop-caches"
    )
