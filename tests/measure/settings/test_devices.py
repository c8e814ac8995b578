"""A folder's device is the whole disk, without the number of its partition; several are refused."""

import re
from pathlib import Path

import pytest

from coldcache.core.errors import SettingError
from coldcache.measure.host.mounts import Mount
from coldcache.measure.settings import devices
from coldcache.measure.settings.devices import holds_root, name_device


@pytest.fixture
def members(tmp_path, monkeypatch):
    """Mount btrfs on the first of some devices, each a disk and the number of a partition; return its folder."""

    def mounted(*parts):
        held, numbers = tmp_path / "sys/fs/btrfs/0a1b/devices", tmp_path / "sys/dev/block"
        for folder in (held, numbers):
            folder.mkdir(parents=True)
        for minor, (disk, number) in enumerate(parts):
            part = tmp_path / "sys/devices" / disk / f"{disk}{number}"
            part.mkdir(parents=True)
            (part / "partition").write_text(f"{number}\n")
            (part / "dev").write_text(f"8:{minor}\n")
            (numbers / f"8:{minor}").symlink_to(part)
            (held / part.name).symlink_to(part)
        mount = Mount("/mnt/x", "btrfs", "/dev/sdb1", "rw", "8:0")
        monkeypatch.setattr(devices, "find_mount", lambda _: mount)
        return Path("/mnt/x")

    return mounted


def test_the_device_of_a_folder_is_found(loop_mount, loop_device):
    assert name_device(loop_mount) == Path(loop_device).name
    assert not holds_root(Path(loop_device).name)


def test_a_file_system_without_a_device_is_refused():
    with pytest.raises(SettingError, match=r"^/proc lies on proc, which has no block device$"):
        name_device(Path("/proc"))


def test_a_file_system_on_several_devices_is_refused_as_only_one_would_change(members, tmp_path):
    folder = members(("sdb", 1), ("sdc", 1))
    message = (
        "/mnt/x lies on btrfs on 2 devices (sdb, sdc), and only one of them would change: name a target on a single "
        "device, or state the setting as commands that change all"
    )
    with pytest.raises(SettingError, match=f"^{re.escape(message)}$"):
        name_device(folder, tmp_path)
    assert [holds_root(name, tmp_path) for name in ("sdb", "sdc", "sdd")] == [True, True, False]


def test_partitions_of_one_disk_are_one_device(members, tmp_path):
    assert name_device(members(("sdb", 1), ("sdb", 2)), tmp_path) == "sdb"


def test_a_member_that_cannot_be_read_may_be_another_device(members, tmp_path):
    folder = members(("sdb", 1), ("sdc", 1))
    (tmp_path / "sys/devices/sdc/sdc1/dev").unlink()
    with pytest.raises(SettingError, match=r"^/mnt/x lies on btrfs on 2 devices \(sdb, unknown\), "):
        name_device(folder, tmp_path)
