"""Commands run on each node or once for all, as the site says; those on a folder run once."""

import pytest
from pydantic import ValidationError

from coldcache.design.settings.commands import CommandSetting, LctlSetting


def commands(**stated):
    return CommandSetting(kind="commands", **{"apply": ["ctl", "{level}"], "verify": ["ctl", "--show"], **stated})


def test_where_commands_run_is_unknown_unless_the_site_says_so():
    assert commands().is_of_node is None
    assert commands(every_node=True).is_of_node is True
    assert commands(every_node=False).is_of_node is False


@pytest.mark.parametrize("words", [{"apply": ["ctl", "{folder}"]}, {"verify": ["ctl", "{folder}"]}])
def test_commands_on_the_sweeps_folder_run_once_for_all_nodes(words):
    assert commands(**words).is_of_node is False
    assert commands(**words, every_node=True).is_of_node is True


def test_an_empty_command_is_refused():
    with pytest.raises(ValidationError):
        commands(apply=[])


def test_a_parameter_of_lustre_is_a_name_and_no_path():
    assert LctlSetting(kind="lctl", name="osc.*.max_rpcs_in_flight").is_of_node is True
    with pytest.raises(ValidationError):
        LctlSetting(kind="lctl", name="../osc")
