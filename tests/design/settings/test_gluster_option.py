"""An option of a volume is slow to change, and the volume has it for all nodes."""

import pytest
from pydantic import ValidationError

from coldcache.design.settings.gluster_option import VolumeSetting


def test_an_option_is_the_volumes_and_slow():
    setting = VolumeSetting(kind="gluster", volume="gv0", option="performance.write-behind")
    assert (setting.is_of_node, setting.slow, setting.fresh_files) == (False, True, False)
    # YAML reads a bare on as a boolean.
    assert (setting.value(True), setting.reading("off")) == ("on", "off")


@pytest.mark.parametrize("stated", [{"volume": "a b"}, {"volume": "a/b"}, {"option": "x;y"}])
def test_names_hold_nothing_that_a_shell_would_read(stated):
    with pytest.raises(ValidationError):
        VolumeSetting(kind="gluster", **{"volume": "gv0", "option": "x", **stated})
