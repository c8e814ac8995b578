"""A file of the kernel lies below /sys or /proc, by its whole path."""

import pytest
from pydantic import ValidationError

from coldcache.design.settings.kernel_value import FileSetting, SysctlSetting


def test_a_file_below_sys_or_proc_is_accepted():
    path = "/sys/block/{device}/queue/scheduler"
    assert FileSetting(kind="file", path=path).path == path
    assert SysctlSetting(kind="sysctl", name="vm.dirty_ratio").reading(10) == "10"


@pytest.mark.parametrize("path", ["/etc/passwd", "sys/x", "/sys", "/sys/../etc/passwd", "/proc/sys/../../etc/x"])
def test_a_file_elsewhere_is_refused(path):
    with pytest.raises(ValidationError):
        FileSetting(kind="file", path=path)


@pytest.mark.parametrize("name", ["vm.dirty ratio", "vm;reboot", ""])
def test_a_parameter_is_a_name(name):
    with pytest.raises(ValidationError):
        SysctlSetting(kind="sysctl", name=name)
