"""Where a number comes from is told as the kernel tells it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from coldcache.measure.host import inventory
from coldcache.measure.host.counters import CounterSource, read_counters
from coldcache.measure.host.inventory import describe_below, describe_system, describe_target
from coldcache.measure.host.mounts import find_mount

DESCRIBE = (
    "import json, pathlib, coldcache.measure.host.inventory as p;"
    " print(json.dumps(p.describe_target(pathlib.Path('t/x'))))"
)


def test_the_file_system_of_a_folder_is_found_before_the_folder_is_made(tmp_path):
    mount = find_mount(tmp_path / "not/yet")
    assert mount == find_mount(tmp_path)
    number = tmp_path.stat().st_dev
    assert Path(mount.point).is_mount()
    if mount.filesystem not in ("btrfs", "overlay"):
        assert mount.device == f"{os.major(number)}:{os.minor(number)}"


def test_the_innermost_of_nested_mounts_is_taken_with_its_options(project, mount_namespace):
    Path("t").mkdir()
    script = "mount -t tmpfs -o size=8m none t; mkdir 't/x'; mount -t tmpfs -o size=4m,noatime,nosuid none t/x"
    found = subprocess.run(
        mount_namespace(script, [sys.executable, "-c", DESCRIBE]), capture_output=True, text=True, check=True
    )
    target = json.loads(found.stdout)
    assert (target["filesystem"], target["mount_point"]) == ("tmpfs", str(project / "t/x"))
    assert {"rw", "noatime", "nosuid", "size=4096k"} <= set(target["mount_options"].split(","))
    assert target["queue"] == {}


def test_a_mount_point_with_blanks_and_letters_is_found(project, mount_namespace):
    Path("t ü").mkdir()
    code = DESCRIBE.replace("t/x", "t ü/x")
    found = subprocess.run(
        mount_namespace("mount -t tmpfs none 't ü'", [sys.executable, "-c", code]),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert '"filesystem": "tmpfs"' in found.stdout


def test_the_device_is_described_as_sysfs_has_it(tmp_path):
    target = describe_target(tmp_path)
    disk = Path(f"/sys/dev/block/{target['device']}")
    if not disk.exists():
        pytest.skip("the file system has no block device")
    assert read_counters(CounterSource("device", target["device"]))["written_bytes"] > 0
    assert target["queue"]["scheduler"]
    assert target["queue"]["logical_block_size"].isdigit()


def test_counters_count_what_crosses_the_device(tmp_path):
    device = describe_target(tmp_path)["device"]
    before = read_counters(CounterSource("device", device))
    if before is None:
        pytest.skip("the file system has no block device")
    with (tmp_path / "file").open("wb") as file:
        file.write(os.urandom(4 * 2**20))
        os.fsync(file.fileno())
    after = read_counters(CounterSource("device", device))
    assert after["written_bytes"] - before["written_bytes"] >= 4 * 2**20
    assert after["writes"] > before["writes"]
    assert after.get("flushes", 1) >= before.get("flushes", 0)


@pytest.mark.parametrize(("members", "limits"), [(["8:16"], {"limits": {"read_rate": 5.0}}), (["8:16", "8:32"], {})])
def test_a_limit_of_one_of_several_devices_bounds_nothing(monkeypatch, members, limits):
    monkeypatch.setattr(inventory, "find_block_device", lambda mount: "8:16")
    monkeypatch.setattr(inventory, "list_members", lambda number: members)
    monkeypatch.setattr(inventory, "describe_layers", lambda number: {"disk": {"number": number}})
    monkeypatch.setattr(inventory, "read_limits", lambda layers: {"read_rate": 5.0} if [*layers] else {})
    assert describe_below(find_mount(Path("/"))) == {"layers": {"disk": {"number": "8:16"}}, **limits}


def test_the_machine_is_described_as_the_kernel_has_it():
    system = describe_system()
    assert system["kernel"] == os.uname().release
    assert system["cores"] == os.cpu_count()
    assert system["memory_bytes"] > 2**28
    assert system["hypervisor"] is ("hypervisor" in Path("/proc/cpuinfo").read_text())
    assert set(system) == {"host", "kernel", "os", "processor", "cores", "memory_bytes", "hypervisor"}


def test_a_host_may_have_any_bytes_for_a_name(project):
    script = 'printf \'caf\\351\' >/proc/sys/kernel/hostname && exec "$0" -c "$1"'
    print_host = "from coldcache.measure.host.inventory import describe_system; print(ascii(describe_system()['host']))"
    found = subprocess.run(
        ["unshare", "--map-root-user", "--uts", "sh", "-c", script, sys.executable, print_host],
        capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    if found.returncode:
        pytest.skip(f"no namespace can be had: {found.stderr.strip()}")
    assert found.stdout == "'caf\\ufffd'\n"
