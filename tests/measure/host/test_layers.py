"""The devices below a target are described down to the disk, with the limits that control groups and links set."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from coldcache.measure.host.layers import describe_layers, read_limits, read_link_limits
from coldcache.measure.host.mounts import find_mount


def number_of(device):
    number = Path(device).stat().st_rdev
    return f"{os.major(number)}:{os.minor(number)}"


def files(root, stated):
    """Write files of the kernel below another root."""
    for name, text in stated.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


@pytest.mark.parametrize("direct", [False, True])
def test_a_loop_device_names_its_file_its_direct_io_and_the_disk_below(loop_device, tmp_path, direct):
    subprocess.run(["losetup", f"--direct-io={'on' if direct else 'off'}", loop_device], check=True, timeout=20)
    layers = describe_layers(number_of(loop_device))
    name = Path(loop_device).name
    assert layers.pop("loop") == {
        "name": name, "number": number_of(loop_device), "direct_io": direct, "backing_file": str(tmp_path / "image"),
        "filesystem": find_mount(tmp_path).filesystem,
    }  # fmt: skip
    below = tmp_path.stat().st_dev
    if Path(f"/sys/dev/block/{os.major(below)}:{os.minor(below)}").exists():
        assert next(iter(layers.values()))["number"].split(":")[0] == str(os.major(below))


def test_a_device_mapper_device_states_its_table_and_what_lies_below(loop_device):
    name = f"coldcache-{os.getpid()}"
    made = subprocess.run(
        ["dmsetup", "create", name, "--table", f"0 2048 linear {loop_device} 0"], capture_output=True, text=True,
        check=False, timeout=20,
    )  # fmt: skip
    if made.returncode:
        pytest.skip(f"no device-mapper device can be had: {made.stderr.strip()}")
    try:
        link = Path(f"/dev/mapper/{name}")
        layers = describe_layers(number_of(link))
        assert [*layers][:2] == ["dm", "loop"]
        assert layers["dm"]["mapped_as"] == name
        assert layers["dm"]["table"] == f"0 2048 linear {number_of(loop_device)} 0"
        assert layers["loop"]["name"] == Path(loop_device).name
    finally:
        subprocess.run(["dmsetup", "remove", name], check=False, timeout=20)


def test_devices_in_memory_and_cache_devices_have_a_kind_of_their_own(tmp_path):
    files(tmp_path, {
        "sys/devices/zram0/dev": "252:0\n", "sys/devices/ram1/dev": "1:1\n",
        "sys/devices/bcache0/dev": "251:0\n", "sys/devices/bcache0/bcache/cache_mode": "writethrough [writeback]\n",
    })  # fmt: skip
    links = tmp_path / "sys/dev/block"
    links.mkdir(parents=True)
    for number, name in (("252:0", "zram0"), ("1:1", "ram1"), ("251:0", "bcache0")):
        (links / number).symlink_to(tmp_path / "sys/devices" / name)
    assert describe_layers("252:0", tmp_path) == {"memory": {"name": "zram0", "number": "252:0"}}
    assert describe_layers("1:1", tmp_path) == {"memory": {"name": "ram1", "number": "1:1"}}
    assert describe_layers("251:0", tmp_path) == {
        "bcache": {"name": "bcache0", "number": "251:0", "cache_mode": "writethrough [writeback]"}
    }


def test_a_partition_is_part_of_its_disk_and_a_target_without_device_has_no_layers(tmp_path):
    disk = files(tmp_path / "sys/devices/sda", {"dev": "8:0\n", "sda1/dev": "8:1\n", "sda1/partition": "1\n"})
    (tmp_path / "sys/dev/block").mkdir(parents=True)
    (tmp_path / "sys/dev/block/8:1").symlink_to(disk / "sda1")
    assert describe_layers("8:1", tmp_path) == {"disk": {"name": "sda", "number": "8:0"}}
    assert describe_layers("", tmp_path) == describe_layers("9:9", tmp_path) == {}


def test_devices_of_one_kind_are_numbered_and_a_ring_ends(tmp_path):
    for number, below in (("253:0", "253:1"), ("253:1", "253:0")):
        disk = files(tmp_path / f"sys/devices/dm-{number[-1]}", {"dev": number, "dm/name": f"v{number[-1]}"})
        files(disk, {f"slaves/dm-{below[-1]}/dev": below})
        (tmp_path / "sys/dev/block").mkdir(parents=True, exist_ok=True)
        (tmp_path / f"sys/dev/block/{number}").symlink_to(disk)
    layers = describe_layers("253:0", tmp_path)
    assert {kind: layer["mapped_as"] for kind, layer in layers.items()} == {"dm": "v0", "dm 2": "v1"}


def test_all_disks_of_a_wide_array_are_named(tmp_path):
    links, array = tmp_path / "sys/dev/block", files(tmp_path / "sys/devices/md0", {"dev": "9:0", "md/level": "raid6"})
    links.mkdir(parents=True)
    (links / "9:0").symlink_to(array)
    for number in range(24):
        disk = files(tmp_path / f"sys/devices/nvme{number}n1", {"dev": f"259:{number}"})
        files(array, {f"slaves/{disk.name}/dev": f"259:{number}"})
        (links / f"259:{number}").symlink_to(disk)
    layers = describe_layers("9:0", tmp_path)
    assert layers["raid"] == {"name": "md0", "number": "9:0"}
    assert {layer["name"] for layer in layers.values()} == {"md0", *(f"nvme{number}n1" for number in range(24))}
    assert len(layers) == 25


DISK = [{"name": "sda", "number": "8:0"}]


def test_the_lowest_limit_of_a_control_group_and_those_around_it_counts(tmp_path):
    files(tmp_path, {
        "proc/self/cgroup": "7:blkio:/a/b\n0::/\n",
        "sys/fs/cgroup/blkio/a/b/blkio.throttle.read_bps_device": "8:0 3000\n8:16 1\n",
        "sys/fs/cgroup/blkio/a/blkio.throttle.read_bps_device": "8:0 2000\n",
        "sys/fs/cgroup/blkio/a/blkio.throttle.write_iops_device": "8:0 50\n",
    })  # fmt: skip
    assert read_limits(DISK, tmp_path) == {"read_rate": 2000, "write_iops": 50, "by": "control group, version 1"}


def test_limits_of_version_2_are_read_from_io_max(tmp_path):
    files(tmp_path, {
        "proc/self/cgroup": "0::/user.slice/job\n",
        "sys/fs/cgroup/user.slice/io.max": "8:0 rbps=2097152 wbps=max riops=max wiops=120\n",
        "sys/fs/cgroup/user.slice/job/io.max": "8:16 rbps=1 wbps=1 riops=1 wiops=1\n",
    })  # fmt: skip
    assert read_limits(DISK, tmp_path) == {"read_rate": 2097152, "write_iops": 120, "by": "control group, version 2"}
    assert read_limits([{"name": "sdc", "number": "8:32"}], tmp_path) == {}


def test_a_real_control_group_is_read(tmp_path):
    """The limit that the kernel has is what is read: the process joins a group of its own."""
    group = Path(f"/sys/fs/cgroup/blkio/coldcache-{os.getpid()}")
    number = tmp_path.stat().st_dev
    layers = describe_layers(f"{os.major(number)}:{os.minor(number)}")
    if not layers:
        pytest.skip("the file system has no block device")
    disk = [*layers.values()][-1]
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"no control group of version 1 can be made: {error}")
    home = next(line for line in Path("/proc/self/cgroup").read_text().splitlines() if ":blkio:" in line)
    try:
        (group / "blkio.throttle.read_bps_device").write_text(f"{disk['number']} 123456789")
        (group / "cgroup.procs").write_text(str(os.getpid()))
        assert read_limits(layers.values())["read_rate"] == 123456789
    finally:
        with suppress(OSError):
            Path(f"/sys/fs/cgroup/blkio{home.rpartition(':')[2]}/cgroup.procs").write_text(str(os.getpid()))
        group.rmdir()


def test_links_carry_their_speed(tmp_path):
    files(tmp_path, {
        "sys/class/net/eth1/speed": "10000\n", "sys/class/net/lo/speed": "-1\n",
        "sys/class/infiniband/mlx5_0/ports/1/rate": "100 Gb/sec (4X EDR)\n",
    })  # fmt: skip
    both = read_link_limits(["eth1", "mlx5_0"], tmp_path)
    assert both == {"read_rate": 110e9 / 8, "write_rate": 110e9 / 8, "by": "the speed of eth1 and mlx5_0"}
    assert read_link_limits(["eth1", "lo"], tmp_path) == read_link_limits([], tmp_path) == {}
