"""Kinds of settings register themselves, and a kind that is mistyped names the nearest one."""

import pytest
from pydantic import TypeAdapter, ValidationError

from coldcache.core.errors import DesignError
from coldcache.design.settings import SETTING_KINDS, SettingKind, is_in_guest, refuse_unknown_name
from coldcache.design.settings.kernel_value import SysctlSetting
from coldcache.design.settings.nfs_guest import GuestSetting


def test_every_kind_is_registered_under_the_name_that_yaml_uses():
    assert SETTING_KINDS["sysctl"] is SysctlSetting
    assert SETTING_KINDS["nfs-guest"] is GuestSetting
    assert list(SETTING_KINDS) == sorted(SETTING_KINDS)


def test_a_mapping_becomes_the_setting_of_its_kind():
    found = TypeAdapter(SettingKind).validate_python({"kind": "sysctl", "name": "vm.dirty_ratio"})
    assert found == SysctlSetting(kind="sysctl", name="vm.dirty_ratio")


def test_an_unknown_kind_names_the_nearest():
    with pytest.raises(ValidationError, match='unknown kind "sysctrl"; did you mean "sysctl"'):
        TypeAdapter(SettingKind).validate_python({"kind": "sysctrl"})
    with pytest.raises(ValidationError, match='"on" states no kind; known are '):
        TypeAdapter(SettingKind).validate_python("on")


def test_a_setting_is_one_of_some_names_or_has_a_kind():
    validate = refuse_unknown_name(("site", "qemu-nbd"))
    assert validate("site") == "site"
    assert validate({"kind": "sysctl"}) == {"kind": "sysctl"}
    with pytest.raises(DesignError, match='unknown "sight"; did you mean "site"'):
        validate("sight")


def test_a_trial_runs_in_a_guest_if_any_setting_is_the_guests():
    guest, here = GuestSetting(kind="nfs-guest"), SysctlSetting(kind="sysctl", name="vm.dirty_ratio")
    assert is_in_guest({"sysctl": here, "io_size": guest})
    assert not is_in_guest({"sysctl": here, "write_cache": "qemu-nbd"})
