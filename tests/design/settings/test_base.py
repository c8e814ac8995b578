"""Levels map to values and readings; levels that could not be verified are refused."""

import pytest
from pydantic import ValidationError

from coldcache.core.errors import DesignError
from coldcache.design.settings import SETTING_KINDS
from coldcache.design.settings.base import level_as_text
from coldcache.design.settings.commands import CommandSetting
from coldcache.design.settings.kernel_value import SysctlSetting
from coldcache.design.settings.nfs_guest import GuestSetting

SETTING = SysctlSetting(kind="sysctl", name="vm.swappiness", values={True: 60, "off": 0}, shown={"off": "none"})


def test_a_level_has_a_value_and_a_reading():
    assert (SETTING.value("on"), SETTING.reading("on")) == ("60", "60")
    assert (SETTING.value(False), SETTING.reading(False)) == ("0", "none")
    assert SETTING.value_of_reading() == {"60": "60", "none": "0"}
    assert SETTING.readings("off") == ["none", "60"]


def test_a_bare_on_of_yaml_gets_its_name_back():
    assert [level_as_text(level) for level in (True, False, 1, "x")] == ["on", "off", "1", "x"]


def test_levels_that_read_the_same_are_refused():
    with pytest.raises(ValidationError, match="two levels read the same, so none of them can be verified"):
        SysctlSetting(kind="sysctl", name="a", values={"x": "1", "y": "1"})


def test_a_level_that_is_not_stated_is_refused():
    with pytest.raises(DesignError, match=r'^unknown level "of"; did you mean "off"[?]$'):
        SETTING.refuse_level("of")


def test_the_kinds_are_those_that_sites_may_name():
    assert list(SETTING_KINDS) == [
        "cgroup", "commands", "file", "gluster", "lctl", "lfs", "model", "mount", "mounts", "nfs-guest", "sysctl",
        "tuned",
    ]  # fmt: skip


def test_what_each_node_has_for_itself():
    command = CommandSetting(kind="commands", apply=["set", "{folder}"], verify=["show"])
    assert (SETTING.is_of_node, command.is_of_node, GuestSetting(kind="nfs-guest").is_of_node) == (True, False, False)
    assert CommandSetting(kind="commands", apply=["set"], verify=["show"]).is_of_node is None
