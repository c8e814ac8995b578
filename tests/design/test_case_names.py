"""A case is named by the levels in which it differs, and its name is always a safe folder."""

import pytest

from coldcache.core.errors import DesignError
from coldcache.design.case_names import ONLY, name_case


def test_a_name_lists_factors_and_levels_in_their_order():
    assert (
        name_case({"operation": "read", "threads": 4, "direct_io": True}) == "operation=read,threads=4,direct_io=true"
    )
    assert name_case({"nfs_version": "4.1", "scale": 0.5}) == "nfs_version=4.1,scale=0.5"


def test_the_only_case_of_a_sweep_has_a_name_of_its_own():
    assert name_case({}) == ONLY == "only"


def test_one_and_true_are_different_levels():
    assert (name_case({"x": 1}), name_case({"x": True})) == ("x=1", "x=true")


@pytest.mark.parametrize("level", ["a/b", "..", ".hidden", "a b", "a,b", "a=b", "a\nb"])
def test_a_level_that_would_leave_its_folder_or_split_the_name_is_refused(level):
    with pytest.raises(DesignError, match="cannot be part of a folder's name"):
        name_case({"x": level})
