"""A limit of IOPS is put on a device by the control group of the runner, held by the kernel, and taken away again."""

import json
import subprocess
from pathlib import Path

import pytest

from coldcache.core.errors import SettingError
from coldcache.design.settings.cgroup_limit import LimitSetting
from coldcache.measure.settings.block import BlockSettings, is_left, restore_left
from coldcache.measure.settings.changes import Changes
from coldcache.measure.settings.drivers.cgroup_limit import find_group
from coldcache.measure.settings.registry import driver_of, locate
from coldcache.measure.target import locked, make_work_folder

LIMIT = LimitSetting(kind="cgroup")

#: io.max as Documentation/admin-guide/cgroup-v2.rst has it.
IO_MAX = "8:16 rbps=2097152 wbps=max riops=max wiops=120\n7:0 rbps=max wbps=max riops=500 wiops=500\n"


@pytest.fixture
def address(loop_mount):
    try:
        found = locate(LIMIT, loop_mount)
    except SettingError as error:
        pytest.skip(str(error))
    reason = driver_of(found).why_not(found)
    if reason:
        pytest.skip(reason)
    return found


def test_the_kernel_holds_a_limit_while_it_is_in_force_and_no_longer(address, loop_mount):
    work = make_work_folder(loop_mount)
    with locked(work) as lock:
        with Changes(work, lock) as changes:
            assert changes.read(address) == "max"
            assert changes.put("device_iops", address, "200", "200") == "200"
            assert is_left(work)
            words = ["fio", "--name=t", f"--directory={loop_mount}", "--rw=randwrite", "--bs=4k", "--size=4m"]
            words += ["--direct=1", "--time_based", "--runtime=3", "--output-format=json"]
            told = json.loads(subprocess.run(words, capture_output=True, check=True, timeout=120).stdout)
            # The kernel counts in slices of a tenth of a second, so a little more passes over three seconds.
            assert 0 < told["jobs"][0]["write"]["iops"] < 220
            assert changes.put("device_iops", address, "400", "400") == "400"
        assert driver_of(address).read(address, lock) == "max"
        assert not is_left(work)


def test_a_limit_that_stood_before_is_put_back_though_reads_and_writes_differ(address, loop_mount):
    work, module = make_work_folder(loop_mount), driver_of(address)
    module.apply(address, "700 max", 0)
    try:
        with locked(work) as lock, Changes(work, lock) as changes:
            assert changes.put("device_iops", address, "500", "500") == "500"
        assert module.read(address, 0) == "700 max"
    finally:
        module.restore(address, "max", 0)
    assert module.read(address, 0) == "max"


def test_what_a_killed_runner_left_is_taken_away_by_the_next_start(address, loop_mount):
    work = make_work_folder(loop_mount)
    with locked(work) as lock:
        # Neither undone nor forgotten, as after kill -9.
        Changes(work, lock).put("device_iops", address, "500", "500")
        assert is_left(work)
        with BlockSettings(work, lock):
            assert driver_of(address).read(address, lock) == "max"
        assert restore_left(work, lock) == 0


def test_a_limit_goes_with_its_group(address, loop_mount, tmp_path):
    work, gone = make_work_folder(loop_mount), tmp_path / "group"
    gone.mkdir()
    (gone / "io.max").write_text("")
    with locked(work) as lock:
        Changes(work, lock).put("device_iops", {**address, "folder": str(gone)}, "500", "500")
        (gone / "io.max").unlink()
        gone.rmdir()
        assert restore_left(work, lock) == 1
        assert not is_left(work)


def test_version_2_has_both_limits_in_one_file(tmp_path):
    (tmp_path / "io.max").write_text(IO_MAX)
    module = driver_of({"module": "device-limit"})
    read = {device: module.read({"device": device, "folder": str(tmp_path)}, 0) for device in ("7:0", "8:16", "8:1")}
    assert read == {"7:0": "500", "8:16": "max 120", "8:1": "max"}
    module.apply({"device": "7:0", "folder": str(tmp_path)}, "max 2000", 0)
    assert (tmp_path / "io.max").read_text() == "7:0 riops=max wiops=2000"


@pytest.mark.parametrize(
    ("groups", "mount", "file"),
    [
        ("0::/user.slice/run.scope\n", "30 23 0:26 / {} rw - cgroup2 cgroup2 rw", "user.slice/run.scope/io.max"),
        ("4:blkio:/docker/7f\n0::/\n", "31 23 0:27 /docker/7f {} rw - cgroup cgroup rw,blkio",
         "blkio.throttle.read_iops_device blkio.throttle.write_iops_device"),
    ],
)  # fmt: skip
def test_the_group_of_this_process_is_found_in_either_version(tmp_path, groups, mount, file):
    point = tmp_path / "cgroup"
    (tmp_path / "cgroup").mkdir()
    (tmp_path / "mountinfo").write_text(f"{mount.format(point)}\n")
    Path(tmp_path, "self").mkdir()
    for name, text in (("cgroup", groups), ("mountinfo", f"{mount.format(point)}\n")):
        (tmp_path / "self" / name).write_text(text)
    with pytest.raises(SettingError, match=r"^no control group limits the I/O of this process \(.*has neither io.max"):
        find_group(tmp_path / "self")
    for name in file.split():
        (point / name).parent.mkdir(parents=True, exist_ok=True)
        (point / name).write_text("")
    assert find_group(tmp_path / "self") == str((point / file.split()[0]).parent)


def test_a_target_without_a_device_is_told(tmp_path):
    with pytest.raises(SettingError, match=r"^/dev/shm lies on tmpfs, which has no block device$"):
        locate(LIMIT, Path("/dev/shm"))


def test_the_disk_of_the_system_is_not_slowed():
    # In a container the root file system has no device.
    with pytest.raises(SettingError, match=r" holds the root file system: a limit would| which has no block device$"):
        locate(LIMIT, Path("/"))
