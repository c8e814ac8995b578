"""The title of the page on several documents names the site within its sentence."""

import pytest

from coldcache.report.site.documents_page import _begin_small


@pytest.mark.parametrize(
    ("title", "within"),
    [
        ("A scale model on one machine", "a scale model on one machine"),
        ("Scratch of the cluster", "scratch of the cluster"),
        ("NFS on a guest", "NFS on a guest"),
        ("ext4 on a loop device", "ext4 on a loop device"),
    ],
)
def test_a_title_within_a_sentence_begins_small_unless_its_first_word_is_in_capitals(title, within):
    assert _begin_small(title) == within
