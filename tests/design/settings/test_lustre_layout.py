"""A layout of Lustre needs new files, and the file system has it for all nodes."""

import pytest
from pydantic import ValidationError

from coldcache.design.settings.lustre_layout import LayoutSetting


def test_a_layout_has_fresh_files_and_is_the_file_systems():
    layout = LayoutSetting(kind="lfs", of="stripe-count")
    assert (layout.fresh_files, layout.is_of_node, layout.slow) == (True, False, False)
    assert layout.reading(4) == "4"


def test_an_unknown_layout_is_refused():
    with pytest.raises(ValidationError):
        LayoutSetting(kind="lfs", of="stripes")
