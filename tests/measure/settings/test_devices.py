"""A folder's device is the whole disk, without the number of its partition."""

from pathlib import Path

import pytest

from coldcache.core.errors import SettingError
from coldcache.measure.settings.devices import holds_root, name_device


def test_the_device_of_a_folder_is_found(loop_mount, loop_device):
    assert name_device(loop_mount) == Path(loop_device).name
    assert not holds_root(Path(loop_device).name)


def test_a_file_system_without_a_device_is_refused():
    with pytest.raises(SettingError, match=r"^/proc lies on proc, which has no block device$"):
        name_device(Path("/proc"))
