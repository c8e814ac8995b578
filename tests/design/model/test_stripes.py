"""Stripes of files are dealt out in turn over the first targets."""

from coldcache.core.units import MIB
from coldcache.design.model.stripes import Layout, deal_stripes


def test_files_of_one_stripe_take_the_targets_in_turn():
    assert Layout(4).stripe_size == MIB
    assert deal_stripes(5, Layout(4)) == [[1], [2], [3], [4], [1]]


def test_the_next_file_begins_where_the_last_one_ended():
    assert deal_stripes(3, Layout(4, 2)) == [[1, 2], [3, 4], [1, 2]]
    assert deal_stripes(2, Layout(3, 2)) == [[1, 2], [3, 1]]


def test_more_stripes_than_targets_take_a_target_twice():
    assert deal_stripes(1, Layout(2, 3)) == [[1, 2, 1]]
